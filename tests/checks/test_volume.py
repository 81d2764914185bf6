"""volume: the arithmetic, and tenfold as the threshold."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lens_preflight.checks.volume import volume
from lens_preflight.core.errors import Skip
from lens_preflight.core.variable import Environment
from lens_preflight.core.words import Status
from lens_preflight.core.world import World
from lens_preflight.lens.config import LensConfig
from lens_preflight.lens.frameworks import framework
from lens_preflight.otel.files import AllThere
from lens_preflight.otel.view import OtelView
from tests.checks.asking import Answer, Asked, ask
from tests.collector.configs import GOOD, edited, read


@dataclass(frozen=True)
class Launched(Asked):
    """A launch with an environment and a world, and no script."""

    variables: tuple[tuple[str, str], ...] = ()
    world: World | None = None
    framework_id: str = "megatron"

    @property
    def lens(self) -> LensConfig:
        """What Lens makes of the environment."""
        return LensConfig(Environment.of(dict(self.variables)), framework(self.framework_id), self.generation)

    @property
    def otel(self) -> OtelView:
        """What the SDK makes of it."""
        return OtelView(Environment.of(dict(self.variables)), self.generation, AllThere())

    @property
    def program(self) -> Any:
        """There is no script."""
        raise Skip("no script was given")


def say(size: int, config: Any = None, **variables: str) -> Answer:
    """What the check says of a world, all of which exports."""
    given = {"NEMO_LENS_ENABLED": "1", **variables}
    return ask(volume, Launched(variables=tuple(given.items()), world=World(size, 8), collector=config))


def test_the_default_groups_have_no_span_per_step() -> None:
    answer = say(1024)
    assert (answer.status, answer.reason) == (Status.PASS, "about 0 spans a second")


def test_the_arithmetic_is_shown_with_its_assumptions() -> None:
    answer = say(
        16,
        NEMO_LENS_SPAN_GROUPS="per_step",
        OTEL_TRACES_SAMPLER=("traceidratio"),
        OTEL_TRACES_SAMPLER_ARG=("0.5"),
    )
    assert dict(answer.evidence)["reckoned"] == (
        "16 ranks x 12 spans per step / 1 s x 0.5 sampled = 96 spans/s"
    )
    assert {a.what for a in answer.assumptions} == {
        "spans per step and rank",
        "seconds per step",
        ("exporting ranks"),
    }


def test_a_queue_that_bridges_seconds_warns(tmp_path: Path) -> None:
    small = read(tmp_path, edited("queue_size: 2000", "queue_size: 10"))
    answer = say(1024, small, NEMO_LENS_SPAN_GROUPS="per_step")
    finding = answer.one("collector-queue")
    assert "otlp/store" in finding.message and finding.evidence["queue"] == "10 batches x 512 spans = 5120"
    assert say(1024, read(tmp_path, GOOD), NEMO_LENS_SPAN_GROUPS="per_step").status is Status.PASS
    assert say(1, small, NEMO_LENS_SPAN_GROUPS="per_step").status is Status.PASS


def test_a_queue_in_memory_that_the_limiter_never_lets_fill_warns(tmp_path: Path) -> None:
    text = edited("{queue_size: 2000, storage: file_storage/q}", "{queue_size: 200000}")
    assert say(8, read(tmp_path, text), NEMO_LENS_SPAN_GROUPS="per_step").rules() == {"memory-limit"}


@pytest.mark.parametrize(("queue", "told"), [("64", {"sdk-queue"}), ("204800", set())])
def test_the_queue_of_the_sdk(queue: str, told: set[str]) -> None:
    answer = say(
        8, NEMO_LENS_SPAN_GROUPS=("all"), OTEL_BSP_MAX_QUEUE_SIZE=queue, OTEL_BSP_MAX_EXPORT_BATCH_SIZE=("64")
    )
    assert answer.rules() == told


def test_every_assumption_can_be_replaced() -> None:
    assumed: Any = SimpleNamespace(assume={"step_seconds": 4.0, "spans_per_step": 20.0})
    variables = (("NEMO_LENS_ENABLED", "1"),)
    answer = ask(volume, Launched(variables=variables, world=World(2, 2), settings=assumed))
    assert dict(answer.evidence)["reckoned"] == "2 ranks x 20 spans per step / 4 s x 1 sampled = 10 spans/s"
    assert {a.what for a in answer.assumptions} == {"exporting ranks"}


def test_without_traces_there_is_nothing_to_reckon() -> None:
    assert say(8, NEMO_LENS_TRACES_ENABLED="0").status is Status.SKIP
