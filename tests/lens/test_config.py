"""LensConfig: prefixes, defaults, raises, and one unknown variable that spoils only its own facts."""

from __future__ import annotations

import pytest

from lens_preflight.core.errors import LibraryFailure, Undecided
from lens_preflight.core.finding import Location
from lens_preflight.core.variable import Environment, Origin, Variable
from lens_preflight.core.words import State
from lens_preflight.lens.config import LensConfig
from lens_preflight.lens.frameworks import MEGATRON, NEMO_GYM, PLAIN, Framework
from lens_preflight.lens.generations import generation


def config(env: dict[str, str] | Environment, framework: Framework = PLAIN, lens: str = "0.1") -> LensConfig:
    environment = env if isinstance(env, Environment) else Environment.of(env)
    return LensConfig(environment, framework, generation(lens))


def test_a_prefixed_variable_shadows_the_fallback_unless_it_is_blank() -> None:
    both = {"MEGATRON_OTEL_ENABLED": "1", "NEMO_LENS_ENABLED": "0"}
    assert config(both, MEGATRON).enabled is True
    assert config({**both, "MEGATRON_OTEL_ENABLED": " "}, MEGATRON).enabled is False
    assert config(both).enabled is False


def test_where_names_the_variable_that_decides() -> None:
    found = config({"MEGATRON_OTEL_SPAN_GROUPS": "", "NEMO_LENS_SPAN_GROUPS": "all"}, MEGATRON)
    assert found.where("SPAN_GROUPS").name == "NEMO_LENS_SPAN_GROUPS"


def test_an_unknown_variable_makes_only_the_facts_that_read_it_undecided() -> None:
    at = Location.file("job.sh", 7)
    name = "NEMO_LENS_METRICS_ENABLED"
    env = Environment({name: Variable(name, State.UNKNOWN, origin=Origin("", at), reason="a branch")})
    found = config(env)
    assert (found.enabled, found.traces_enabled, found.span_groups) == (False, True, "default")
    with pytest.raises(Undecided) as caught:
        _ = found.metrics_enabled
    assert caught.value.at == at
    assert "a branch" in caught.value.reason


@pytest.mark.parametrize(
    ("env", "fact"),
    [
        ({"NEMO_LENS_ENABLED": "y"}, "enabled"),
        ({"NEMO_LENS_EXPORT_RANK": "0.0"}, "export_rank"),
        ({"NEMO_LENS_EXPORT_SAMPLE_RATE": "nan"}, "export_sample_rate"),
    ],
)
def test_a_text_that_raises_blames_the_variable_it_came_from(env: dict[str, str], fact: str) -> None:
    with pytest.raises(LibraryFailure) as caught:
        getattr(config(env), fact)
    assert caught.value.variable == next(iter(env))
    assert (caught.value.exception, caught.value.when) == ("ValueError", "from_env")


def test_the_blame_of_a_fallback_is_not_on_the_prefix() -> None:
    with pytest.raises(LibraryFailure) as caught:
        _ = config({"NEMO_LENS_ENABLED": "y"}, MEGATRON).enabled
    assert caught.value.variable == "NEMO_LENS_ENABLED"


def test_a_generation_without_ranks_reads_no_rank_settings() -> None:
    env = {"NEMO_LENS_EXPORT_RANK": "last", "NEMO_LENS_EXPORT_STRATEGY": "single_rank"}
    found = config(env, lens="nightly")
    assert (found.export_rank, found.export_strategy) == (-1, "all_ranks")


def test_signals_are_those_that_are_switched_on() -> None:
    env = {"NEMO_LENS_LOGS_ENABLED": "on", "NEMO_LENS_METRICS_ENABLED": "no"}
    assert config(env).signals == ("traces", "logs")


def test_gym_does_not_ask_the_common_prefix_for_the_run_id() -> None:
    env = {"NEMO_LENS_RUN_ID": "shared", "SLURM_JOB_ID": "7"}
    assert [r.value for r in config(env, NEMO_GYM).run_ids] == ["7"]
    assert [r.value for r in config(env, MEGATRON).run_ids] == ["shared"]


def test_in_sight_takes_what_nobody_sets_as_unset() -> None:
    env = Environment(complete=False, opaque="who submits")
    with pytest.raises(Undecided):
        _ = config(env).enabled
    assert config(env).in_sight.enabled is False
