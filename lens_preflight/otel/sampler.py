"""The sampler of the SDK: ``OTEL_TRACES_SAMPLER`` and its argument.

Source: opentelemetry-sdk 1.45.2, executed. Everything wrong falls back to sampling all.
"""

from __future__ import annotations

import enum

from lens_preflight.core.data import dataclass
from lens_preflight.core.variable import Environment, Variable

NAME = "OTEL_TRACES_SAMPLER"
ARGUMENT = "OTEL_TRACES_SAMPLER_ARG"
DEFAULT = "parentbased_always_on"
RATIO_WORDS = ("traceidratio", "parentbased_traceidratio")
WORDS = ("always_on", "always_off", "parentbased_always_on", "parentbased_always_off", *RATIO_WORDS)
"""Lower-cased and not trimmed before they are looked up."""


class Fault(enum.Enum):
    """Why the SDK took something else than what was asked."""

    UNKNOWN_WORD = "unknown word"
    """Warned about once; parentbased_always_on is used."""
    BAD_ARGUMENT = "bad argument"
    """Warned about once; the ratio is 1.0."""
    UNUSED_ARGUMENT = "unused argument"
    """Nothing reads it, nothing says so."""


@dataclass(frozen=True)
class Sampler:
    """The sampler that decides about root spans.

    ``word`` is the one in effect, ``asked`` the one written (None: unset). ``ratio`` is the share
    of root spans that are sampled, 0 to 1. ``parent_based``: a span with a remote or local parent
    follows it. ``fault`` says what was wrong with the variables.
    """

    word: str
    ratio: float
    parent_based: bool
    asked: str | None
    argument_from: Variable
    fault: Fault | None = None

    @property
    def by_ratio(self) -> bool:
        """True when a share of the traces is kept."""
        return self.word in RATIO_WORDS

    @property
    def description(self) -> str:
        """The text of the SDK's ``get_description()``."""
        roots = {"on": "AlwaysOnSampler", "off": "AlwaysOffSampler"}
        root = roots.get(self.word.rpartition("_")[2], f"TraceIdRatioBased{{{self.ratio}}}")
        if not self.parent_based:
            return root
        children = (
            ("remoteParentSampled", "AlwaysOnSampler"),
            ("remoteParentNotSampled", "AlwaysOffSampler"),
            ("localParentSampled", "AlwaysOnSampler"),
            ("localParentNotSampled", "AlwaysOffSampler"),
        )
        return f"ParentBased{{root:{root},{','.join(f'{name}:{kind}' for name, kind in children)}}}"


def sampler(env: Environment) -> Sampler:
    """The sampler that a tracer provider takes from the environment; never raises in the SDK.

    Raises:
        Undecided: the word, or the argument of a ratio sampler, is not known before start.
    """
    asked = env.text(NAME)
    word = DEFAULT if asked is None else asked.lower()
    fault = None if word in WORDS else Fault.UNKNOWN_WORD
    word = word if fault is None else DEFAULT
    ratio = 0.0 if word.endswith("_off") else 1.0
    if word in RATIO_WORDS:
        found = _ratio(env.text(ARGUMENT))
        fault = Fault.BAD_ARGUMENT if found is None else None
        ratio = 1.0 if found is None else found
    elif fault is None and _is_set(env):
        fault = Fault.UNUSED_ARGUMENT
    based = word.startswith("parentbased_")
    return Sampler(word, ratio, based, asked, env[ARGUMENT], fault)


def _is_set(env: Environment) -> bool:
    """Whether the argument has a text; one that is not known does not matter to the sampler."""
    return bool(env[ARGUMENT].value)


def _ratio(text: str | None) -> float | None:
    """The share that the SDK reads, None when it falls back to 1.0."""
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if 0.0 <= value <= 1.0 else None
