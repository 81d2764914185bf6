"""``NemoLensConfig.from_env`` as a set of facts, each read on first touch.

Source: nemo-lens 0.1.0 executed, 0.2.0 and the branch without ranks read and executed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from lens_preflight.core.data import dataclass
from lens_preflight.core.errors import Harm, LibraryFailure
from lens_preflight.core.variable import Environment, Variable
from lens_preflight.lens import groups as span_groups
from lens_preflight.lens.frameworks import Framework
from lens_preflight.lens.generations import Generation
from lens_preflight.lens.groups import Groups, Resolved
from lens_preflight.lens.run_id import RunId, run_ids
from lens_preflight.lens.variables import Catalogue
from lens_preflight.otel.precedence import not_blank

if TYPE_CHECKING:
    from lens_preflight.lens.survey import Survey
    from lens_preflight.otel.view import OtelView

T = TypeVar("T", bool, int, float)

TRUE_WORDS = ("1", "true", "yes", "on")
FALSE_WORDS = ("0", "false", "no", "off")


def boolean(text: str) -> bool:
    """The words that NeMo Lens takes, any case; ValueError for any other."""
    word = text.lower()
    if word in TRUE_WORDS:
        return True
    if word in FALSE_WORDS:
        return False
    raise ValueError(f"{text!r} is neither {'/'.join(TRUE_WORDS)} nor {'/'.join(FALSE_WORDS)}")


@dataclass(frozen=True)
class LensConfig:
    """What ``from_env(prefix, fallback_prefix)`` makes of an environment.

    A property returns its value, raises Undecided when a variable that it depends on is not known
    before start, LibraryFailure when ``from_env`` raises over it. ``where`` gives the variable that
    decides a key. Keys that a generation does not read have their defaults.
    """

    env: Environment
    framework: Framework
    generation: Generation

    def names(self, key: str) -> tuple[str, ...]:
        """The variables of a key, in the order of look-up."""
        return tuple(f"{prefix}_{key}" for prefix in self.framework.prefixes)

    def read(self, key: str) -> tuple[str, Variable]:
        """The trimmed text of a key (empty: the default holds) and the variable that decides."""
        return not_blank(self.env, *self.names(key))

    def where(self, key: str) -> Variable:
        """The variable that decides a key; an unset one stands for the default."""
        text, variable = self.read(key)
        return variable if text else self.env[self.names(key)[-1]]

    def _text(self, key: str, default: str) -> str:
        return self.read(key)[0] or default

    def _number(self, key: str, default: T, parse: Callable[[str], T]) -> T:
        if key not in self.generation.settings:
            return default
        text, variable = self.read(key)
        if not text:
            return default
        try:
            return parse(text)
        except ValueError as error:
            raise LibraryFailure(
                Harm.RAISES, "ValueError", variable=variable.name, message=str(error), when="from_env"
            ) from error

    @cached_property
    def enabled(self) -> bool:
        """The master switch; off by default."""
        return self._number("ENABLED", False, boolean)

    @cached_property
    def service_name(self) -> str:
        """``OTEL_SERVICE_NAME`` trimmed, else ``nemo``."""
        return (self.env.text("OTEL_SERVICE_NAME") or "").strip() or "nemo"

    @cached_property
    def export_strategy(self) -> str:
        """The name of the export strategy, not yet looked up; "all_ranks" where there are none."""
        return self._text("EXPORT_STRATEGY", "single_rank") if self.generation.has_strategy else "all_ranks"

    @cached_property
    def export_rank(self) -> int:
        """The rank of ``single_rank``; negative is the last."""
        return self._number("EXPORT_RANK", -1, int)

    @cached_property
    def export_sample_rate(self) -> float:
        """The share of ranks of ``sampled``, 0 to 1."""
        return self._number("EXPORT_SAMPLE_RATE", 1.0, _rate)

    @cached_property
    def sampler_enabled(self) -> bool:
        """Whether RankAwareSampler replaces the sampler of the SDK."""
        return self._number("SAMPLER_ENABLED", False, boolean)

    @cached_property
    def traces_enabled(self) -> bool:
        """Whether spans are exported; on by default."""
        return self._number("TRACES_ENABLED", True, boolean)

    @cached_property
    def metrics_enabled(self) -> bool:
        """Whether metrics are exported; on by default."""
        return self._number("METRICS_ENABLED", True, boolean)

    @cached_property
    def logs_enabled(self) -> bool:
        """Whether logs are bridged; off by default."""
        return self._number("LOGS_ENABLED", False, boolean)

    @cached_property
    def span_groups(self) -> str:
        """The span-group spec as written."""
        return self._text("SPAN_GROUPS", "default")

    @cached_property
    def exporter(self) -> str:
        """ "otlp" or "console"; any other word raises later, when an exporter is built."""
        return self._text("EXPORTER", "otlp")

    @property
    def run_ids(self) -> tuple[RunId, ...]:
        """Every run id that may come out; one when nothing about it is open."""
        return run_ids(self.env, self.framework.run_id_names, self.framework.run_id_shared_by)

    @property
    def catalogue(self) -> Catalogue:
        """Which variables are read, and what the others were meant to be."""
        return Catalogue(self.framework, self.generation)

    @cached_property
    def run_id(self) -> str:
        """The run id that is set, empty when it is derived."""
        return self._text("RUN_ID", "")

    @cached_property
    def user(self) -> str:
        """The label of the user, empty by default."""
        return self._text("USER_ID", "")

    @cached_property
    def wandb_entity(self) -> str:
        """``WANDB_ENTITY``, not trimmed."""
        return self.env.text("WANDB_ENTITY") or ""

    @cached_property
    def wandb_project(self) -> str:
        """``WANDB_PROJECT``, not trimmed."""
        return self.env.text("WANDB_PROJECT") or ""

    @property
    def signals(self) -> tuple[str, ...]:
        """The signals that an exporting process sends, in the order in which they are set up."""
        switches = {"traces": self.traces_enabled, "metrics": self.metrics_enabled, "logs": self.logs_enabled}
        return tuple(signal for signal, on in switches.items() if on)

    @property
    def groups(self) -> Groups:
        """The span groups that a spec can name in this framework and generation."""
        if self.framework.groups is not None:
            return self.framework.groups
        return span_groups.EMPTY if self.generation.has_registry else span_groups.BASE

    @cached_property
    def resolved_groups(self) -> Resolved:
        """What the spec enables; unknown words are listed, whatever the library does about them."""
        return span_groups.resolve(self.span_groups, self.groups)

    @property
    def unknown_group_raises(self) -> bool:
        """Whether an unknown word in the spec kills an exporting process, or only warns."""
        return self.framework.unknown_group_raises and not self.generation.has_registry

    def survey(self, otel: OtelView) -> Survey:
        """Everything that the libraries will say about the environment."""
        from lens_preflight.lens.survey import survey

        return survey(self, otel)

    @property
    def in_sight(self) -> LensConfig:
        """The same with every variable unset that nobody in sight sets."""
        return LensConfig(self.env.closed(), self.framework, self.generation)

    def load(self) -> None:
        """Go through ``from_env`` in its own order.

        Raises:
            LibraryFailure: the first value over which it raises.
            Undecided: a value is not known before start.
        """
        _ = (self.enabled, self.export_rank, self.export_sample_rate_text, self.sampler_enabled)
        _ = (self.traces_enabled, self.metrics_enabled, self.logs_enabled, self.export_sample_rate)

    @property
    def export_sample_rate_text(self) -> float:
        """The sample rate before its range is checked, which ``from_env`` does last."""
        return self._number("EXPORT_SAMPLE_RATE", 1.0, float)


def _rate(text: str) -> float:
    """A share from 0 to 1; ValueError otherwise, for nan as well."""
    value = float(text)
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"export_sample_rate must be in [0.0, 1.0], got {value}")
    return value
