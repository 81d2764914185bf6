from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.core.errors import InputError
from lens_preflight.core.variable import Environment
from lens_preflight.gate.merge import HOST_DEPENDENT
from lens_preflight.gate.options import GateSettings
from lens_preflight.gate.site import environment, host_dependent, per_node
from lens_preflight.registry import builtin


def test_the_ids_that_the_merge_knows_are_those_of_the_checks() -> None:
    there = {check.id for check in host_dependent(builtin())}
    assert there and there <= set(HOST_DEPENDENT)


def test_the_site_is_judged_by_its_settings_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://of-the-caller")
    file = tmp_path / "site.env"
    file.write_text("OTEL_EXPORTER_OTLP_HEADERS=authorization=x\nOTEL_EXPORTER_OTLP_PROTOCOL=grpc\n")
    settings = GateSettings(environment={"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}, env_file=str(file))
    found = environment(settings, "n1")
    assert {v.name: v.value for v in found} == {
        "NEMO_LENS_ENABLED": "1",
        "SLURMD_NODENAME": "n1",
        "OTEL_EXPORTER_OTLP_HEADERS": "authorization=x",
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
    }
    with pytest.raises(InputError):
        environment(GateSettings(env_file=str(tmp_path / "gone")), "n1")


@pytest.mark.parametrize(
    ("environ", "everything"),
    [
        ({}, True),
        ({"SLURM_JOB_ID": "1", "SLURM_NODEID": "1"}, True),
        ({"SLURM_STEP_ID": "0", "SLURM_NODEID": "0", "SLURM_STEP_NUM_NODES": "4"}, True),
        ({"SLURM_STEP_ID": "0", "SLURM_NODEID": "3", "SLURM_STEP_NUM_NODES": "4"}, False),
        ({"SLURM_STEP_ID": "0", "SLURM_NODEID": "0", "SLURM_STEP_NUM_NODES": "1"}, True),
    ],
)
def test_only_the_first_node_of_a_step_runs_what_is_the_same_everywhere(
    environ: dict[str, str], everything: bool
) -> None:
    chosen = per_node(builtin(), Environment.of(environ))
    assert (chosen == builtin()) is everything
    assert "otlp-endpoint" in [check.id for check in chosen]
