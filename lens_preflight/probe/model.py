"""What a probe says: one record per stage, the cause, and what the real client got."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import TYPE_CHECKING

from lens_preflight.core.data import dataclass, field

if TYPE_CHECKING:
    from lens_preflight.otel.exporter import Exporter
    from lens_preflight.probe.causes import Cause


class Stage(enum.Enum):
    """The steps from the settings to the reply, in order."""

    CONFIGURE = "configure"
    RESOLVE = "resolve"
    PROXY = "proxy"
    CONNECT = "connect"
    TLS = "tls"
    PROTOCOL = "protocol"
    REQUEST = "request"
    REPLY = "reply"
    NONE = "none"
    """No stage failed."""


class State(enum.Enum):
    """What became of one stage."""

    OK = "ok"
    FAILED = "failed"
    SKIPPED = "skipped"
    """Not needed here, or not reached."""


class Verdict(enum.Enum):
    """What the endpoint does with this signal."""

    PASS = "pass"
    """The real client's empty request was taken by an OTLP server, which said so."""
    WARN = "warn"
    """The exporter would be content, but the proof is incomplete."""
    FAIL = "fail"
    """Data would be lost, or the job held."""
    UNKNOWN = "unknown"
    """Stages and client contradict each other, or there was no time."""


@dataclass(frozen=True)
class StageRecord:
    """One stage: what was seen, in one line, and how long it took in seconds."""

    stage: Stage
    state: State
    text: str = ""
    seconds: float = 0.0
    evidence: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class ProbeResult:
    """One exporter, one endpoint, one answer.

    ``cause`` is one of the closed vocabulary, None when the verdict is unknown. ``message`` is one
    line without host, port or time; ``remedy`` ends in something to type; ``settings`` are the
    environment assignments of the remedy. ``notes`` are remarks that do not weigh. No secret is in
    any text.
    """

    exporter: Exporter
    verdict: Verdict
    cause: Cause | None
    message: str
    stage: Stage = Stage.NONE
    """The first stage at which the cause shows."""
    remedy: str = ""
    settings: tuple[tuple[str, str | None], ...] = ()
    stages: tuple[StageRecord, ...] = ()
    notes: tuple[str, ...] = ()
    evidence: Mapping[str, str] = field(default_factory=dict, hash=False)
    blame: str = ""
    """The variable to look at first."""

    @property
    def code(self) -> str:
        """The code of the cause, empty when it is not known."""
        return self.cause.code if self.cause is not None else ""
