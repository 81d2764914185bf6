"""Environments are total, and never turn what is not known into a text."""

from __future__ import annotations

import pytest

from lens_preflight.core.errors import Undecided
from lens_preflight.core.finding import Location
from lens_preflight.core.variable import Environment, Origin, Variable
from lens_preflight.core.words import Spread, State


def test_a_name_not_seen_is_unset_in_a_complete_environment() -> None:
    env = Environment.of({"A": "1"})
    assert env["B"].state is State.UNSET
    assert env.text("B") is None
    assert not env.given("B")


def test_a_name_not_seen_is_unknown_behind_an_opaque_line() -> None:
    env = Environment({}, complete=False, opaque="source site.sh", opaque_at=Location.file("job.sh", 4))
    assert env["B"].state is State.UNKNOWN
    with pytest.raises(Undecided, match=r"source site\.sh") as caught:
        env.text("B")
    assert str(caught.value.at) == "job.sh:4"


def test_a_provided_variable_is_given_but_has_no_text() -> None:
    provided = Variable("SLURM_JOB_ID", State.PROVIDED, reason="Slurm sets it", spread=Spread.JOB)
    env = Environment({"SLURM_JOB_ID": provided})
    assert env.given("SLURM_JOB_ID")
    with pytest.raises(Undecided, match="Slurm sets it"):
        env.text("SLURM_JOB_ID")


def test_later_variables_win() -> None:
    env = Environment.of({"A": "1", "B": "2"}).over([Variable("A", State.UNSET, origin=Origin("unset"))])
    assert env.text("A") is None
    assert env.text("B") == "2"


@pytest.mark.parametrize(
    ("state", "value"), [(State.UNSET, "x"), (State.UNKNOWN, ""), (State.PROVIDED, "1"), (State.VALUE, None)]
)
def test_a_value_goes_with_the_state_value_only(state: State, value: str | None) -> None:
    with pytest.raises(ValueError, match="A: a value goes with"):
        Variable("A", state, value)
