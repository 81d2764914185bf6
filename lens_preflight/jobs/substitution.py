"""Command substitution and special parameters, evaluated as far as the text allows."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lens_preflight.core.words import Spread
from lens_preflight.jobs.model import Loss
from lens_preflight.jobs.syntax import Node
from lens_preflight.jobs.text import EMPTY, Cause, Symbol, Text, literal, widest
from lens_preflight.jobs.words import Field, fields_of

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell

_RANDOM_COMMANDS = frozenset({"uuidgen", "mktemp", "openssl", "shuf", "uuid", "mcookie", "pwgen"})
_STEADY = frozenset(
    [
        "git",
        "whoami",
        "id",
        "basename",
        "dirname",
        "realpath",
        "readlink",
        "uname",
        "arch",
        "cat",
        "nproc",
        "python",
        "python3",
        "jq",
        "yq",
    ]
)
_RANDOM_TEXT = re.compile(r"uuid|urandom|\brandom\b|secrets\.")
_CLOCK_TEXT = re.compile(r"time\.|datetime|strftime")


def special(name: str, shell: Shell) -> Text | None:
    """The value of a special parameter; None when the name is none, or was assigned."""
    if name in ("RANDOM", "SRANDOM", "$", "BASHPID", "PPID"):
        serial = shell.run.tick() if name.endswith("RANDOM") else 0
        return Text.of(Symbol(name, Cause.RANDOM, shell.here, reason="random", serial=serial))
    if name in ("SECONDS", "EPOCHSECONDS", "EPOCHREALTIME"):
        return Text.of(Symbol(name, Cause.CLOCK, shell.here))
    if name == "!":
        return Text.of(Symbol(f"pid of {shell.state.last_background or 'other'}", Cause.RANDOM, shell.here))
    if name in ("?", "_", "-"):
        return Text.of(Symbol(name, Cause.COMMAND))
    if name == "#":
        args = shell.state.args
        return Text.of(Symbol("#", Cause.ARGUMENT)) if args is None else literal(str(len(args)))
    if name in ("@", "*"):
        return None
    if name == "PWD" or (name == "OLDPWD" and name not in shell.state.vars):
        hint = shell.state.cwd if name == "PWD" else None
        return Text.of(Symbol(name, Cause.PLACE, hint=hint, reason="the folder of the job"))
    if name == "BASH_SOURCE":
        return _own_path(shell)
    if name in ("HOSTNAME", "HOST") and name not in shell.state.vars:
        return Text.of(Symbol(name, Cause.HOST, shell.here))
    return None


def _own_path(shell: Shell) -> Text:
    path = shell.frame.path
    if path == shell.run.path:
        return shell.state.arg0
    full = next((p for p in shell.run.sourced if shell.run.shown(p) == path), None)
    return Text.of(Symbol("BASH_SOURCE", Cause.PLACE, hint=full or path))


def capture(node: Node, shell: Shell) -> Text:
    """The output of ``$(...)`` without its last line ends."""
    child = shell.child(Loss.SUBSHELL)
    child.conditional = True
    statements: list[Node] = node.get("Stmts") or []
    if len(statements) == 1 and _only_input(statements[0]):
        content = _input_text(statements[0], child)
        if content is not None:
            return literal(content.rstrip("\n"))
    parts: list[Text] = []
    for index, statement in enumerate(statements):
        text = printed(statement, child)
        if text is None:
            for later in statements[index + 1 :]:
                printed(later, child)
            return _symbol(statements, shell)
        parts.append(text)
    joined = EMPTY
    for part in parts:
        joined = joined + part
    return _stripped(joined)


def _only_input(statement: Node) -> bool:
    return statement.get("Cmd") is None and bool(statement.get("Redirs"))


def _input_text(statement: Node, shell: Shell) -> str | None:
    from lens_preflight.jobs.words import text_of

    for redirect in statement.get("Redirs") or ():
        if redirect["Op"] == "<":
            return shell.file_text(text_of(redirect.get("Word"), shell))
    return None


def _stripped(text: Text) -> Text:
    pieces = list(text.pieces)
    while pieces and isinstance(pieces[-1], str):
        last = pieces[-1].rstrip("\n")
        if last:
            pieces[-1] = last
            break
        pieces.pop()
    return Text(tuple(pieces))


def _symbol(statements: Sequence[Node], shell: Shell) -> Text:
    words = list(_all_words(statements))
    text = " ".join(words)
    commands = {w.rpartition("/")[2] for w in words}

    def one(cause: Cause, spread: Spread, why: str = "") -> Text:
        reason = "command substitution" + why
        volatile = cause in (Cause.RANDOM, Cause.CLOCK)
        serial = shell.run.tick() if volatile else 0
        return Text.of(Symbol(name, cause, spread, reason=reason, source=text, serial=serial))

    name = "$(" + (text if len(text) <= 40 else text[:37] + "...") + ")"
    here = shell.here
    if commands & _RANDOM_COMMANDS or _RANDOM_TEXT.search(text):
        return one(Cause.RANDOM, here, ", random")
    if "date" in commands or _CLOCK_TEXT.search(text):
        return one(Cause.CLOCK, here, ", the clock")
    if "hostname" in commands or "SLURMD_NODENAME" in text or "ip" in commands:
        return one(Cause.HOST, here, ", the host")
    if commands & _STEADY and not any(w.startswith("$") for w in words):
        return one(Cause.COMMAND, Spread.JOB)
    spread = Spread.JOB if shell.where.width is Spread.JOB else shell.where.width
    return one(Cause.COMMAND, spread)


def _all_words(node: object) -> list[str]:
    """The literal words below a node, in order, and ``$NAME`` for expansions."""
    out: list[str] = []
    stack: list[object] = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, dict):
            if one.get("Type") == "ParamExp":
                out.append("$" + str(one["Param"]["Value"]))
            elif one.get("Type") in ("Lit", "SglQuoted"):
                out.append(str(one.get("Value", "")))
                continue
            stack += [
                v for k, v in reversed(list(one.items())) if isinstance(v, (dict, list)) and k != "Param"
            ]
        elif isinstance(one, (list, tuple)):
            stack += list(reversed(one))
    return out


def printed(node: Node, shell: Shell) -> Text | None:
    """What one statement prints, None when it is not known; its effects happen in ``shell``."""
    command = node.get("Cmd") or {}
    kind = command.get("Type")
    if kind == "BinaryCmd" and command["Op"] in ("|", "|&"):
        text = printed(command["X"], shell)
        return _filtered(command["Y"], text, shell)
    if kind == "BinaryCmd" and command["Op"] == "&&":
        first = printed(command["X"], shell)
        second = printed(command["Y"], shell)
        return None if second is None else (first or EMPTY) + second
    if kind == "BinaryCmd":
        first = printed(command["X"], shell)
        return first if first is not None and first.filled else None
    if kind in ("Block", "Subshell"):
        out: Text | None = EMPTY
        for inner in command.get("Stmts") or ():
            text = printed(inner, shell)
            out = None if text is None or out is None else out + text
        return out
    if kind == "CallExpr" and command.get("Args") and not command.get("Assigns"):
        words = fields_of(command["Args"], shell)
        body = shell._redirect(node.get("Redirs") or ())
        if any(r["Op"] in (">", ">>", "&>", "&>>") and not r.get("N") for r in node.get("Redirs") or ()):
            shell.statement(node)
            return EMPTY
        if words:
            answer = _command(words, shell, body)
            if answer is not None:
                return answer
    shell.statement(node)
    return EMPTY if kind == "DeclClause" else None


def _command(words: list[Field], shell: Shell, body: Field | None) -> Text | None:
    name = words[0].constant.rpartition("/")[2]
    if name == "cd" and len(words) == 2:
        from lens_preflight.jobs.builtins import change_folder

        change_folder(shell, words[1].text)
        return EMPTY
    if name in shell.state.functions:
        return None
    handler = _PRINTERS.get(name)
    if handler is not None:
        return handler(words[1:], shell)
    if name == "cat" and len(words) == 1 and body is not None:
        return body.text
    return None


def _filtered(node: Node, text: Text | None, shell: Shell) -> Text | None:
    command = node.get("Cmd") or {}
    if command.get("Type") != "CallExpr" or not command.get("Args"):
        shell._feed(text)
        shell.statement(node)
        return None
    words = fields_of(command["Args"], shell)
    if not words or text is None:
        return None
    name = words[0].constant.rpartition("/")[2]
    handler = _FILTERS.get(name)
    if handler is None:
        shell._feed(text)
        shell.statement(node)
        return None
    if text.certain is None:
        if name in ("head", "tail", "cat", "sort", "uniq"):
            return text
        spread = widest([text.spread])
        name = text.template.strip("{}")
        return Text.of(Symbol(name, text.symbols[0].cause if text.symbols else Cause.COMMAND, spread))
    lines = text.certain.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    args = [w.text.certain for w in words[1:]]
    if any(a is None for a in args):
        return None
    try:
        result = handler(lines, [a or "" for a in args])
    except (ValueError, IndexError, re.error):
        return None
    return None if result is None else literal("".join(line + "\n" for line in result))


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
    pieces = re.split(r"(%%|%-?\d*(?:\.\d+)?[sdiqbx])", pattern)
    out: list[str | Symbol] = []
    for _ in range(256):
        for piece in pieces:
            if piece == "%%":
                out.append("%")
            elif piece.startswith("%"):
                text = words.pop(0).text if words else EMPTY
                known = text.constant
                if known is not None and text.certain is not None:
                    value: str | int = (
                        int(known or 0) if piece[-1] in "dix" and _is_int(known or "0") else known
                    )
                    python = piece[:-1] + ("s" if piece[-1] in "qb" or isinstance(value, str) else "d")
                    out.append(python % value)
                else:
                    out += text.pieces
            else:
                out.append(piece)
        if not words or "%" not in pattern.replace("%%", ""):
            break
    return Text.of(*out)


def _is_int(text: str) -> bool:
    return bool(re.fullmatch(r"-?\d+", text))


def _cat(args: Sequence[Field], shell: Shell) -> Text | None:
    if not args:
        if shell.state.stdin is None:
            return None
        out = EMPTY
        for line in shell.state.stdin:
            out = out + line + literal("\n")
        return out
    contents = [shell.file_text(a.text) for a in args if not a.constant.startswith("-")]
    if not contents or any(c is None for c in contents):
        return None
    return literal("".join(c or "" for c in contents))


def _grep_file(args: Sequence[Field], shell: Shell) -> Text | None:
    plain = [a.text.certain for a in args]
    if len(args) < 2 or any(p is None for p in plain):
        return None
    content = shell.file_text(args[-1].text)
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
    regex = re.compile(body, re.IGNORECASE if "i" in flags else 0)
    return [line for line in lines if bool(regex.search(line)) is not ("v" in flags)]


def _count(args: list[str]) -> int:
    text = "".join(args)
    found = re.fullmatch(r"-n?(\d+)", text)
    return int(found[1]) if found else 10


def _cut(lines: list[str], args: list[str]) -> list[str] | None:
    text = " ".join(args)
    found = re.fullmatch(r"-d ?(.) -f ?(\d+)(-?)", text) or re.fullmatch(r"-f ?(\d+) -d ?(.)", text)
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
    "true": lambda args, shell: EMPTY,
    ":": lambda args, shell: EMPTY,
}

__all__ = ["capture", "printed", "replace", "special"]
