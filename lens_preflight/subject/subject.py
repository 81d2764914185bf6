"""The frozen description of one run: launches, settings, and models built at the first question."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from lens_preflight.core.data import dataclass, field
from lens_preflight.core.errors import Skip, Undecided
from lens_preflight.lens.generations import GENERATIONS, Generation
from lens_preflight.lens.generations import generation as by_id
from lens_preflight.otel.files import Files
from lens_preflight.subject.inputs import Inputs
from lens_preflight.subject.launch import Launch
from lens_preflight.subject.once import Once

if TYPE_CHECKING:
    from lens_preflight.collector.model import CollectorConfig
    from lens_preflight.dashboards.model import Dashboard
    from lens_preflight.dashboards.rules import RuleFile
    from lens_preflight.jobs.model import JobModel
    from lens_preflight.program.model import ProgramModel
    from lens_preflight.subject.inside import Inside


@dataclass(frozen=True)
class Subject:
    """What will run, as far as it was given.

    ``jobs`` are the job scripts among the targets; ``unread`` holds what was given but could not be
    understood, as (target, reason).
    """

    inputs: Inputs
    launches: tuple[Launch, ...]
    files: Files
    jobs: tuple[JobModel, ...] = ()
    memo: Once = field(default_factory=Once, repr=False, compare=False)

    @property
    def purpose(self) -> str | None:
        """production, profiling, debug, or None when nobody said."""
        return self.inputs.purpose or self.inputs.settings.purpose

    @property
    def topology(self) -> str | None:
        """gateway, node-agent, or None when nobody said."""
        return self.inputs.topology or self.inputs.settings.topology

    @property
    def dashboards(self) -> tuple[Dashboard, ...]:
        """The dashboards given, read and flattened."""
        return self.memo.get("dashboards", self._read_dashboards) if self.inputs.dashboards else ()

    def _read_dashboards(self) -> tuple[Dashboard, ...]:
        from lens_preflight.dashboards import read_dashboards

        return read_dashboards(self.inputs.dashboards)

    @property
    def rules(self) -> tuple[RuleFile, ...]:
        """The Prometheus recording and alert rules given."""
        return self.memo.get("rules", self._read_rules) if self.inputs.rules else ()

    def _read_rules(self) -> tuple[RuleFile, ...]:
        from lens_preflight.dashboards.rules import read_rules

        return read_rules(self.inputs.rules)

    @property
    def collector(self) -> CollectorConfig | None:
        """The collector configuration given, several files merged as the collector does it."""
        return self.memo.get("collector", self._read_collector) if self.inputs.collector else None

    def _read_collector(self) -> CollectorConfig:
        from lens_preflight.collector import read_collector

        return read_collector(self.inputs.collector)

    def open_inputs(self) -> None:
        """Read what was named, so that a file that cannot be opened is refused before any verdict.

        Raises:
            InputError: one cannot be opened or decoded.
        """
        for read in (lambda: self.dashboards, lambda: self.rules, lambda: self.collector):
            with contextlib.suppress(ModuleNotFoundError):  # the checks that need it say so
                read()
        for launch in self.launches:
            with contextlib.suppress(Skip, Undecided):
                self.program(launch)

    def program(self, launch: Launch) -> ProgramModel:
        """The model of the program that a launch starts.

        Raises:
            Skip: no script was given, or the launch is a service.
            Undecided: the launch starts something that cannot be read from here.
        """
        if launch.service:
            raise Skip(f"{launch.service} runs no program of its own")
        if launch.program_file is None and launch.module is None:
            if not self.inputs.targets and self.inputs.module is None:
                raise Skip("no script was given", missing_input="a training script")
            what = launch.program or "the program"
            raise Undecided(f"{what} is not a file that can be read here; give --map IN=OUT", launch.at)
        key = ("program", launch.program_file, launch.module, launch.args, launch.import_roots)
        return self.memo.get(key, lambda: self._analyse(launch))

    def inside(self, launch: Launch, generation: Generation) -> Inside:
        """The environment of a launch as its processes have it when they set telemetry up."""
        from lens_preflight.subject.inside import inside

        key = ("inside", launch.key, generation.id)
        return self.memo.get(key, lambda: inside(self, launch, generation))

    def aside(self, launch: Launch, generation: Generation) -> str:
        """Why a launch is a step beside the training that needs no telemetry; empty when it is none."""
        from lens_preflight.subject.aside import aside

        return self.memo.get(("aside", launch.key, generation.id), lambda: aside(self, launch, generation))

    def _analyse(self, launch: Launch) -> ProgramModel:
        from lens_preflight.program import analyse

        return analyse(launch.program_file, module=launch.module, roots=launch.import_roots, argv=launch.args)

    def generations(self, launch: Launch | None) -> tuple[Generation, ...]:
        """The generations of Lens that may be meant: the one named, else those that fit.

        With ``--lens auto`` the calls that the program makes decide, then what the project's
        requirements name; if nothing decides, all stay and the worst verdict counts.
        """
        if self.inputs.lens != "auto":
            return (by_id(self.inputs.lens),)
        return self.memo.get(("generations", launch.key if launch else ""), lambda: self._guess(launch))

    def _guess(self, launch: Launch | None) -> tuple[Generation, ...]:
        from lens_preflight.subject.requirements import pinned

        launches = [launch] if launch is not None else list(self.launches)
        fitting = set(GENERATIONS)
        for one in launches:
            try:
                fitting &= set(self.program(one).fits) or fitting
            except Exception:  # the checks that ask for the program report it
                continue
        named = pinned(self.inputs.folder, [one.program_file for one in launches], self.jobs)
        both = [g for g in GENERATIONS if g in fitting and (not named or g.id in named)]
        return tuple(both or [g for g in GENERATIONS if g in fitting] or GENERATIONS)
