"""The run-id check: one value for all processes, by state and spread of the variables."""

from __future__ import annotations

from typing import Any

import pytest

from lens_preflight.checks.run_id import run_id
from lens_preflight.core.finding import Location
from lens_preflight.core.variable import Environment, Origin, Variable
from lens_preflight.core.words import Spread, State, Status
from tests.making import outcome, rules

NAME, SLURM = "NEMO_LENS_RUN_ID", "SLURM_JOB_ID"
OPEN = "it depends on who submits"


def variable(name: str, state: State, spread: Spread = Spread.JOB, value: str | None = None) -> Variable:
    return Variable(name, state, value, Origin("line 3", Location.file("job.sh", 3)), spread, "made at start")


def environment(*variables: Variable, complete: bool = True) -> Environment:
    return Environment({v.name: v for v in variables}, complete, "" if complete else OPEN)


@pytest.mark.parametrize(
    ("env", "world", "status", "reported"),
    [
        ({NAME: "llama-2026"}, 8, Status.PASS, []),
        ({NAME: " llama-2026 "}, 8, Status.PASS, []),
        ({NAME: "", SLURM: "77"}, 8, Status.PASS, []),
        ({SLURM: "77"}, 8, Status.PASS, []),
        ({SLURM: " "}, 8, Status.FAIL, ["unusable"]),
        ({SLURM: " 77"}, 8, Status.WARN, ["characters"]),
        ({NAME: "a b"}, 8, Status.WARN, ["characters"]),
        ({NAME: "exp/7"}, 8, Status.WARN, ["characters"]),
        ({NAME: "a\nb"}, 8, Status.FAIL, ["unusable"]),
        ({NAME: "x" * 200}, 8, Status.WARN, ["characters"]),
        ({}, 8, Status.FAIL, ["per-process"]),
        ({}, 1, Status.WARN, ["random"]),
        ({}, None, Status.UNKNOWN, ["random"]),
        ({"NEMO_RL_OTEL_ENABLED": "1"}, 8, Status.WARN, ["random"]),
        ({"MEGATRON_OTEL_RUN_ID": "m", NAME: "n"}, 8, Status.PASS, []),
        ({"NEMO_GYM_OTEL_ENABLED": "1", NAME: "n"}, 8, Status.WARN, ["shadowed", "random"]),
        ({NAME: "r", "OTEL_RESOURCE_ATTRIBUTES": "nemo.run.id=x"}, 8, Status.WARN, ["overridden"]),
    ],
)
def test_known_texts(env: dict[str, str], world: int | None, status: Status, reported: list[str]) -> None:
    found = outcome(run_id, env, world_size=world)
    assert (found.status, rules(found)) == (status, reported)


@pytest.mark.parametrize(
    ("env", "status", "reported"),
    [
        (environment(variable(SLURM, State.PROVIDED)), Status.PASS, []),
        (environment(variable(NAME, State.PROVIDED)), Status.PASS, []),
        (environment(variable(NAME, State.PROVIDED, Spread.NODE)), Status.FAIL, ["differs"]),
        (environment(variable(NAME, State.UNKNOWN, Spread.TASK)), Status.FAIL, ["differs"]),
        (environment(variable(NAME, State.UNKNOWN, Spread.NODE)), Status.FAIL, ["differs"]),
        (environment(variable(NAME, State.UNKNOWN, Spread.RUN)), Status.PASS, ["not-stable"]),
        (
            environment(variable(NAME, State.UNKNOWN), variable(SLURM, State.PROVIDED)),
            Status.PASS,
            ["left-to-submitter"],
        ),
        (environment(variable(NAME, State.UNKNOWN)), Status.UNKNOWN, []),
        (environment(variable(NAME, State.VALUE, value="campaign")), Status.PASS, ["constant"]),
        (environment(variable(SLURM, State.PROVIDED), complete=False), Status.PASS, ["left-to-submitter"]),
        (environment(variable(NAME, State.VALUE, value="r"), complete=False), Status.PASS, ["constant"]),
        (environment(complete=False), Status.UNKNOWN, []),
        (environment(variable(SLURM, State.UNSET)), Status.FAIL, ["per-process"]),
    ],
)
def test_states_and_spreads(env: Environment, status: Status, reported: list[str]) -> None:
    found = outcome(run_id, env, world_size=16)
    assert (found.status, rules(found)) == (status, reported)


def test_a_text_that_differs_is_fine_for_a_single_process() -> None:
    env = environment(variable(NAME, State.UNKNOWN, Spread.TASK))
    assert outcome(run_id, env, world_size=1).status is Status.PASS


def test_the_finding_points_at_the_line_that_sets_it_and_the_remedy_can_be_typed() -> None:
    env = environment(variable(NAME, State.UNKNOWN, Spread.TASK), variable(SLURM, State.PROVIDED))
    (judged,) = outcome(run_id, env, world_size=16).findings
    assert str(judged.finding.at) == "job.sh:3"
    assert judged.finding.remedy.startswith("export NEMO_LENS_RUN_ID=my-run-${SLURM_JOB_ID}")


def test_the_link_that_drops_the_job_id_is_named() -> None:
    lost = Variable(SLURM, State.UNSET, origin=Origin("", Location.file("job.sh", 9)), reason="--cleanenv")
    (judged,) = outcome(run_id, environment(lost), world_size=16).findings
    (related,) = judged.finding.related
    assert "--cleanenv" in related.text
    assert related.at.line == 9


def test_a_misspelt_name_is_where_the_run_id_was_lost() -> None:
    slip = variable("NEMO_LENS_RUN_NAME", State.VALUE, value="llama")
    (judged,) = outcome(run_id, environment(slip), world_size=16).findings
    assert (judged.finding.rule.name, str(judged.finding.at)) == ("per-process", "job.sh:3")
    assert "NEMO_LENS_RUN_NAME" in judged.finding.message


def made(**inputs: Any) -> list[tuple[str, str | None]]:
    (judged,) = outcome(run_id, {"MEGATRON_OTEL_ENABLED": "1"}, **inputs).findings
    return list(judged.finding.settings)


def test_the_remedy_names_the_variable_of_the_framework() -> None:
    assert made(world_size=8)[0][0] == "MEGATRON_OTEL_RUN_ID"
