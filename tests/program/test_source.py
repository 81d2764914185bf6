"""Source files: read as Python reads them."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from lens_preflight.program import newer
from lens_preflight.program.source import MAX_BYTES, Unreadable, decode, notebook, parse, read_bytes


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n"),
        (b"# -*- coding: latin-1 -*-\n# \xe9\n", "# -*- coding: latin-1 -*-\n# \xe9\n"),
        ("# \u00e9\n".encode(), "# \u00e9\n"),
    ],
)
def test_encodings(data: bytes, text: str) -> None:
    assert decode(data) == text


@pytest.mark.parametrize("data", [b"# \xe9\n", b"x\0", "x".encode("utf-16"), b"# coding: nope\n"])
def test_bytes_that_are_no_text(data: bytes) -> None:
    with pytest.raises(Unreadable):
        decode(data)


def test_lines_are_the_editors(tmp_path: Path) -> None:
    source = parse(str(tmp_path / "a.py"), b"x = 1\r\n\x0c\r\ndef f():\r\n    pass\r\n")
    function = source.tree.body[1]
    assert isinstance(function, ast.FunctionDef)
    assert function.lineno == 3


def test_a_syntax_error_has_its_line() -> None:
    with pytest.raises(Unreadable) as error:
        parse("a.py", b"x = 1\ndef f(:\n")
    assert error.value.line == 2


def test_size_is_capped(tmp_path: Path) -> None:
    path = tmp_path / "big.py"
    path.write_bytes(b"#" * (MAX_BYTES + 1))
    with pytest.raises(Unreadable, match="larger"):
        read_bytes(path)


def test_cells_keep_their_lines() -> None:
    text, cells = notebook(
        '{"cells": [{"cell_type": "code", "source": ["%magic\\n", "x = 1"]}, {"cell_type": "markdown", "source": "#"}]}'
    )
    assert text == "pass\nx = 1\n"
    assert cells == ((1, 1),)


def test_a_newer_interpreter_only_parses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(newer, "interpreters", lambda: (sys.executable,))
    tree = newer.parse_elsewhere(b"x = (1, 'a', 2.5, b'c', ...)\nraise SystemExit(3)\n")
    assert tree is not None
    assert ast.dump(tree) == ast.dump(ast.parse("x = (1, 'a', 2.5, b'c', ...)\nraise SystemExit(3)\n"))
    assert newer.parse_elsewhere(b"def f(:\n") is None
