"""Joins of values, of objects and of states."""

from __future__ import annotations

from lens_preflight.program.joins import joined, merge, merge_pair
from lens_preflight.program.state import Cell, Facts, Site, State
from lens_preflight.program.values import Choice, Const, Lanes, Unknown, Value


def test_lanes_of_different_length() -> None:
    short, long = Lanes((Const(1),)), Lanes((Const(1), None, Const(3)))
    for found in (joined(short, long), joined(long, short)):
        assert isinstance(found, Lanes)
        assert len(found.parts) == 3
        assert found.parts[0] == Const(1)
        assert found.parts[1] is None


def states(first: Value, second: Value) -> tuple[State, State]:
    """Two states of the same lanes that give one object's attribute a value each."""
    a = State(1, {})
    a.add(1, Cell("module", {"x": Const("before"), "y": Const(2)}))
    b = a.fork()
    a.edit(1).attrs["x"] = first
    b.edit(1).attrs["x"] = second
    return a, b


def test_an_object_that_both_sides_wrote_alike_is_one_object() -> None:
    value = Unknown()
    a, b = states(value, value)
    before = a.heap[1]
    assert merge_pair(a, b).heap[1] is before


def test_an_object_that_differs_is_a_new_one_and_a_later_write_reaches_neither_side() -> None:
    a, b = states(Const(1), Const(2))
    both = merge_pair(a, b)
    assert both.heap[1].attrs == {"x": Choice((Const(1), Const(2))), "y": Const(2)}
    both.edit(1).attrs["y"] = Const(3)
    assert (a.heap[1].attrs["y"], b.heap[1].attrs["y"]) == (Const(2), Const(2))


def test_a_write_after_a_join_that_kept_an_object_reaches_neither_side() -> None:
    value = Const(7)
    a, b = states(value, value)
    both = merge_pair(a, b)
    both.edit(1).attrs["x"] = Const(8)
    assert (a.heap[1].attrs["x"], b.heap[1].attrs["x"]) == (value, value)


def test_lists_of_different_length_are_open() -> None:
    a = State(1, {})
    a.add(1, Cell("list", items=[Const(1)]))
    b = a.fork()
    b.edit(1).items.append(Const(2))
    joined_list = merge_pair(a, b).heap[1]
    assert joined_list.open
    assert len(joined_list.items) == 2


def test_states_are_joined_by_what_became_of_telemetry() -> None:
    a = State(1, {}, limit=1)
    b, c = a.fork(), a.fork()
    c.facts = c.facts.noted("after", Site("train.py", 3))
    d = c.fork()
    d.facts = Facts().noted("after", Site("train.py", 3))
    assert [len(merge(group)) for group in ([a, b], [a, c], [c, d], [a, b, c, d])] == [1, 2, 1, 2]
