"""What panels leave out of their results, and when."""

from __future__ import annotations

from typing import Any

import pytest

from tests.dashboards.boards import classic, panel, read


def shown(**more: Any) -> tuple[list[str], bool]:
    """The queries that are shown of a panel with A and B, and whether they are far away in time."""
    board = read(classic(panel(1, "x", "megatron_training_loss", "megatron_training_grad_norm", **more)))
    refs = [target.ref for _, target, _ in board.queries]
    return refs, all("far offset" in use.within for _, _, query in board.queries for use in query.uses)


def by_ref(**options: str) -> dict[str, Any]:
    """The transformation that filters by the name of the query."""
    return {"id": "filterByRefId", "options": options}


@pytest.mark.parametrize(
    ("transformations", "refs"),
    [
        ([by_ref(include="A")], ["A"]),
        ([by_ref(include="A|B")], ["A", "B"]),
        ([by_ref(include="/^(?:A)$/")], ["A"]),
        ([by_ref(include="Z")], []),
        ([by_ref(exclude="A")], ["B"]),
        ([by_ref(include="/[/")], ["A", "B"]),
        ([by_ref(include="$shown")], ["A", "B"]),
        ([by_ref()], ["A", "B"]),
        ([{**by_ref(include="Z"), "disabled": True}], ["A", "B"]),
        ([{"id": "merge", "options": {}}, by_ref(include="Z")], ["A", "B"]),
        ([by_ref(include="A"), by_ref(include="B")], []),
        ("none", ["A", "B"]),
        ([None], ["A", "B"]),
    ],
)
def test_a_transformation_takes_queries_away(transformations: Any, refs: list[str]) -> None:
    assert shown(transformations=transformations)[0] == refs


@pytest.mark.parametrize(
    ("shift", "far"),
    [
        ("30d", True),
        ("2w", True),
        ("25h", True),
        ("1M", True),
        ("1d", False),
        ("1h", False),
        ("$s", False),
        (7, False),
    ],
)
def test_a_shift_beyond_a_day_shows_another_time(shift: Any, far: bool) -> None:
    assert shown(timeShift=shift)[1] is far
