"""All that a check may look at; it sees nothing else of the machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from lens_preflight.core.data import dataclass
from lens_preflight.core.deadline import Deadline
from lens_preflight.core.errors import LibraryFailure, Skip, Undecided
from lens_preflight.core.finding import Finding, Proof, Rule
from lens_preflight.core.outcome import Target
from lens_preflight.core.variable import Environment
from lens_preflight.core.words import Scope, Severity
from lens_preflight.core.world import World
from lens_preflight.lens.config import LensConfig
from lens_preflight.lens.generations import Generation
from lens_preflight.otel.files import Files
from lens_preflight.settings import Settings
from lens_preflight.subject.launch import Launch
from lens_preflight.subject.subject import Subject

if TYPE_CHECKING:
    from lens_preflight.backends import Backend, ReadBack, Telemetry
    from lens_preflight.collector.model import CollectorConfig
    from lens_preflight.dashboards.model import Dashboard
    from lens_preflight.dashboards.rules import RuleFile
    from lens_preflight.jobs.model import JobModel
    from lens_preflight.otel.exporter import Exporter
    from lens_preflight.otel.view import OtelView
    from lens_preflight.probe.canary import Canary
    from lens_preflight.probe.model import ProbeResult
    from lens_preflight.program.model import ProgramModel
    from lens_preflight.subject.inside import Inside
    from lens_preflight.subject.panels import PanelReading
    from lens_preflight.subject.stores import Stores

SIGNALS = ("traces", "metrics", "logs")


@dataclass(frozen=True)
class Context:
    """One call of one check: its target, the subject, and what it may use.

    ``generation`` is the Lens generation to judge under; when several may be meant the check is
    called for each and the worst outcome counts. ``prober`` sends packets, None when none may be
    sent; ``stores`` asks backends, None when no packet may be sent. ``lifted`` are the ids of the rules
    whose findings may end up without weight, by the settings, a waiver or a baseline.
    """

    subject: Subject
    target: Target
    deadline: Deadline
    generation: Generation
    current: Launch | None = None
    prober: Callable[[Exporter, Environment], ProbeResult] | None = None
    host: str = ""
    stores: Stores | None = None
    lifted: frozenset[str] = frozenset()

    def stops(self, *findings: Finding) -> bool:
        """Whether a check may end with these findings: one of them blocks, whatever else there is.

        When the weight of a blocker may be taken away, what stands behind it has to be judged as well.
        """
        return any(f.severity is Severity.BLOCKER and f.rule.id not in self.lifted for f in findings)

    def lifts(self, rule: Rule) -> bool:
        """Whether findings of this rule may end up without weight: then each place has to be told."""
        return rule.id in self.lifted

    @property
    def nothing_else(self) -> Proof:
        """What a check says at its end when all that it found may be waived."""
        return Proof("beside what was found nothing stands against it")

    def last(self, finding: Finding) -> Iterator[Finding | Proof]:
        """A finding behind which nothing is left to judge."""
        yield finding
        if self.lifts(finding.rule):
            yield self.nothing_else

    @property
    def launch(self) -> Launch:
        """The launch of the target; the only one, for a check that runs once.

        Raises:
            Skip: the check runs once and there are several launches, or none.
        """
        if self.current is not None:
            return self.current
        if len(self.subject.launches) == 1:
            return self.subject.launches[0]
        raise Skip("there is not exactly one launch to judge")

    @property
    def launches(self) -> tuple[Launch, ...]:
        """All launches of the run."""
        return self.subject.launches

    @property
    def env(self) -> Environment:
        """The environment of the launch, as its processes have it when they set telemetry up."""
        return self.env_of(self.launch)

    @property
    def inside(self) -> Inside:
        """What the program makes of the environment of the launch before it sets telemetry up."""
        return self.subject.inside(self.launch, self.generation)

    def env_of(self, launch: Launch) -> Environment:
        """The environment of one of the launches, as its processes have it when they set telemetry up."""
        return self.subject.inside(launch, self.generation).env

    def placed(self, finding: Finding) -> Finding:
        """The finding with a remedy that reaches the variables which the program writes itself."""
        alone = self.current is not None or len(self.subject.launches) == 1
        return self.inside.placed(finding) if finding.settings and alone else finding

    @property
    def settled(self) -> Environment:
        """The environment of the launch, if the shell that submits sets nothing more."""
        return self.launch.settled or self.launch.env

    @property
    def lens(self) -> LensConfig:
        """What Lens makes of the environment of the launch."""
        return LensConfig(self.env, self.launch.framework, self.generation)

    @property
    def otel(self) -> OtelView:
        """What the SDK and the exporters make of it."""
        from lens_preflight.otel.view import OtelView

        return OtelView(self.env, self.generation, self.files, self.launch.framework.prefixes)

    @property
    def signals(self) -> tuple[str, ...]:
        """The signals that are exported, by what is in sight; empty when telemetry is off."""
        return enabled_signals(self.lens.in_sight)

    @property
    def program(self) -> ProgramModel:
        """The program of the launch; Skip when no script was given, Undecided when unreadable."""
        return self.subject.program(self.launch)

    @property
    def world(self) -> World | None:
        """The processes of the launch, None when nobody says how many."""
        return self.launch.world

    @property
    def job(self) -> JobModel | None:
        """The job script of the launch, None when the launch comes from nowhere else."""
        at = self.launch.at
        for job in self.subject.jobs:
            if at is not None and job.path == at.what:
                return job
        return self.subject.jobs[0] if len(self.subject.jobs) == 1 else None

    @property
    def dashboards(self) -> tuple[Dashboard, ...]:
        """The dashboards given."""
        return self.subject.dashboards

    @property
    def rules(self) -> tuple[RuleFile, ...]:
        """The Prometheus rules given."""
        return self.subject.rules

    @property
    def collector(self) -> CollectorConfig | None:
        """The collector configuration given."""
        return self.subject.collector

    @property
    def profile(self) -> str:
        """ci, login or node: where this runs."""
        return self.subject.inputs.profile

    @property
    def purpose(self) -> str | None:
        """production, profiling, debug or None."""
        return self.subject.purpose

    @property
    def topology(self) -> str | None:
        """gateway, node-agent or None."""
        return self.subject.topology

    @property
    def settings(self) -> Settings:
        """The settings file, frozen."""
        return self.subject.inputs.settings

    @property
    def files(self) -> Files:
        """The files of the host that the job would open."""
        return self.subject.files

    def probe(self, exporter: Exporter) -> ProbeResult:
        """What became of one empty export; the same exporter is asked only once a run.

        Raises:
            Skip: no packet may be sent.
        """
        if self.prober is None:
            raise Skip("no packet may be sent (--offline)", missing_input="a run without --offline")
        return self.prober(exporter, self.env)

    def backend(self) -> Backend:
        """The client of the target backend.

        Raises:
            Skip: no packet may be sent, or it is a collector.
            InputError: its name or URL says nothing that could be opened.
        """
        return self._stores.backend(self.target.key, self.generation)

    def canary(self) -> Canary | None:
        """The canary of the run, sent at the first question; None when none was asked for."""
        return self._stores.canary(self.generation)

    def read_back(self) -> ReadBack:
        """What became of the canary in the target backend, asked until found or out of time."""
        return self._stores.read_back(self.target.key, self.generation)

    def panels(self, run_id: str) -> tuple[PanelReading, ...]:
        """The panels of the dashboards, asked of the target backend for a run; empty when it cannot be."""
        return self._stores.panels(self.target.key, self.generation, run_id)

    def telemetry(self) -> tuple[Telemetry, ...]:
        """The collectors' own metrics pages: those given, else the one at the endpoint's host."""
        return self._stores.telemetry(self.generation)

    @property
    def _stores(self) -> Stores:
        if self.stores is None:
            raise Skip("no packet may be sent (--offline)", missing_input="a run without --offline")
        return self.stores


def enabled_signals(lens: LensConfig) -> tuple[str, ...]:
    """The signals that a configuration exports.

    Raises:
        Undecided: a switch is not known before the job starts.
    """
    return tuple(signal for signal in SIGNALS if exports(lens, signal))


def exports(lens: LensConfig, signal: str) -> bool:
    """Whether a configuration exports one signal; no other signal's switch is looked at.

    Raises:
        Undecided: its switch, or that of all, is not known before the job starts.
    """
    try:
        on = lens.enabled
    except Undecided:
        if switched_on(lens, signal):
            raise
        return False
    return on and switched_on(lens, signal)


def switched_on(lens: LensConfig, signal: str) -> bool:
    """The switch of one signal, whatever the master switch says; Undecided when it is not known."""
    if signal == "traces":
        return lens.traces_enabled
    return lens.metrics_enabled if signal == "metrics" else lens.logs_enabled


def signal_targets(
    subject: Subject, launch: Launch, generation: Generation, many: bool
) -> tuple[Target, ...]:
    """The targets of a check that is called per signal, for one launch.

    A switch that cannot be known keeps its signal in, so that the check can say why it cannot tell.
    """
    lens = LensConfig(subject.inside(launch, generation).env, launch.framework, generation).in_sight
    suffix = f" @ {launch.key}" if many else ""
    return tuple(Target(Scope.SIGNAL, f"{signal}{suffix}") for signal in SIGNALS if _may_export(lens, signal))


def _may_export(lens: LensConfig, signal: str) -> bool:
    try:
        return exports(lens, signal)
    except (Undecided, LibraryFailure):
        return True
