"""Span groups and their presets, and how a spec of them resolves.

Sources: nemo-lens 0.1.0 executed; the registry of the later generations, Megatron-LM, NeMo-RL,
NeMo-Gym and nvidia-resiliency-ext read.
"""

from __future__ import annotations

from collections.abc import Mapping

from lens_preflight.core.data import dataclass, field


@dataclass(frozen=True)
class Groups:
    """The groups that a library emits and the presets over them; ``all`` is always all of them."""

    names: frozenset[str]
    presets: Mapping[str, frozenset[str]] = field(hash=False)

    @property
    def known(self) -> tuple[str, ...]:
        """Every word that a spec may hold, presets first."""
        return (*self.presets, *sorted(self.names))


@dataclass(frozen=True)
class Resolved:
    """What a spec enables: ``groups``, the ``presets`` it names, and the words that are neither."""

    groups: frozenset[str]
    presets: tuple[str, ...]
    unknown: tuple[str, ...]


def resolve(spec: str, groups: Groups) -> Resolved:
    """Read a comma-separated, case-insensitive spec; empty items do not count.

    A spec without any item (``,``) enables nothing, without a word.
    """
    enabled: set[str] = set()
    presets: list[str] = []
    unknown: list[str] = []
    for word in (part.strip().lower() for part in spec.split(",") if part.strip()):
        if word in groups.presets:
            enabled |= groups.presets[word]
            presets.append(word)
        elif word in groups.names:
            enabled.add(word)
        else:
            unknown.append(word)
    return Resolved(frozenset(enabled), tuple(presets), tuple(unknown))


def _groups(all_but: str = "", **presets: str) -> Groups:
    """Groups from blank-separated words; ``all_but`` adds those that are in no other preset."""
    sets = {name: frozenset(words.split()) for name, words in presets.items()}
    everything = frozenset(all_but.split()).union(*sets.values())
    return Groups(everything, {**sets, "all": everything})


_CORE = "job checkpoint evaluate"
_TRAINING = "model_init load_checkpoint step forward_backward optimizer"

BASE = _groups(default=_CORE, per_step=f"{_CORE} {_TRAINING}")
"""What nemo-lens itself has, up to 0.2."""

EMPTY = Groups(frozenset(), {"all": frozenset()})
"""What nemo-lens itself has with a registry, before a library registers anything."""

_MEGATRON = f"{_CORE} first_iteration inference"
_MEGATRON_STEP = f"{_MEGATRON} {_TRAINING} communication data_loading"
_MEGATRON_ALL = f"{_MEGATRON_STEP} microbatch layer activation_offload trace_region"
MEGATRON = _groups(default=_MEGATRON, per_step=_MEGATRON_STEP, profiling=_MEGATRON_ALL)

_RL_STEP = (
    "checkpoint evaluate model_init setup step rollout generation logprob reward advantage "
    "policy_update reference_policy data_processing data_plane efficiency"
)
NEMO_RL = _groups("per_prompt", default=f"{_CORE} model_init setup", per_step=_RL_STEP)

_GYM = "startup server http_client rollout"
NEMO_GYM = _groups("sandbox", default=f"job {_GYM}", per_rollout=f"{_GYM} verify agent model_call")

_NVRX = "nvrx.job nvrx.ft nvrx.ckpt"
NVRX = _groups(default=_NVRX, per_step=f"{_NVRX} nvrx.ckpt.phases", profiling=f"{_NVRX} nvrx.ckpt.phases")
