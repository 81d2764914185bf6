"""Shell text to a syntax tree: shfmt as a child process, and a recovery loop for what it refuses."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from lens_preflight.core.commands import on_path
from lens_preflight.core.data import dataclass

Node = dict[str, Any]

LIMIT = 1 << 20
"""Bytes of one script that are read; the tree is about fifty times as large."""

ATTEMPTS = 24
"""Lines that are blanked before a script is given up."""

_REFUSED = re.compile(rb"(\d+):(\d+): (.*)")
_PLAIN = re.compile(r"[A-Za-z0-9_./:@%+,=-]+(?:[ \t]+[A-Za-z0-9_./:@%+,=-]+)*")


def parts_of(word: Node | None) -> list[Node]:
    """The parts of a word."""
    found: list[Node] = (word or {}).get("Parts") or []
    return found


class NoParser(Exception):
    """There is no shfmt on this machine; the text says what to type."""


@dataclass(frozen=True)
class Tree:
    """Statements of one script; ``blanked`` are lines that could not be read: number, reason, text.

    ``failed`` is a reason when nothing could be read at all.
    """

    statements: tuple[Node, ...]
    blanked: tuple[tuple[int, str, str], ...] = ()
    failed: str = ""


def shfmt() -> str:
    """The path of the parser: the one on PATH, else the one installed beside this interpreter.

    Raises:
        NoParser: there is none.
    """
    name = "shfmt.exe" if os.name == "nt" else "shfmt"
    places = [Path(sys.executable).parent / name, Path(sysconfig.get_path("scripts")) / name]
    found = on_path("shfmt") or next((str(p) for p in places if p.is_file()), None)
    if found is None:
        raise NoParser("shell scripts need the parser shfmt: type `pip install shfmt-py`")
    return found


def parse(text: str) -> Tree:
    """The statements of a bash script.

    A line that the parser refuses is blanked and the rest is read again (measured on 555 scripts
    of training frameworks: nine needed it, one to seven lines each).

    Raises:
        NoParser: there is no shfmt.
    """
    plain = _plain(text)
    if plain is not None:
        return plain
    if len(text) > LIMIT:
        return Tree((), failed=f"it is longer than {LIMIT >> 20} MB")
    hidden = text.translate(_HIDE) if _BYTES.search(text) else text
    lines = hidden.encode("utf-8", "replace").split(b"\n")
    blanked: list[tuple[int, str, str]] = []
    for _ in range(ATTEMPTS):
        tree, line, why = _once(b"\n".join(lines))
        if tree is not None:
            return Tree(tuple(tree), tuple(sorted(blanked)))
        if not 1 <= line <= len(lines):
            break
        line = _last_written(lines, line)
        if line == 0:
            break
        blanked.append((line, why, lines[line - 1].decode("utf-8", "replace")))
        lines[line - 1] = b""
    return Tree((), tuple(sorted(blanked)), failed=why or "it cannot be read as a shell script")


def _last_written(lines: list[bytes], line: int) -> int:
    """The line to blank: the one reported, else the nearest above that is not blank already."""
    while line > 0 and not lines[line - 1].strip():
        line -= 1
    return line


def _once(script: bytes) -> tuple[list[Node] | None, int, str]:
    done = subprocess.run(
        [shfmt(), "-ln", "bash", "--to-json"], input=script, capture_output=True, timeout=60, check=False
    )
    if done.returncode == 0:
        try:
            out = done.stdout.decode("utf-8", "replace")
            out = out.translate(_SHOW) if _HIDDEN.search(out) else out
            root = json.loads(out, object_pairs_hook=_compact)
        except RecursionError:
            return None, 0, "it is nested too deeply"
        return root.get("Stmts") or [], 0, ""
    found = _REFUSED.search(done.stderr)
    if found is None:
        return None, 0, "the parser refuses it"
    return None, int(found.group(1)), found.group(3).decode("utf-8", "replace")[:80]


def _compact(pairs: list[tuple[str, Any]]) -> Any:
    """Positions become line numbers; the rest stays a dict."""
    if len(pairs) == 3 and pairs[0][0] == "Offset":
        return pairs[1][1]
    return dict(pairs)


def _plain(text: str) -> Tree | None:
    """The tree of one command of plain words, without starting a process."""
    text = text.strip()
    if not _PLAIN.fullmatch(text):
        return None
    words = text.split()
    if "=" in words[0] or words[0] in _KEYWORDS or any(word.startswith("=") for word in words):
        return None
    args = [{"Pos": 1, "Parts": [{"Type": "Lit", "Pos": 1, "Value": w}]} for w in words]
    return Tree(({"Pos": 1, "Cmd": {"Type": "CallExpr", "Pos": 1, "Args": args}, "Position": 1},))


_HIDE = {0xDC00 + byte: 0xF600 + byte for byte in range(0x80, 0x100)}
_SHOW = {private: escaped for escaped, private in _HIDE.items()}
"""The parser takes UTF-8 only: other bytes go through it as private characters."""

_BYTES = re.compile("[\udc80-\udcff]")
_HIDDEN = re.compile("[\uf680-\uf6ff]")

_KEYWORDS = frozenset(
    [
        "if",
        "then",
        "elif",
        "else",
        "fi",
        "for",
        "while",
        "until",
        "do",
        "done",
        "case",
        "esac",
        "select",
        "function",
        "time",
        "coproc",
        "in",
        "export",
        "declare",
        "typeset",
        "local",
        "readonly",
        "let",
        "nameref",
    ]
)
