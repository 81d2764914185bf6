"""Everything that the SDK and the exporters make of one environment, in one place."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lens_preflight.core.data import dataclass, replace
from lens_preflight.core.variable import Environment
from lens_preflight.otel import processors
from lens_preflight.otel.exporter import Exporter, exporter, protocol, settings
from lens_preflight.otel.files import AllThere
from lens_preflight.otel.processors import Batch
from lens_preflight.otel.remark import Part, Remark
from lens_preflight.otel.resource import ResourceText, from_environment
from lens_preflight.otel.sampler import Sampler, sampler
from lens_preflight.otel.wire import Wire, wire

if TYPE_CHECKING:
    from lens_preflight.lens.generations import Generation
    from lens_preflight.otel.files import Files


@dataclass(frozen=True)
class OtelView:
    """The facts about OpenTelemetry in one environment, each worked out when asked for.

    Everything may raise Undecided (a variable is not known before start) or LibraryFailure (the
    real library raises, aborts or hangs).
    """

    env: Environment
    generation: Generation
    files: Files
    prefixes: tuple[str, ...] = ("NEMO_LENS",)

    @property
    def in_sight(self) -> OtelView:
        """The same with every variable unset that nobody in sight sets."""
        return replace(self, env=self.env.closed())

    @property
    def with_all_files(self) -> OtelView:
        """The same with every file there and right that a variable names."""
        return replace(self, files=AllThere())

    def exporter(self, signal: str) -> Exporter:
        """The exporter of a signal: traces, metrics or logs."""
        return exporter(self.env, signal, self.generation, self.files, self.prefixes)

    def budget(self, signal: str) -> float | None:
        """Seconds that one export of a signal may take with its retries, None for the console."""
        found = settings(self.env, signal, self.generation, self.files, self.prefixes)
        return None if found is None else found.timeout

    def remark_parts(self, signal: str) -> tuple[Part, ...]:
        """The looks for settings of a signal that do something else than they say."""
        found = settings(self.env, signal, self.generation, self.files, self.prefixes)
        return () if found is None else (partial(self._protocol, signal), *found.remark_parts())

    def _protocol(self, signal: str) -> tuple[Remark, ...]:
        return protocol(self.env, signal, self.generation)[2]

    def wire(self, signal: str) -> Wire:
        """The HTTP request of a signal; LibraryFailure when requests refuses the URL."""
        return wire(self.exporter(signal), self.env, self.files)

    @property
    def sampler(self) -> Sampler:
        """The sampler of the SDK."""
        return sampler(self.env)

    @property
    def resource(self) -> ResourceText:
        """The attributes that come from the environment."""
        return from_environment(self.env)

    @property
    def batch(self) -> Batch:
        """The batch processor of spans."""
        return processors.batch(self.env)

    @property
    def metric_interval(self) -> int:
        """Milliseconds between two exports of metrics."""
        return processors.metric_interval(self.env)

    @property
    def disabled(self) -> bool:
        """True when the SDK exports nothing because of ``OTEL_SDK_DISABLED``."""
        return processors.sdk_disabled(self.env)
