"""Every run id that may come out, by state and spread of the variables."""

from __future__ import annotations

import pytest

from lens_preflight.core.errors import Undecided
from lens_preflight.core.variable import Environment, Variable
from lens_preflight.core.words import Spread, State
from lens_preflight.lens.run_id import RunId, Source, run_id, run_ids

NAMES = ("MEGATRON_OTEL_RUN_ID", "NEMO_LENS_RUN_ID")


def found(*variables: Variable, complete: bool = True) -> list[tuple[Source, str | None]]:
    env = Environment({v.name: v for v in variables}, complete)
    return [(r.source, r.value) for r in run_ids(env, NAMES)]


def known(name: str, value: str) -> Variable:
    return Variable(name, State.VALUE, value)


def test_the_first_that_is_not_blank_wins_and_is_trimmed() -> None:
    assert found(known(NAMES[0], " "), known(NAMES[1], " r ")) == [(Source.SETTING, "r")]


def test_the_job_id_is_not_trimmed() -> None:
    assert found(known("SLURM_JOB_ID", " ")) == [(Source.SLURM, " ")]
    assert found(known("SLURM_JOB_ID", "")) == [(Source.RANDOM, None)]


def test_a_variable_that_is_provided_counts_as_set() -> None:
    assert found(Variable("SLURM_JOB_ID", State.PROVIDED)) == [(Source.SLURM, None)]


def test_a_variable_that_may_be_set_leaves_two_possibilities() -> None:
    open_ = Variable(NAMES[1], State.UNKNOWN)
    assert found(open_, known("SLURM_JOB_ID", "7")) == [(Source.SETTING, None), (Source.SLURM, "7")]
    assert found(complete=False)[-1] == (Source.RANDOM, None)


def test_a_text_made_for_each_process_is_certainly_set() -> None:
    per_task = Variable(NAMES[1], State.UNKNOWN, spread=Spread.TASK)
    (only,) = run_ids(Environment({per_task.name: per_task}), NAMES)
    assert only.per_process


def test_a_driver_makes_one_up_for_all() -> None:
    one: RunId = run_id(Environment(), NAMES, "NEMO_RL_OTEL_RUN_ID")
    assert (one.is_random, one.per_process) == (True, False)
    assert run_id(Environment(), NAMES).per_process


def test_one_run_id_is_undecided_when_there_are_several() -> None:
    with pytest.raises(Undecided):
        run_id(Environment(complete=False, opaque="who submits"), NAMES)
