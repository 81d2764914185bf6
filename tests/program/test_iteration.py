"""Handles that come out of iterators in a finally."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program.scripts import shut_down

LOOP = "import itertools\ntry:\n    TRAIN\nfinally:\n    for c in {items}:\n        c.shutdown()"


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ("itertools.chain([], [handle])", "pass"),
        ("itertools.chain.from_iterable([[], (handle,)])", "pass"),
        ("itertools.islice([handle, 1], 1)", "pass"),
        ("filter(None, [None, handle])", "pass"),
        ("filter(lambda h: h is not None, [handle, None])", "pass"),
        ("itertools.chain([], [])", "fail"),
        ("itertools.islice([handle], 1, None)", "fail"),
        ("filter(None, [])", "fail"),
        ("itertools.chain([handle], trainlib.others())", "unknown"),
        ("itertools.takewhile(trainlib.wanted, [handle])", "unknown"),
        ("filter(trainlib.wanted, [handle])", "unknown"),
        ("itertools.chain(trainlib.others())", "fail"),
    ],
)
def test_what_an_iterator_holds(items: str, expected: str, tmp_path: Path) -> None:
    assert shut_down(tmp_path, LOOP.format(items=items)) == expected


def test_iterators_over_data_cost_nothing(tmp_path: Path) -> None:
    body = "import itertools\ntry:\n    for b in itertools.cycle(trainlib.batches()):\n"
    body += "        trainlib.step(b)\n    for a, b in itertools.product([1, 2], [3]):\n        TRAIN\nfinally:\n    DOWN"
    assert shut_down(tmp_path, body) == "pass"
