"""The sampler check: words, arguments, nothing sampled, and who decides."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.sampler import sampler
from lens_preflight.core.variable import Environment
from lens_preflight.core.words import Status
from tests.making import outcome, rules

COLLECTOR = """
receivers: {otlp: {protocols: {grpc: {}}}}
processors: {tail_sampling/errors: {policies: [{name: e, type: always_sample}]}}
exporters: {otlp: {endpoint: "store:4317"}}
service: {pipelines: {traces: {receivers: [otlp], processors: [tail_sampling/errors], exporters: [otlp]}}}
"""
WORD, ARG = "OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG"


@pytest.mark.parametrize(
    ("env", "status", "reported"),
    [
        ({}, Status.WARN, ["unset"]),
        ({WORD: "parentbased_always_on"}, Status.PASS, []),
        ({WORD: "ALWAYS_ON"}, Status.PASS, []),
        ({WORD: " always_on"}, Status.FAIL, ["misspelt"]),
        ({WORD: ""}, Status.FAIL, ["misspelt"]),
        ({WORD: "traceidratiobased", ARG: "0.1"}, Status.FAIL, ["misspelt"]),
        ({WORD: "traceidratio"}, Status.FAIL, ["bad-argument"]),
        ({WORD: "traceidratio", ARG: "10%"}, Status.FAIL, ["bad-argument"]),
        ({WORD: "parentbased_traceidratio", ARG: "50"}, Status.FAIL, ["bad-argument"]),
        ({WORD: "parentbased_traceidratio", ARG: "nan"}, Status.FAIL, ["bad-argument"]),
        ({WORD: "parentbased_traceidratio", ARG: "1e-400"}, Status.FAIL, ["nothing-sampled"]),
        ({WORD: "parentbased_traceidratio", ARG: "1.0"}, Status.PASS, []),
        ({WORD: "traceidratio", ARG: "0.05"}, Status.WARN, ["root-span"]),
        ({WORD: "always_off"}, Status.FAIL, ["nothing-sampled"]),
        ({WORD: "parentbased_always_off"}, Status.FAIL, ["nothing-sampled"]),
        ({WORD: "always_off", "NEMO_LENS_TRACES_ENABLED": "0"}, Status.SKIP, []),
        ({WORD: "always_on", ARG: "0.5"}, Status.WARN, ["argument-unused"]),
        ({ARG: "0.5"}, Status.WARN, ["unset", "argument-unused"]),
        ({WORD: "always_off", "NEMO_LENS_SAMPLER_ENABLED": "1"}, Status.WARN, ["replaced"]),
        ({"NEMO_LENS_SAMPLER_ENABLED": "1"}, Status.PASS, []),
        (
            {"NEMO_LENS_SAMPLER_ENABLED": "1", "NEMO_LENS_EXPORT_SAMPLE_RATE": "0"},
            Status.FAIL,
            ["nothing-sampled"],
        ),
    ],
)
def test_verdicts(env: dict[str, str], status: Status, reported: list[str]) -> None:
    found = outcome(sampler, env, lens="0.1")
    assert (found.status, rules(found)) == (status, reported)


@pytest.mark.parametrize(("groups", "status"), [("step,optimizer", Status.PASS), ("per_step", Status.WARN)])
def test_a_ratio_is_fine_without_a_job_long_span(groups: str, status: Status) -> None:
    env = {WORD: "parentbased_traceidratio", ARG: "0.05", "NEMO_LENS_SPAN_GROUPS": groups}
    assert outcome(sampler, env, lens="0.1").status is status


def test_the_remedy_of_a_ratio_leaves_the_job_span_out_and_tells_the_probability() -> None:
    env = {WORD: "parentbased_traceidratio", ARG: "0.05", "NEMO_LENS_SPAN_GROUPS": "default"}
    (judged,) = outcome(sampler, env, lens="0.1").findings
    assert "95 %" in judged.finding.message
    assert judged.finding.settings == (("NEMO_LENS_SPAN_GROUPS", "checkpoint,evaluate"),)


def test_a_percentage_is_turned_into_the_share_that_was_meant() -> None:
    (judged,) = outcome(sampler, {WORD: "traceidratio", ARG: "10%"}).findings
    assert judged.finding.settings == ((ARG, "0.1"),)


def test_lens_without_ranks_does_not_know_the_sampler_by_rank() -> None:
    env = {WORD: "always_off", "NEMO_LENS_SAMPLER_ENABLED": "1"}
    assert rules(outcome(sampler, env, lens="nightly")) == ["nothing-sampled"]


def test_who_submits_may_name_the_sampler() -> None:
    env = Environment(complete=False, opaque="it depends on who submits")
    found = outcome(sampler, env)
    assert (found.status, rules(found)) == (Status.WARN, ["left-to-submitter"])


def test_evidence_names_the_three_layers() -> None:
    evidence = outcome(sampler, {WORD: "always_on"}, lens="0.1").evidence
    assert [name.partition(",")[0] for name in evidence] == ["layer 1", "layer 2", "layer 3"]
    assert "AlwaysOnSampler" in evidence["layer 2, sampler"]
    assert evidence["layer 3, collector"] == "not given (--collector-config)"


def test_the_third_layer_is_the_collectors(tmp_path: Path) -> None:
    file = tmp_path / "otel.yaml"
    file.write_text(COLLECTOR)
    found = outcome(sampler, {WORD: "always_on"}, lens="0.1", collector=(str(file),))
    assert found.evidence["layer 3, collector"] == "tail_sampling/errors"
