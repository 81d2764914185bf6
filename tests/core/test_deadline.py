"""A deadline never gives more than is left, and never less than nothing."""

from __future__ import annotations

import math

import pytest

from lens_preflight.core import deadline as module
from lens_preflight.core.deadline import Deadline


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(module, "monotonic", lambda: now[0])
    return now


def test_remaining_counts_down_to_nothing(clock: list[float]) -> None:
    deadline = Deadline.after(5)
    assert deadline.remaining() == 5
    assert deadline.remaining(cap=2) == 2
    clock[0] = 104
    assert deadline.remaining(cap=2) == 1
    clock[0] = 200
    assert deadline.remaining() == 0
    assert deadline.passed


def test_within_takes_the_earlier_point(clock: list[float]) -> None:
    assert Deadline.after(5).within(2).at == 102
    assert Deadline.after(1).within(2).at == 101
    assert Deadline().within(3).at == 103
    assert Deadline().remaining() == math.inf
