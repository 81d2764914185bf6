"""The file of a refresh, as it is and as nobody should have made it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from lens_preflight.gate import state
from lens_preflight.gate.state import State

MADE = State("n1", "boot", "quarantine", 100, "otlp-endpoint/refused", "no", "host", {"a/b": 1.5})


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    state.save(tmp_path, MADE)
    assert state.load(tmp_path) == MADE


@pytest.mark.parametrize(
    "change",
    [
        {"rule": True},
        {"rule": {"a": "b"}},
        {"node": 7},
        {"word": None},
        {"message": []},
        {"expiry": "soon"},
        {"expiry": None},
        {"failing": {"a/b": 1 << 2000}},
        {"failing": {"a/b": None}},
        {"failing": []},
        {"more": 1},
    ],
)
def test_a_value_of_another_kind_is_no_state(tmp_path: Path, change: dict[str, object]) -> None:
    (tmp_path / state.NAME).write_text(json.dumps({**asdict(MADE), **change}))
    assert state.load(tmp_path) is None


@pytest.mark.parametrize("text", ["", "[]", "{", "1", "[" * 200_000, '{"failing": {}}'])
def test_another_document_is_no_state(tmp_path: Path, text: str) -> None:
    (tmp_path / state.NAME).write_text(text)
    assert state.load(tmp_path) is None
