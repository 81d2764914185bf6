"""The span-groups check: words per framework and generation, weight per purpose."""

from __future__ import annotations

import pytest

from lens_preflight.checks.span_groups import span_groups
from lens_preflight.core.variable import Environment
from lens_preflight.core.words import Status
from tests.making import outcome, rules

SPEC = "NEMO_LENS_SPAN_GROUPS"
STEPS = "per-step-unsampled"
RATIO = {"OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.05"}


@pytest.mark.parametrize(
    ("env", "inputs", "status", "reported"),
    [
        ({}, {}, Status.PASS, []),
        ({SPEC: "default"}, {}, Status.PASS, []),
        ({SPEC: "per-step"}, {}, Status.FAIL, ["unknown"]),
        ({SPEC: "default;step"}, {}, Status.FAIL, ["unknown"]),
        ({SPEC: ","}, {}, Status.FAIL, ["empty"]),
        ({SPEC: " "}, {}, Status.PASS, []),
        ({SPEC: "all"}, {}, Status.WARN, ["all"]),
        ({SPEC: "ALL"}, {"purpose": "production"}, Status.WARN, ["all"]),
        ({SPEC: "all"}, {"purpose": "debug"}, Status.PASS, []),
        ({SPEC: "per_step"}, {}, Status.WARN, ["per-step-unsampled"]),
        ({SPEC: "per_step"}, {"purpose": "debug"}, Status.PASS, []),
        ({SPEC: "per_step", **RATIO}, {"purpose": "profiling"}, Status.PASS, []),
        ({SPEC: "microbatch"}, {}, Status.FAIL, ["unknown"]),
        ({SPEC: "all", "NEMO_LENS_TRACES_ENABLED": "0"}, {}, Status.SKIP, []),
        ({"MEGATRON_OTEL_SPAN_GROUPS": "microbatch"}, {}, Status.PASS, []),
        ({"MEGATRON_OTEL_SPAN_GROUPS": "profiling"}, {"purpose": "profiling"}, Status.WARN, [STEPS]),
        ({"MEGATRON_OTEL_SPAN_GROUPS": "profiling"}, {"purpose": "production"}, Status.WARN, ["all"]),
        ({"NEMO_GYM_OTEL_SPAN_GROUPS": "per_step"}, {}, Status.WARN, ["not-registered"]),
    ],
)
def test_verdicts(env: dict[str, str], inputs: dict[str, str], status: Status, reported: list[str]) -> None:
    found = outcome(span_groups, env, lens="0.1", **inputs)
    assert (found.status, rules(found)) == (status, reported)


@pytest.mark.parametrize(("spec", "status"), [("default", Status.PASS), ("step", Status.UNKNOWN)])
def test_with_a_registry_the_program_decides_which_words_exist(spec: str, status: Status) -> None:
    assert outcome(span_groups, {SPEC: spec}, lens="nightly").status is status


def test_a_framework_with_a_registry_only_warns_about_an_unknown_word() -> None:
    found = outcome(span_groups, {"MEGATRON_OTEL_SPAN_GROUPS": "per-step"}, lens="nightly")
    assert rules(found) == ["not-registered"]
    assert found.findings[0].finding.settings == (("MEGATRON_OTEL_SPAN_GROUPS", "per_step"),)


def test_what_nobody_in_sight_sets_is_the_default() -> None:
    env = Environment(complete=False, opaque="it depends on who submits")
    assert outcome(span_groups, env, lens="0.1").status is Status.PASS
