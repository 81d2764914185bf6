"""A handle that is taken away before it is asked to shut down."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program.scripts import shut_down

KEPT = "class A:\n    h = None\na = A()\na.h = handle\n{taken}\n"
TRIED = "try:\n    TRAIN\nfinally:\n    if getattr(a, 'h', None) is not None:\n        a.h.shutdown()"


@pytest.mark.parametrize(
    "taken",
    [
        "del a.h",
        "delattr(a, 'h')",
        "del a.__dict__['h']",
        "vars(a).pop('h')",
        "a.__dict__ = {}",
        "a.__dict__.clear()",
        "vars(a).clear()",
        "a.__dict__ = {'other': handle}",
        "del (a.h)",
        "object.__delattr__(a, 'h')",
        "if os.environ['RANK'] == '7':\n    del a.h",
    ],
)
def test_what_is_taken_away_shuts_nothing_down(taken: str, tmp_path: Path) -> None:
    assert shut_down(tmp_path, KEPT.format(taken=taken) + TRIED) == "fail"


@pytest.mark.parametrize(
    "taken",
    [
        "a.other = 1\ndel a.other",
        "a.other = 1\nvars(a).pop('other')",
        "b = A()\nb.h = 1\ndel b.h",
        "del a.h\na.h = handle",
        "a.__dict__ = {'h': handle}",
        "a.__dict__.clear()\na.h = handle",
    ],
)
def test_what_is_left_or_put_back_does(taken: str, tmp_path: Path) -> None:
    assert shut_down(tmp_path, KEPT.format(taken=taken) + TRIED) == "pass"


def test_what_may_be_gone_is_no_promise(tmp_path: Path) -> None:
    taken = "a.__dict__ = trainlib.fields()"
    assert shut_down(tmp_path, KEPT.format(taken=taken) + TRIED) not in ("pass", "note")


def test_the_class_shows_again(tmp_path: Path) -> None:
    body = "class A:\n    pass\nA.h = handle\na = A()\na.h = None\ndel a.h\n"
    assert shut_down(tmp_path, body + TRIED) == "pass"
