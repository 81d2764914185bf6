"""Recorded answers of backends, each read by the client that asks for it."""

from __future__ import annotations

import pytest

from tests.backends.asking import read
from tests.backends.recorded import recorded
from tests.corpus import Score, corpus_root


@pytest.mark.parametrize("name", ["backends", "backends-own"])
def test_recorded_answers_are_read_as_they_mean(name: str) -> None:
    folder = corpus_root() / name
    if not folder.is_dir():
        pytest.skip(f"this corpus has no {name}")
    score = Score(name, "answers")
    for case in recorded(folder):
        reading = read(case)
        said = reading.status.value
        score.add(f"{case.name}: {reading.word.code} ({reading.text})", said, case.expected, case.acceptable)
    score.line()
    assert not score.wrong, "\n".join(f"{c}: {v}, not {e}" for c, v, e in score.wrong)
