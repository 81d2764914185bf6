"""A recorded answer that was damaged is never taken for a good one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lens_preflight.core.words import Status
from tests.backends.asking import read
from tests.backends.recorded import Recorded, recorded
from tests.backends.replay import Canned

FOLDER = Path(__file__).parents[1] / "cases" / "backends"
CASES = [case for case in recorded(FOLDER) if case.kind not in ("", "collector")]
WRONG = (
    b'{"data": 3, "services": 4, "results": 5, "fields": 6, "traces": 7, "status": "success", "count": "x"}'
)


def damaged(case: Recorded) -> list[bytes]:
    """Half of it, other JSON, and the right keys with values of wrong types."""
    body = case.canned.body
    return [body[: len(body) // 2], b"null", b'"text"', b"3", WRONG]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_no_damaged_answer_passes(case: Recorded) -> None:
    for body in damaged(case) if len(case.canned.body) > 8 else ():
        reading = read(replace(case, canned=Canned(body, 200, case.canned.type)))
        assert reading.status not in (Status.PASS, Status.WARN), (body, reading)
