"""Closed vocabularies of the verdict: statuses, severities, owners, scopes, states."""

from __future__ import annotations

import enum


class Status(enum.Enum):
    """What became of one check."""

    PASS = "pass"
    """Looked, and it holds."""
    WARN = "warn"
    """Looked, it holds, with cautions."""
    FAIL = "fail"
    """Looked, and it does not hold."""
    UNKNOWN = "unknown"
    """Could not decide; never counts as a pass."""
    ERROR = "error"
    """The check itself broke or ran out of time."""
    SKIP = "skip"
    """Does not apply, or was switched off; always with a reason."""


class Severity(enum.IntEnum):
    """How much one finding weighs; only a blocker makes its check fail."""

    NOTE = 10
    CAUTION = 20
    BLOCKER = 30

    @property
    def word(self) -> str:
        """The lower-case name that reports print."""
        return self.name.lower()


class Owner(enum.Enum):
    """Who can remove the cause of a finding."""

    JOB = "job"
    """The author of the job script or the training program."""
    FRAMEWORK = "framework"
    """The training framework or a library."""
    PLATFORM = "platform"
    """Those who run the collector, the backends or the dashboards."""
    HOST = "host"
    """Those who run this one machine."""


class Scope(enum.Enum):
    """What a check is called for: once a run, or once per thing of this kind."""

    RUN = "run"
    LAUNCH = "launch"
    SIGNAL = "signal"
    BACKEND = "backend"
    FILE = "file"


class State(enum.Enum):
    """What is known about a variable of a process that does not run yet."""

    VALUE = "value"
    """Set, and the text is known."""
    UNSET = "unset"
    """Known not to be set."""
    PROVIDED = "provided"
    """Set by somebody at start (Slurm, the launcher); the text is not known yet."""
    UNKNOWN = "unknown"
    """Not known whether it is set, or to what."""


class Spread(enum.Enum):
    """Over what a value may differ."""

    JOB = "job"
    """The same in every process of the job."""
    NODE = "node"
    """May differ from node to node."""
    TASK = "task"
    """May differ from process to process."""
    RUN = "run"
    """The same in every process, another one after a requeue."""


class Need(enum.Enum):
    """An input that a check cannot do without."""

    ENVIRONMENT = "environment"
    SCRIPT = "script"
    JOB = "job"
    NETWORK = "network"
    DASHBOARDS = "dashboards"
    RULES = "rules"
    COLLECTOR = "collector"
    BACKEND = "backend"
