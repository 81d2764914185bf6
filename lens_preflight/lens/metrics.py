"""The metrics that NeMo libraries record, by the panel family that they belong to.

Sources: the instrument modules of nemo-lens 0.1.0 and 0.2.0; Megatron-LM's training metrics of
August 2026. Names are OpenTelemetry names; what a backend makes of them is the dashboards' business.
"""

from __future__ import annotations

import enum

from lens_preflight.core.data import dataclass


class Family(enum.Enum):
    """The four panels that the checklist asks for."""

    STEP_DURATION = "step duration"
    LOSS = "loss"
    THROUGHPUT = "throughput"
    GRADIENT_NORM = "gradient norm"


class Instrument(enum.Enum):
    """How a metric is recorded."""

    GAUGE = "gauge"
    COUNTER = "counter"
    HISTOGRAM = "histogram"


@dataclass(frozen=True)
class Metric:
    """One metric: its OpenTelemetry name and unit (empty: none), and the family it answers for.

    ``rate`` says that the family is seen in the rate of its count or sum, not in the value.
    """

    name: str
    unit: str
    instrument: Instrument
    family: Family | None = None
    rate: bool = False


def _gauge(name: str, family: Family | None = None, unit: str = "") -> Metric:
    return Metric(name, unit, Instrument.GAUGE, family)


def _histogram(name: str, unit: str, family: Family | None = None) -> Metric:
    return Metric(name, unit, Instrument.HISTOGRAM, family)


MEGATRON = (
    _histogram("megatron.training.step_duration_ms", "ms", Family.STEP_DURATION),
    _gauge("megatron.training.loss", Family.LOSS),
    _gauge("megatron.training.throughput_tflops", Family.THROUGHPUT),
    _gauge("megatron.training.tokens_per_sec", Family.THROUGHPUT),
    _gauge("megatron.training.grad_norm", Family.GRADIENT_NORM),
    _gauge("megatron.training.learning_rate"),
    _gauge("megatron.training.memory_allocated_gb"),
    Metric("megatron.training.skipped_iters", "", Instrument.COUNTER),
)

RL = (
    _histogram("rl.generation.duration_ms", "ms", Family.STEP_DURATION),
    _histogram("rl.rollout.duration_ms", "ms", Family.STEP_DURATION),
    _gauge("rl.policy_loss", Family.LOSS),
    _gauge("rl.value_loss", Family.LOSS),
    _gauge("rl.throughput.tokens_per_sec", Family.THROUGHPUT, "{token}/s"),
    _gauge("rl.grad_norm", Family.GRADIENT_NORM),
    _gauge("rl.learning_rate"),
    _gauge("rl.reward.mean"),
    _gauge("rl.kl_divergence"),
    _gauge("rl.entropy"),
    _gauge("rl.response_length.mean"),
)

GYM = (
    _histogram("gym.rollout.duration_ms", "ms", Family.STEP_DURATION),
    _histogram("gym.server.request_duration_ms", "ms", Family.STEP_DURATION),
    _histogram("gym.verify.duration_ms", "ms", Family.STEP_DURATION),
    Metric("gym.rollout.duration_ms", "ms", Instrument.HISTOGRAM, Family.THROUGHPUT, rate=True),
    Metric("gym.server.request_duration_ms", "ms", Instrument.HISTOGRAM, Family.THROUGHPUT, rate=True),
    _gauge("gym.verify.success_rate"),
    _gauge("gym.servers.active"),
)

INFERENCE = (
    _histogram("gen_ai.server.request.duration", "s", Family.STEP_DURATION),
    Metric("gen_ai.client.token.usage", "{token}", Instrument.HISTOGRAM, Family.THROUGHPUT, rate=True),
)

METRICS = {"megatron": MEGATRON, "nemo-rl": RL, "nemo-gym": GYM, "nvrx": (), "inference": INFERENCE}
"""Framework id to the metrics that it records; a plain program records what its author chose."""


def families(framework: str) -> frozenset[Family]:
    """The families that a framework can fill; all four for a program of one's own."""
    recorded = METRICS.get(framework)
    if recorded is None:
        return frozenset(Family)
    return frozenset(m.family for m in recorded if m.family is not None)
