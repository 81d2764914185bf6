"""``read`` and ``mapfile``: lines of standard input, where it is known."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lens_preflight.jobs.field import Field
from lens_preflight.jobs.state import Var
from lens_preflight.jobs.text import Cause, Symbol, Text, literal

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell


def read(shell: Shell, words: list[Field], body: Field | None, last: bool) -> bool | None:
    names, index, array, end = [], 1, False, "\n"
    flags = ""
    while index < len(words):
        word = words[index].constant
        if word.startswith("-") and len(word) > 1:
            array = array or "a" in word[1:]
            flags += word[1:]
            valued = word[-1] in "dinNptu"
            if word[-1] == "d" and index + 1 < len(words):
                end = words[index + 1].constant[:1]
            index += 2 if valued else 1
            continue
        names.append(word)
        index += 1
    lines = shell.state.stdin
    if lines and end in ("", "\0"):
        _read_all(shell, names, lines, words[0].line, array)
        return False  # the end of the input comes before the delimiter
    line = words[0].line
    changes = lines and (set(flags) & {"n", "N"} or ("r" not in flags and "\\" in lines[0].template))
    if lines and changes:
        lines.pop(0)
    if lines is None or changes:
        for name in names:
            shell.assign(
                name, Text.of(Symbol(name, Cause.COMMAND, optional=True, reason="read at run time")), line
            )
        return None
    if not lines:
        return False
    text = lines.pop(0)
    if array and names:
        items = tuple(literal(p) for p in _split(text.constant or "", shell.ifs, 0))
        shell.state.vars[names[0]] = Var(None, False, items, at=shell.frame.inner(line))
        return True
    if len(names) <= 1:
        name = names[0] if names else "REPLY"
        shell.assign(name, _stripped(text, shell.ifs), line)
        return True
    known = text.constant
    parts = _split(known, shell.ifs, len(names)) if known is not None else []
    for index, name in enumerate(names):
        if known is None:
            shell.assign(name, Text.of(Symbol(name, Cause.COMMAND)), line)
        else:
            shell.assign(name, literal(parts[index] if index < len(parts) else ""), line)
    return True


def _read_all(shell: Shell, names: list[str], lines: list[Text], line: int, array: bool) -> None:
    """``read -d ''``: all lines at once, without the blanks around them."""
    text = lines[0]
    for following in lines[1:]:
        text = text + literal("\n") + following
    lines.clear()
    name = names[0] if names else "REPLY"
    if array:
        items = tuple(literal(p) for p in _split(text.constant or "", shell.ifs, 0))
        shell.state.vars[name] = Var(None, False, items, at=shell.frame.inner(line))
    else:
        shell.assign(name, _stripped(text, shell.ifs), line)


def _stripped(text: Text, ifs: str) -> Text:
    known = text.constant
    if known is None or text.certain is None:
        return text
    return literal(known.strip("".join(c for c in ifs if c.isspace())) if ifs else known)


def _split(text: str, ifs: str, limit: int) -> list[str]:
    blank = "".join(c for c in ifs if c.isspace())
    others = "".join(c for c in ifs if not c.isspace())
    text = text.strip(blank) if blank else text
    if others:
        pattern = (
            f"[{re.escape(blank)}]*[{re.escape(others)}][{re.escape(blank)}]*"
            if blank
            else f"[{re.escape(others)}]"
        )
        return re.split(pattern, text, maxsplit=max(0, limit - 1))
    return re.split(f"[{re.escape(blank)}]+", text, maxsplit=max(0, limit - 1)) if blank else [text]


def mapfile(shell: Shell, words: list[Field], body: Field | None, last: bool) -> bool | None:
    name = words[-1].constant if len(words) > 1 and not words[-1].constant.startswith("-") else "MAPFILE"
    lines = shell.state.stdin
    unknown = (Text.of(Symbol(f"{name}[...]", Cause.COMMAND)),)
    items = unknown if lines is None else tuple(lines)
    shell.state.vars[name] = Var(None, False, items, at=shell.frame.inner(words[0].line))
    return True
