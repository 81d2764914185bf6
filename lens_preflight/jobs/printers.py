"""Commands whose output can be said without running them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from lens_preflight.core.words import Spread
from lens_preflight.jobs import redirection
from lens_preflight.jobs.field import Field
from lens_preflight.jobs.filters import _grep
from lens_preflight.jobs.text import EMPTY, Cause, Symbol, Text, literal
from lens_preflight.jobs.written import made

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell


def _echo(args: Sequence[Field], shell: Shell) -> Text:
    words, newline, escapes = list(args), True, False
    while words and re.fullmatch(r"-[neE]+", words[0].constant):
        newline = newline and "n" not in words[0].constant
        escapes = escapes or "e" in words[0].constant
        words.pop(0)
    out = EMPTY
    for index, word in enumerate(words):
        out = out + (literal(" ") if index else EMPTY) + word.text
    if escapes:
        out = Text.of(*(_escaped(p) if isinstance(p, str) else p for p in out.pieces))
    return out + literal("\n" if newline else "")


def _escaped(text: str) -> str:
    table = {"n": "\n", "t": "\t", "\\": "\\", "r": "\r"}
    return re.sub(r"\\([nt\\r])", lambda m: table[m[1]], text)


def _printf(args: Sequence[Field], shell: Shell) -> Text | None:
    words = list(args)
    if words and words[0].constant == "--":
        words.pop(0)
    if not words or words[0].text.certain is None or words[0].constant.startswith("-v"):
        return None
    pattern = _escaped(words.pop(0).constant)
    if re.search(r"%-?[0-9]*\.?[0-9]{4}", pattern):  # a text as long as somebody likes
        return None
    pieces = re.split(r"(%%|%-?\d*(?:\.\d+)?[sdix])", pattern)
    specs = re.findall(r"%[^a-zA-Z%]*[a-zA-Z]?", pattern.replace("%%", ""))
    if not all(re.fullmatch(r"%-?\d*(?:(?:\.\d+)?s|[dix])", spec) for spec in specs):
        return None
    out: list[str | Symbol] = []
    for _ in range(256):
        for piece in pieces:
            if piece == "%%":
                out.append("%")
            elif piece.startswith("%"):
                text = words.pop(0).text if words else EMPTY
                known = text.constant
                if piece[-1] in "dix" and known and not re.fullmatch(r"-?(?:0|[1-9][0-9]{0,17})", known):
                    return None
                if known is not None and text.certain is not None:
                    out.append(piece % (known if piece[-1] == "s" else int(known or 0)))
                else:
                    out += text.pieces
            else:
                out.append(piece)
        if not words or "%" not in pattern.replace("%%", ""):
            break
    return Text.of(*out)


def _is_int(text: str) -> bool:
    return bool(re.fullmatch(r"-?[0-9]{1,18}", text))


def _cat(args: Sequence[Field], shell: Shell) -> Text | None:
    if not args:
        if shell.state.stdin is None:
            return None
        out = EMPTY
        for line in shell.state.stdin:
            out = out + line + literal("\n")
        return out
    content = made(shell.run, args[0].text, shell.state.cwd, shell.where) if len(args) == 1 else None
    if content is not None:
        return None if content.text is None else content.text.text
    contents = [redirection.file_text(shell, a.text) for a in args if not a.constant.startswith("-")]
    if not contents or any(c is None for c in contents):
        return None
    return literal("".join(c or "" for c in contents))


def _grep_file(args: Sequence[Field], shell: Shell) -> Text | None:
    plain = [a.text.certain for a in args]
    if len(args) < 2 or any(p is None for p in plain):
        return None
    content = redirection.file_text(shell, args[-1].text)
    if content is None:
        return None
    lines = content.rstrip("\n").split("\n")
    result = _grep(lines, [p or "" for p in plain[:-1]])
    return None if result is None else literal("".join(line + "\n" for line in result))


def _path(change: Callable[[str], str], label: str) -> Callable[[Sequence[Field], Shell], Text | None]:
    def handler(args: Sequence[Field], shell: Shell) -> Text | None:
        words = [a for a in args if not a.constant.startswith("-")]
        if len(words) != 1:
            return None
        text = words[0].text
        if text.certain is not None and label in ("dirname", "basename"):
            return literal(change(text.certain) + "\n")
        path = text.path
        if path is None:
            return None
        if label in ("realpath", "readlink") and not os.path.isabs(path):
            if shell.state.cwd is None:
                return None
            path = os.path.join(shell.state.cwd, path)
        if label == "basename":
            return (
                literal(change(path) + "\n")
                if text.symbols and text.symbols[-1].cause is not Cause.SLURM
                else None
            )
        place = Symbol(f"$({label} {text.template})", Cause.PLACE, hint=change(path), reason="a folder")
        return Text.of(place, "\n")

    return handler


def _pwd(args: Sequence[Field], shell: Shell) -> Text:
    place = Symbol("PWD", Cause.PLACE, hint=shell.state.cwd, reason="the folder of the job")
    return Text.of(place, "\n")


def _seq(args: Sequence[Field], shell: Shell) -> Text | None:
    plain = [a.text.certain for a in args]
    if not 1 <= len(plain) <= 3 or not all(p and _is_int(p) for p in plain):
        return None
    numbers = [int(p or 0) for p in plain]
    first = 1 if len(numbers) == 1 else numbers[0]
    step = numbers[1] if len(numbers) == 3 else 1
    if step == 0 or abs(numbers[-1] - first) > 4096:
        return None
    values = range(first, numbers[-1] + (1 if step > 0 else -1), step)
    return literal("".join(f"{n}\n" for n in values))


def _expr(args: Sequence[Field], shell: Shell) -> Text | None:
    plain = [a.text.certain for a in args]
    if (
        len(plain) == 3
        and all(p is not None for p in plain)
        and _is_int(plain[0] or "")
        and _is_int(plain[2] or "")
    ):
        from lens_preflight.jobs.arithmetic import Unknown, _apply

        try:
            return literal(f"{_apply(plain[1] or '', int(plain[0] or 0), int(plain[2] or 0))}\n")
        except Unknown:
            return None
    return None


def _hostnames(args: Sequence[Field], shell: Shell) -> Text | None:
    words = [a.constant for a in args]
    if words[:2] in (["show", "hostnames"], ["show", "hostname"]):
        return Text.of(
            Symbol("$(scontrol show hostnames)", Cause.SLURM, Spread.RUN, reason="the node list"), "\n"
        )
    return None


def _located(args: Sequence[Field], shell: Shell) -> Text | None:
    """``which python`` and its kin: a path that ends in the name, or nothing."""
    plain = [a.constant for a in args if not a.constant.startswith("-")]
    if len(plain) != 1 or not re.fullmatch(r"[\w.+-]+", plain[0]):
        return None
    hint = f"$(which)/{plain[0]}"
    place = Symbol(f"$(which {plain[0]})", Cause.COMMAND, hint=hint, reason="where the program is installed")
    return Text.of(place, "\n")


def _looked_up(args: Sequence[Field], shell: Shell) -> Text | None:
    """``command -v python``; any other command runs."""
    return _located(args[1:], shell) if args and args[0].constant in ("-v", "-P", "-p") else None


_PRINTERS: dict[str, Callable[[Sequence[Field], Shell], Text | None]] = {
    "echo": _echo,
    "printf": _printf,
    "cat": _cat,
    "grep": _grep_file,
    "egrep": _grep_file,
    "dirname": _path(lambda p: os.path.dirname(p) or ".", "dirname"),
    "basename": _path(os.path.basename, "basename"),
    "realpath": _path(os.path.normpath, "realpath"),
    "readlink": _path(os.path.normpath, "readlink"),
    "pwd": _pwd,
    "seq": _seq,
    "expr": _expr,
    "scontrol": _hostnames,
    "which": _located,
    "command": _looked_up,
    "type": _looked_up,
    "true": lambda args, shell: EMPTY,
    "false": lambda args, shell: EMPTY,
    ":": lambda args, shell: EMPTY,
}
