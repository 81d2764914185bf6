"""Files, folders and standard input."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.core.errors import InputError
from lens_preflight.documents import sources
from lens_preflight.documents.sources import read_texts


def test_a_folder_gives_its_files_sorted_and_leaves_hidden_ones(tmp_path: Path) -> None:
    for name in ("b.json", "a.json", ".c.json", "d.txt"):
        (tmp_path / name).write_text("{}", encoding="utf-8")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "e.json").write_text("{}", encoding="utf-8")
    texts = list(read_texts([tmp_path], (".json",)))
    assert [Path(t.path).name for t in texts] == ["a.json", "b.json", "e.json"]
    assert not any(t.named for t in texts)


def test_a_folder_may_hold_what_is_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MAX_BYTES", 1000)
    (tmp_path / "dump.json").write_bytes(b" " * 5000)
    (tmp_path / "image.json").write_bytes(b"\xff\xfe")
    (tmp_path / "board.json").write_text("{}", encoding="utf-8")
    assert [Path(t.path).name for t in read_texts([tmp_path], (".json",))] == ["board.json"]


def test_standard_input_is_a_dash() -> None:
    (text,) = read_texts(["-"], (".json",), stdin=lambda: b"\xef\xbb\xbf{}")
    assert (text.path, text.text, text.named) == ("<stdin>", "{}", True)


@pytest.mark.parametrize("name", ["missing.json", "empty"])
def test_what_cannot_be_opened_is_the_users_to_correct(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=name):
        list(read_texts([tmp_path / name], (".json",)))


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "latin.json"
    path.write_bytes(b'{"a": "\xe9"}')
    with pytest.raises(InputError, match="not UTF-8"):
        list(read_texts([path], (".json",)))


def test_a_huge_file_is_refused_without_reading_it_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MAX_BYTES", 1000)
    path = tmp_path / "huge.json"
    path.write_bytes(b" " * 5000)
    with pytest.raises(InputError, match="larger than"):
        list(read_texts([path], (".json",)))


def test_a_folder_of_too_many_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MAX_FILES", 3)
    for number in range(4):
        (tmp_path / f"{number}.json").write_text("{}")
    with pytest.raises(InputError, match="more than 3"):
        list(read_texts([tmp_path], (".json",)))
    assert len(list(read_texts([tmp_path / "1.json"], (".json",)))) == 1
