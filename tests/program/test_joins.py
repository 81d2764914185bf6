"""Values of lanes that do not reach equally far are joined."""

from __future__ import annotations

from lens_preflight.program.joins import joined
from lens_preflight.program.values import Const, Lanes


def test_lanes_of_different_length() -> None:
    short, long = Lanes((Const(1),)), Lanes((Const(1), None, Const(3)))
    for found in (joined(short, long), joined(long, short)):
        assert isinstance(found, Lanes)
        assert len(found.parts) == 3
        assert found.parts[0] == Const(1)
        assert found.parts[1] is None
