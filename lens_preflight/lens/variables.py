"""Which environment variables are known, and which one a mistyped name was meant to be."""

from __future__ import annotations

import enum
from functools import cached_property

from lens_preflight.core.data import dataclass
from lens_preflight.lens.frameworks import FRAMEWORKS, Framework
from lens_preflight.lens.generations import RANK_SETTINGS, SETTINGS, Generation
from lens_preflight.otel import names as otel_names

PREFIXES = tuple(dict.fromkeys(f.prefix for f in FRAMEWORKS))
"""Every prefix that some framework reads, the common one first."""

UNPREFIXED = (
    "WANDB_ENTITY",
    "WANDB_PROJECT",
    "DEPLOYMENT_ENV",
    "ENVIRONMENT",
    "LENS_SLURM_SLUID",
    "LENS_SLURM_ARRAY_SLUID",
)

MEANT = {
    "SERVICE_NAME": "OTEL_SERVICE_NAME",
    "ENDPOINT": "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTLP_ENDPOINT": "OTEL_EXPORTER_OTLP_ENDPOINT",
    "PROTOCOL": "OTEL_EXPORTER_OTLP_PROTOCOL",
    "HEADERS": "OTEL_EXPORTER_OTLP_HEADERS",
    "SAMPLER": "OTEL_TRACES_SAMPLER",
    "TRACES_SAMPLER": "OTEL_TRACES_SAMPLER",
    "SAMPLER_ARG": "OTEL_TRACES_SAMPLER_ARG",
    "RESOURCE_ATTRIBUTES": "OTEL_RESOURCE_ATTRIBUTES",
    "RUN_NAME": "{prefix}_RUN_ID",
    "RUNID": "{prefix}_RUN_ID",
    "USER": "{prefix}_USER_ID",
    "USERNAME": "{prefix}_USER_ID",
    "TELEMETRY_ENABLED": "{prefix}_ENABLED",
    "STRATEGY": "{prefix}_EXPORT_STRATEGY",
    "RANK_STRATEGY": "{prefix}_EXPORT_STRATEGY",
    "SAMPLING_STRATEGY": "{prefix}_SAMPLER_ENABLED",
    "SAMPLE_RATE": "{prefix}_EXPORT_SAMPLE_RATE",
    "RANK": "{prefix}_EXPORT_RANK",
    "GROUPS": "{prefix}_SPAN_GROUPS",
}
"""Keys that people write behind a prefix of Lens (or ``OTEL``), and what does what they mean."""


class Standing(enum.Enum):
    """What a variable is to a process of the launch."""

    READ = "read"
    OTHER_GENERATION = "other generation"
    """Lens reads it, but not this generation."""
    OTHER_FRAMEWORK = "other framework"
    """It carries the prefix of a framework that this program does not belong to."""
    WITHOUT_EFFECT = "without effect"
    """It exists, and nothing here reads it."""
    UNKNOWN = "unknown"
    """It looks like one of ours, and nothing reads it anywhere."""
    FOREIGN = "foreign"
    """It is none of our business."""


@dataclass(frozen=True)
class Verdict:
    """What is known about a name; ``meant`` is the variable it was probably meant to be, or empty.

    ``sure``: the name differs from ``meant`` by a slip of the keyboard, one word, or its case.
    """

    standing: Standing
    meant: str = ""
    sure: bool = False
    why: str = ""


@dataclass(frozen=True)
class Catalogue:
    """The variables that a program of a framework reads under a generation of Lens."""

    framework: Framework
    generation: Generation

    @cached_property
    def read(self) -> frozenset[str]:
        """Every name that is read."""
        lens = {f"{p}_{key}" for p in self.framework.prefixes for key in self.generation.settings}
        return frozenset(lens | otel_names.READ | set(self.framework.env_only) | set(UNPREFIXED))

    @cached_property
    def _everywhere(self) -> frozenset[str]:
        lens = {f"{p}_{key}" for p in PREFIXES for key in (*SETTINGS, *RANK_SETTINGS)}
        own = {name for f in FRAMEWORKS for name in f.env_only}
        return self.read | lens | own | set(otel_names.WITHOUT_EFFECT)

    def verdict(self, name: str) -> Verdict:
        """What a variable of this name is to the program."""
        if name in self.read:
            return Verdict(Standing.READ)
        prefix = next((p for p in PREFIXES if name.startswith(f"{p}_")), "")
        key = name.removeprefix(f"{prefix}_") if prefix else ""
        if prefix and key in (*SETTINGS, *RANK_SETTINGS):
            if prefix not in self.framework.prefixes:
                return Verdict(Standing.OTHER_FRAMEWORK, f"{self.framework.prefix}_{key}")
            return Verdict(Standing.OTHER_GENERATION)
        if any(name in f.env_only for f in FRAMEWORKS):
            return Verdict(Standing.OTHER_FRAMEWORK)
        if name in otel_names.WITHOUT_EFFECT:
            return Verdict(Standing.WITHOUT_EFFECT, why=otel_names.WITHOUT_EFFECT[name])
        return self._unknown(name, prefix, key)

    def _unknown(self, name: str, prefix: str, key: str) -> Verdict:
        """A name that nobody reads: a slip, a misconception, a helper of the script, or not ours."""
        upper = name.upper()
        ours = upper.startswith(("OTEL_", *(f"{p}_" for p in PREFIXES)))
        if upper != name and upper in self._everywhere:
            return Verdict(Standing.UNKNOWN, upper, sure=True)
        if near := self._near(upper, ours):
            return Verdict(Standing.UNKNOWN, near, sure=True)
        key = key or (upper.removeprefix("OTEL_") if upper.startswith("OTEL_") else "")
        if key in MEANT:
            meant = MEANT[key].format(prefix=prefix or "NEMO_LENS")
            if meant in self.read:
                return Verdict(Standing.UNKNOWN, meant, sure=bool(prefix))
        if not ours or upper.startswith(otel_names.ELSEWHERE):
            return Verdict(Standing.FOREIGN)
        return Verdict(Standing.UNKNOWN)

    def _near(self, name: str, ours: bool) -> str:
        """The known name within two slips of the keyboard or, for our prefixes, one word.

        What is read here comes first.
        """
        if len(name) < 8 or not name.startswith(("OT", "NEMO", "NEM", "LENS", "MEGATRON_OT", "OLTP")):
            return ""
        ranked = sorted((_slips(name, k), k not in self.read, k) for k in self._everywhere)
        if ranked and ranked[0][0] <= 2:
            return ranked[0][2]
        if not ours:
            return ""
        words = name.split("_")
        return next((k for k in sorted(self.read) if _one_word_apart(words, k.split("_"))), "")


def _one_word_apart(one: list[str], other: list[str]) -> bool:
    """True when the longer list is the shorter one with one word more, and both end alike."""
    short, long = sorted((one, other), key=len)
    if len(long) != len(short) + 1 or len(short) < 3 or short[-1] != long[-1]:
        return False
    return any(long[:i] + long[i + 1 :] == short for i in range(len(long)))


def _slips(one: str, other: str, most: int = 2) -> int:
    """Edits (replace, drop, add, swap neighbours) between two words; ``most + 1`` for more."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        ahead = [i]
        for j, b in enumerate(other, 1):
            cost = min(row[j] + 1, ahead[j - 1] + 1, row[j - 1] + (a != b))
            if before and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            ahead.append(cost)
        if min(ahead) > most:
            return most + 1
        before, row = row, ahead
    return min(row[-1], most + 1)
