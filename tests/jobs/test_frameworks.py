"""Flags and YAML of the frameworks, as the variables that they end up in."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.core.words import State
from tests.jobs.making import batch, only, seen

GRPO = "examples/run_grpo.py"
YAML = "telemetry:\n  enabled: true\n  span_groups: default\n  service_name: rl\n"


@pytest.mark.parametrize(
    ("command", "name", "expected"),
    [
        ("python pretrain_gpt.py --otel-enabled", "MEGATRON_OTEL_ENABLED", "1"),
        ("MEGATRON_OTEL_ENABLED=0 python pretrain_gpt.py --otel-enabled", "MEGATRON_OTEL_ENABLED", "1"),
        ("python pretrain_gpt.py --otel-span-groups per_step", "MEGATRON_OTEL_SPAN_GROUPS", "per_step"),
        ("python pretrain_gpt.py --otel-span-groups=all", "MEGATRON_OTEL_SPAN_GROUPS", "all"),
        ("python pretrain_gpt.py --otel-service-name x", "OTEL_SERVICE_NAME", "x"),
        ("python pretrain_gpt.py", "MEGATRON_OTEL_ENABLED", None),
        (f"python {GRPO} --config c.yaml", "NEMO_RL_OTEL_ENABLED", "1"),
        (f"uv run {GRPO} --config=c.yaml", "NEMO_RL_OTEL_SPAN_GROUPS", "default"),
        (f"NEMO_RL_OTEL_ENABLED=0 python {GRPO} --config c.yaml", "NEMO_RL_OTEL_ENABLED", "0"),
        (f"NEMO_LENS_ENABLED=0 python {GRPO} --config c.yaml", "NEMO_RL_OTEL_ENABLED", "1"),
        (f"python {GRPO} --config c.yaml", "OTEL_SERVICE_NAME", "rl"),
        (f"OTEL_SERVICE_NAME=mine python {GRPO} --config c.yaml", "OTEL_SERVICE_NAME", "mine"),
        (f"python {GRPO} --config c.yaml telemetry.enabled=false", "NEMO_RL_OTEL_ENABLED", "0"),
        (f"python {GRPO} --config c.yaml ++telemetry.span_groups=all", "NEMO_RL_OTEL_SPAN_GROUPS", "all"),
        (f"python {GRPO} --config sub/child.yaml", "NEMO_RL_OTEL_SPAN_GROUPS", "per_step"),
        (f"python {GRPO} --config sub/child.yaml", "NEMO_RL_OTEL_ENABLED", "1"),
        (f"python {GRPO} --config missing.yaml", "NEMO_RL_OTEL_ENABLED", None),
        (f"python {GRPO} --config broken.yaml", "NEMO_RL_OTEL_ENABLED", None),
        ("ng_run --config c.yaml", "NEMO_GYM_OTEL_ENABLED", None),
        ("python plain.py --otel-free --config c.yaml", "NEMO_RL_OTEL_ENABLED", None),
    ],
)
def test_setting(tmp_path: Path, command: str, name: str, expected: str | None) -> None:
    files = {
        "c.yaml": YAML,
        "sub/child.yaml": "defaults: ../c.yaml\ntelemetry:\n  span_groups: per_step\n",
        "broken.yaml": "telemetry: {",
    }
    prefix, _, rest = command.partition(" ") if "=" in command.partition(" ")[0] else ("", "", command)
    model = batch(tmp_path, f"{prefix} srun {rest}", files=files)
    if not model.launches:
        assert expected is None
        return
    assert seen(only(model).env[name]) == expected


def test_a_yaml_field_has_its_own_line(tmp_path: Path) -> None:
    launch = only(batch(tmp_path, f"srun python {GRPO} --config c.yaml", files={"c.yaml": YAML}))
    at = launch.env["NEMO_RL_OTEL_SPAN_GROUPS"].location
    assert (at.what, at.line) == (str(tmp_path / "c.yaml"), 3)


def test_the_launcher_does_not_see_them(tmp_path: Path) -> None:
    launch = only(batch(tmp_path, "srun torchrun --nnodes=2 pretrain_gpt.py --otel-enabled"))
    assert launch.framework.id == "megatron"
    assert launch.launcher_env["MEGATRON_OTEL_ENABLED"].state is State.UNSET
    assert launch.env["MEGATRON_OTEL_ENABLED"].location.line == 3


def test_the_driver_of_ray_hands_its_environment_on(tmp_path: Path) -> None:
    body = f"ray start --head\nexport OTEL_SERVICE_NAME=x\npython {GRPO}"
    assert batch(tmp_path, body).launches[-1].lost == ()


def test_an_open_submitter_leaves_the_yaml_in_force(tmp_path: Path) -> None:
    model = batch(tmp_path, f"srun python {GRPO} --config c.yaml", files={"c.yaml": YAML}, open_=True)
    variable = only(model).env["NEMO_RL_OTEL_ENABLED"]
    assert variable.value == "1" and "unless the submitter exports" in variable.reason


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("sed -i 's/enabled: true/enabled: false/' c.yaml", "?"),
        ("printf 'telemetry:\\n  enabled: false\\n' > c.yaml", "0"),
        ("sed -i s/a/b/ other.yaml; cp c.yaml saved.yaml", "1"),
    ],
)
def test_a_yaml_that_the_job_writes(before: str, expected: str, tmp_path: Path) -> None:
    model = batch(tmp_path, f"{before}\nsrun python {GRPO} --config c.yaml", files={"c.yaml": YAML})
    assert seen(only(model).env["NEMO_RL_OTEL_ENABLED"]) == expected
