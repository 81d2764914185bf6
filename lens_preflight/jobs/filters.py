"""Commands that change lines of text in a pipe, as far as their options are known."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from lens_preflight.jobs.expressions import affordable

if TYPE_CHECKING:
    pass


def _grep(lines: list[str], args: list[str]) -> list[str] | None:
    flags = "".join(a[1:] for a in args if a.startswith("-") and a != "-e")
    patterns = [a for a in args if not a.startswith("-")]
    if len(patterns) != 1 or set(flags) - set("vEoqixF") or "o" in flags:
        return None
    body = re.escape(patterns[0]) if "F" in flags else patterns[0]
    if "[[:" in body:
        body = body.replace("[[:space:]]", r"\s")
        if "[[:" in body:
            return None
    if not all(affordable(body, line) for line in lines):
        return None
    regex = re.compile(body, re.IGNORECASE if "i" in flags else 0)
    return [line for line in lines if bool(regex.search(line)) is not ("v" in flags)]


def _count(args: list[str]) -> int:
    text = "".join(args)
    found = re.fullmatch(r"-n?([0-9]{1,9})", text)
    return int(found[1]) if found else 10


def _cut(lines: list[str], args: list[str]) -> list[str] | None:
    text = " ".join(args)
    found = re.fullmatch(r"-d ?(.) -f ?([0-9]{1,9})(-?)", text) or re.fullmatch(r"-f ?(\d+) -d ?(.)", text)
    if found is None or found.re.pattern.startswith("-f"):
        return None
    index = int(found[2]) - 1
    cells = [line.split(found[1]) for line in lines]
    return [found[1].join(c[index:]) if found[3] else (c[index] if index < len(c) else "") for c in cells]


def _tr(lines: list[str], args: list[str]) -> list[str] | None:
    if len(args) == 2 and args[0] == "-d" and len(args[1].replace("\\n", "\n")) == 1:
        return ["".join(lines)] if args[1] == "\\n" else [line.replace(args[1], "") for line in lines]
    if len(args) == 2 and [len(a.replace("\\n", "\n")) for a in args] == [1, 1]:
        a, b = (x.replace("\\n", "\n") for x in args)
        return "\n".join([*lines, ""]).replace(a, b).removesuffix(b if a == "\n" else "").split("\n")
    return None


def _xargs(lines: list[str], args: list[str]) -> list[str] | None:
    import shlex

    if args and args != ["-0"]:
        return None
    return [" ".join(shlex.split("\n".join(lines)))]


def _sed(lines: list[str], args: list[str]) -> list[str] | None:
    if len(args) == 1 and (found := re.fullmatch(r"/(\^?[#\w]*)/d", args[0])):
        return [line for line in lines if not re.search(found[1], line)]
    return None


_FILTERS: dict[str, Callable[[list[str], list[str]], list[str] | None]] = {
    "cat": lambda lines, args: lines if not args else None,
    "head": lambda lines, args: lines[: _count(args)],
    "tail": lambda lines, args: lines[-_count(args) :],
    "grep": _grep,
    "egrep": lambda lines, args: _grep(lines, ["-E", *args]),
    "cut": _cut,
    "tr": _tr,
    "xargs": _xargs,
    "sed": _sed,
    "sort": lambda lines, args: sorted(lines) if not args else None,
    "wc": lambda lines, args: [str(len(lines))] if args == ["-l"] else None,
}
