"""setup_telemetry as a whole: who exports, in which order it raises, what the resource holds."""

from __future__ import annotations

from typing import Any

import pytest

from lens_preflight.core.errors import Harm, LibraryFailure
from lens_preflight.core.variable import Environment
from lens_preflight.lens.config import LensConfig
from lens_preflight.lens.frameworks import MEGATRON, PLAIN
from lens_preflight.lens.generations import generation
from lens_preflight.lens.setup import Setup
from lens_preflight.otel.files import MadeUpFiles

ON = {"NEMO_LENS_ENABLED": "1"}


def setup(env: dict[str, str], lens: str = "0.1", **options: Any) -> Setup:
    environment = Environment.of(env)
    return Setup(environment, LensConfig(environment, PLAIN, generation(lens)), MadeUpFiles(), **options)


def exporting(env: dict[str, str], world: int = 8, lens: str = "0.1") -> list[int]:
    return [r for r in range(world) if setup({**ON, **env}, lens, rank=r, world_size=world).is_exporting]


def test_who_exports() -> None:
    strategy = "NEMO_LENS_EXPORT_STRATEGY"
    assert exporting({}) == [7]
    assert exporting({"NEMO_LENS_EXPORT_RANK": "0"}) == [0]
    assert exporting({"NEMO_LENS_EXPORT_RANK": "9"}) == []
    assert exporting({strategy: "all_ranks"}) == list(range(8))
    assert 0 < len(exporting({strategy: "sampled", "NEMO_LENS_EXPORT_SAMPLE_RATE": "0.5"})) < 8
    assert exporting({strategy: "first_rank_per_node", "LOCAL_RANK": "1"}) == []
    assert exporting({}, lens="nightly") == list(range(8))


def test_a_strategy_is_looked_up_even_when_telemetry_is_off() -> None:
    with pytest.raises(LibraryFailure, match="no export strategy"):
        setup({"NEMO_LENS_EXPORT_STRATEGY": "bogus"}).run()
    setup({"NEMO_LENS_EXPORT_STRATEGY": "bogus"}, "nightly").run()


@pytest.mark.parametrize(
    ("env", "variable"),
    [
        ({"OTEL_EXPORTER_OTLP_TIMEOUT": "x", "OTEL_BSP_MAX_QUEUE_SIZE": "1"}, "OTEL_EXPORTER_OTLP_TIMEOUT"),
        ({"OTEL_BSP_MAX_QUEUE_SIZE": "1", "OTEL_METRIC_EXPORT_INTERVAL": "x"}, "OTEL_BSP_MAX_QUEUE_SIZE"),
        (
            {"OTEL_METRIC_EXPORT_INTERVAL": "x", "NEMO_LENS_SPAN_GROUPS": "x"},
            "OTEL_METRIC_EXPORT_INTERVAL",
        ),
        ({"NEMO_LENS_SPAN_GROUPS": "x"}, "NEMO_LENS_SPAN_GROUPS"),
        ({"NEMO_LENS_LOGS_ENABLED": "1", "OTEL_BLRP_MAX_QUEUE_SIZE": "1"}, "OTEL_BLRP_MAX_QUEUE_SIZE"),
        ({"NEMO_LENS_METRICS_ENABLED": "0", "OTEL_PYTHON_METER_PROVIDER": "x"}, "OTEL_PYTHON_METER_PROVIDER"),
        (
            {"NEMO_LENS_TRACES_ENABLED": "0", "OTEL_PYTHON_TRACER_PROVIDER": "x"},
            "OTEL_PYTHON_TRACER_PROVIDER",
        ),
    ],
)
def test_the_first_thing_that_raises_is_told(env: dict[str, str], variable: str) -> None:
    with pytest.raises(LibraryFailure) as caught:
        setup({**ON, **env}).run()
    assert (caught.value.variable, caught.value.harm) == (variable, Harm.RAISES)


def test_a_rank_that_does_not_export_notices_nothing() -> None:
    env = {**ON, "NEMO_LENS_SPAN_GROUPS": "x", "OTEL_EXPORTER_OTLP_TIMEOUT": "x"}
    setup(env, rank=0, world_size=8).run()


def test_attributes_of_lens_win_over_the_environment_and_slurm_over_the_caller() -> None:
    env = {
        **ON,
        "SLURM_JOB_ID": "7",
        "SLURM_NTASKS": "8",
        "OTEL_RESOURCE_ATTRIBUTES": "service.name=lost,nemo.run.id=lost,a=b",
    }
    found = setup(env, attributes={"slurm.ntasks": 1, "team": "x"}).resource
    assert found["service.name"] == "nemo"
    assert found["nemo.run.id"] == "7"
    assert found["a"] == "b"
    assert found["slurm.ntasks"] == "8"
    assert found["team"] == "x"
    assert (found["dl.rank"], found["service.instance.id"]) == (0, "7-rank0")


def test_without_ranks_in_the_library_the_rank_comes_from_an_attribute() -> None:
    env = {**ON, "NEMO_LENS_RUN_ID": "r", "OTEL_RESOURCE_ATTRIBUTES": "nv.dl.rank=3"}
    assert setup(env, "nightly").resource["service.instance.id"] == "r-rank3"
    assert "nv.dl.rank" not in setup({**ON, "NEMO_LENS_RUN_ID": "r"}, "nightly").resource


def test_kubernetes_names_the_pod_by_its_host_name_only_without_a_better_one() -> None:
    env = {**ON, "KUBERNETES_SERVICE_HOST": "10.0.0.1", "HOSTNAME": "pod-0"}
    assert setup(env).resource["k8s.pod.name"] == "pod-0"
    assert setup({**env, "K8S_POD_NAME": "named"}).resource["k8s.pod.name"] == "named"


def test_the_framework_decides_whether_an_unknown_group_raises() -> None:
    environment = Environment.of({"MEGATRON_OTEL_ENABLED": "1", "MEGATRON_OTEL_SPAN_GROUPS": "microbatch"})
    config = LensConfig(environment, MEGATRON, generation("0.1"))
    Setup(environment, config, MadeUpFiles()).run()
