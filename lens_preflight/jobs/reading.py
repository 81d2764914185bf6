"""``read`` and ``mapfile``: lines of standard input, where it is known."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lens_preflight.jobs.field import Field
from lens_preflight.jobs.state import Var
from lens_preflight.jobs.text import Cause, Symbol, Text, literal
from lens_preflight.jobs.unnamed import assign_to, set_names

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell


def read(shell: Shell, words: list[Field], body: Field | None, last: bool) -> bool | None:
    names: list[Text] = []
    index, array, end = 1, False, "\n"
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
        names.append(words[index].text)
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
        for name in names or [literal("REPLY")]:
            assign_to(shell, name, _at_run_time(shell, name.template), line)
        return None
    if not lines:
        return False
    text = lines.pop(0)
    if array and names:
        items = tuple(literal(p) for p in _split(text.constant or "", shell.ifs, 0))
        _fill(shell, names[0], items, line)
        return True
    if len(names) <= 1:
        assign_to(shell, names[0] if names else literal("REPLY"), _stripped(text, shell.ifs), line)
        return True
    known = text.constant
    parts = _split(known, shell.ifs, len(names)) if known is not None else []
    for index, name in enumerate(names):
        if known is None:
            assign_to(shell, name, Text.of(Symbol(name.template, Cause.COMMAND)), line)
        else:
            assign_to(shell, name, literal(parts[index] if index < len(parts) else ""), line)
    return True


def _at_run_time(shell: Shell, name: str) -> Text:
    reason = "read at run time"
    return Text.of(Symbol(name, Cause.COMMAND, optional=True, reason=reason, source=shell.state.source))


def _fill(shell: Shell, name: Text, items: tuple[Text, ...], line: int) -> None:
    """An array of a name."""
    known = name.constant
    if known is None:
        set_names(shell, name, line)
    else:
        shell.state.vars[known] = Var(None, False, items, at=shell.frame.inner(line))


def _read_all(shell: Shell, names: list[Text], lines: list[Text], line: int, array: bool) -> None:
    """``read -d ''``: all lines at once, without the blanks around them."""
    text = lines[0]
    for following in lines[1:]:
        text = text + literal("\n") + following
    lines.clear()
    name = names[0] if names else literal("REPLY")
    if array:
        _fill(shell, name, tuple(literal(p) for p in _split(text.constant or "", shell.ifs, 0)), line)
    else:
        assign_to(shell, name, _stripped(text, shell.ifs), line)


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
    given = len(words) > 1 and not words[-1].constant.startswith("-")
    name = words[-1].text if given else literal("MAPFILE")
    lines = shell.state.stdin
    unknown = (Text.of(Symbol(f"{name.template}[...]", Cause.COMMAND, source=shell.state.source)),)
    _fill(shell, name, unknown if lines is None else tuple(lines), words[0].line)
    return True
