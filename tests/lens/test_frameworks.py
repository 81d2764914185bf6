"""Framework profiles: which command belongs to which, and what their presets hold."""

from __future__ import annotations

import pytest

from lens_preflight.lens.frameworks import FRAMEWORKS, PLAIN, detect, framework
from lens_preflight.lens.groups import BASE, EMPTY, resolve
from lens_preflight.lens.metrics import Family, families


@pytest.mark.parametrize(
    ("program", "args", "module", "id"),
    [
        ("train.py", (), None, "plain"),
        ("/opt/mcore/pretrain_gpt.py", (), None, "megatron"),
        ("main.py", ("--otel-enabled",), None, "megatron"),
        ("examples/run_grpo.py", (), None, "nemo-rl"),
        (None, (), "nemo_gym.cli", "nemo-gym"),
        ("ng_run", (), None, "nemo-gym"),
        ("ft_launcher", (), None, "nvrx"),
        (None, (), None, "plain"),
    ],
)
def test_detection(program: str | None, args: tuple[str, ...], module: str | None, id: str) -> None:
    assert detect(program, args, module).id == id


def test_detection_by_imports() -> None:
    assert detect("train.py", imports=("torch", "megatron.core")).id == "megatron"
    assert detect("train.py", imports=("megatronish",)) is PLAIN


def test_every_framework_can_be_found_by_its_id() -> None:
    assert [framework(f.id) for f in FRAMEWORKS] == list(FRAMEWORKS)
    with pytest.raises(KeyError):
        framework("nemo")


def test_the_default_preset_has_a_job_span_and_the_one_per_step_of_rl_has_not() -> None:
    rl, gym = framework("nemo-rl").groups, framework("nemo-gym").groups
    assert rl is not None
    assert gym is not None
    assert "job" in rl.presets["default"]
    assert "job" not in rl.presets["per_step"]
    assert "job" not in gym.presets["per_rollout"]
    assert rl.presets["all"] == rl.names


@pytest.mark.parametrize(
    ("spec", "groups", "unknown"),
    [
        ("default", {"job", "checkpoint", "evaluate"}, ()),
        (" STEP , job", {"step", "job"}, ()),
        (",", set(), ()),
        ("none", set(), ("none",)),
        ("default;step", set(), ("default;step",)),
    ],
)
def test_specs_resolve(spec: str, groups: set[str], unknown: tuple[str, ...]) -> None:
    found = resolve(spec, BASE)
    assert (set(found.groups), found.unknown) == (groups, unknown)


def test_without_a_registered_library_only_the_word_all_is_known() -> None:
    assert resolve("all", EMPTY).unknown == ()
    assert resolve("default", EMPTY).unknown == ("default",)


def test_families_of_a_framework() -> None:
    assert families("megatron") == frozenset(Family)
    assert Family.LOSS not in families("nemo-gym")
    assert families("plain") == frozenset(Family)
    assert families("nvrx") == frozenset()
