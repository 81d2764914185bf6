"""resource-attributes: rank and world size of this very process."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.resource_attributes import resource_attributes
from tests.program.scripts import FINALLY, GOOD, HEAD, asked, rules

PLACE = (
    "from nemo.lens.semconv import NV_DL_RANK, NV_DL_WORLD_SIZE\n"
    'rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])\n'
    "cfg = NemoLensConfig.from_env()\ncfg.enabled = cfg.enabled and rank == world - 1\n"
)
MAPPINGS = {
    "{NV_DL_RANK: rank, NV_DL_WORLD_SIZE: world}": ("pass", []),
    "{'nv.dl.rank': str(rank), 'nv.dl.world_size': world}": ("pass", []),
    "dict(zip((NV_DL_RANK, NV_DL_WORLD_SIZE), (rank, world)))": ("pass", []),
    "{NV_DL_RANK: rank}": ("warn", ["missing"]),
    "{'nv.dl.rank_id': rank, NV_DL_WORLD_SIZE: world}": ("warn", ["missing"]),
    "{NV_DL_RANK: int(os.environ['LOCAL_RANK']), NV_DL_WORLD_SIZE: world}": ("warn", ["wrong"]),
    "{NV_DL_RANK: rank, NV_DL_WORLD_SIZE: 16}": ("warn", ["wrong"]),
    "{'service.instance.id': 'me'}": ("note", ["instance-id"]),
    "trainlib.layout()": ("unknown", []),
    "None": ("warn", ["missing"]),
}


@pytest.mark.parametrize("mapping", sorted(MAPPINGS))
def test_mappings(tmp_path: Path, mapping: str) -> None:
    verdict, wanted = MAPPINGS[mapping]
    text = HEAD + PLACE + f"handle = setup_telemetry(cfg, resource_attributes={mapping})\n" + FINALLY
    answer = asked(tmp_path, resource_attributes, text, "nightly")
    assert (answer.verdict, rules(answer)) == (verdict, wanted)


def test_the_variable_counts_as_it_stands_at_the_call(tmp_path: Path) -> None:
    line = 'os.environ["OTEL_RESOURCE_ATTRIBUTES"] = f"nv.dl.rank={rank},nv.dl.world_size={world}"\n'
    call = "handle = setup_telemetry(cfg)\n"
    assert (
        asked(tmp_path, resource_attributes, HEAD + PLACE + line + call + FINALLY, "nightly").verdict
        == "pass"
    )
    late = asked(tmp_path, resource_attributes, HEAD + PLACE + call + line + FINALLY, "nightly")
    assert late.verdict == "warn"
    assert "train.py:9" in late.lines


def test_the_layout_on_spans(tmp_path: Path) -> None:
    text = (
        HEAD
        + PLACE
        + "handle = setup_telemetry(cfg, resource_attributes={NV_DL_RANK: rank, NV_DL_WORLD_SIZE: world})\n"
    )
    text += "try:\n    with handle.tracer.start_as_current_span('a') as span:\n"
    text += "        span.set_attribute('dl.tensor_parallel.size', 2)\n        trainlib.train()\n"
    text += "finally:\n    handle.shutdown()\n"
    answer = asked(tmp_path, resource_attributes, text, "nightly")
    assert rules(answer) == ["on-spans"]
    assert str(answer.findings[0].at) == "train.py:11"


def test_older_generations_do_it_themselves(tmp_path: Path) -> None:
    assert asked(tmp_path, resource_attributes, GOOD).reason.startswith("Skip")
