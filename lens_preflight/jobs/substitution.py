"""Command substitution and special parameters, evaluated as far as the text allows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lens_preflight.core.words import Spread
from lens_preflight.jobs import redirection
from lens_preflight.jobs.field import Field
from lens_preflight.jobs.filters import _FILTERS
from lens_preflight.jobs.model import Loss
from lens_preflight.jobs.printers import _PRINTERS
from lens_preflight.jobs.snapshots import declaration
from lens_preflight.jobs.syntax import Node, parts_of
from lens_preflight.jobs.text import EMPTY, Cause, Symbol, Text, literal, widest
from lens_preflight.jobs.words import fields_of

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


def everything(node: Node, shell: Shell) -> Text | None:
    """What the statements of ``<( )`` print, None when it is not known."""
    child = shell.child(Loss.SUBSHELL)
    text: Text | None = EMPTY
    for statement in node.get("Stmts") or []:
        more = printed(statement, child)
        text = None if more is None or text is None else text + more
    return text


def _only_input(statement: Node) -> bool:
    return statement.get("Cmd") is None and bool(statement.get("Redirs"))


def _input_text(statement: Node, shell: Shell) -> str | None:
    from lens_preflight.jobs.words import text_of

    for one in statement.get("Redirs") or ():
        if one["Op"] == "<":
            return redirection.file_text(shell, text_of(one.get("Word"), shell))
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
        source = command_words(statements, shell)
        return Text.of(Symbol(name, cause, spread, reason=reason, source=source, serial=serial))

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
            elif one.get("Type") == "DeclClause":
                out.append(str(one["Variant"]["Value"]))
            elif one.get("Type") in ("Lit", "SglQuoted"):
                out.append(str(one.get("Value", "")))
                continue
            stack += [
                v for k, v in reversed(list(one.items())) if isinstance(v, (dict, list)) and k != "Param"
            ]
        elif isinstance(one, (list, tuple)):
            stack += list(reversed(one))
    return out


def command_words(node: object, shell: Shell) -> str:
    """The words of the commands below a node, in order, with the values that are known and ``$NAME`` for others."""
    out: list[str] = []
    stack: list[object] = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, dict) and "Parts" in one:
            out.append(_spelled(one, shell))
        elif isinstance(one, dict):
            if one.get("Type") == "DeclClause":
                out.append(str(one["Variant"]["Value"]))
            stack += [v for v in reversed(list(one.values())) if isinstance(v, (dict, list))]
        elif isinstance(one, (list, tuple)):
            stack += list(reversed(one))
    return " ".join(out)


def _spelled(word: Node, shell: Shell) -> str:
    out = ""
    for part in parts_of(word):
        kind = part["Type"]
        if kind == "DblQuoted":
            out += _spelled(part, shell)
        elif kind != "ParamExp":
            out += str(part.get("Value", "")) if kind in ("Lit", "SglQuoted") else "$(...)"
        else:
            name = str(part["Param"]["Value"])
            plain = not any(part.get(key) for key in ("Exp", "Slice", "Repl", "Excl", "Length", "Index"))
            value = shell.read(name) if plain else None
            known = None if value is None else value.certain
            out += f"${name}" if known is None else known
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
        body = redirection.redirect(shell, node.get("Redirs") or ())
        if _elsewhere(node):
            shell.statement(node)
            return EMPTY
        if words:
            answer = _command(words, shell, body)
            if answer is not None:
                return answer
    if kind == "DeclClause" and not _elsewhere(node):
        return declaration(command, shell)
    shell.statement(node)
    silent = kind == "DeclClause" or (kind == "CallExpr" and not command.get("Args"))  # IFS=, for one
    return EMPTY if silent else None


def _elsewhere(node: Node) -> bool:
    """Whether the standard output of a statement goes into a file, or to where errors go."""
    for one in node.get("Redirs") or ():
        if (one.get("N") or {}).get("Value", "1") == "1" and one["Op"] in (
            ">",
            ">|",
            ">>",
            "&>",
            "&>>",
            ">&",
        ):
            return True
    return False


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
    if command.get("Type") != "CallExpr" or not command.get("Args") or _elsewhere(node):
        redirection.feed(shell, text)
        shell.statement(node)
        return EMPTY if _elsewhere(node) else None
    words = fields_of(command["Args"], shell)
    if not words or text is None:
        return None
    name = words[0].constant.rpartition("/")[2]
    handler = _FILTERS.get(name) if name != "xargs" or len(words) == 1 else None
    if handler is None:
        redirection.feed(shell, text)
        shell.statement(node)
        return None
    if text.certain is None:
        ends = text.template.count("\n")
        if name == "cat" or (ends <= 1 and name in ("head", "tail", "sort", "uniq")):
            return text
        spread = widest([text.spread])
        name = text.template.strip("{}") if ends <= 1 else f"$({' '.join(_all_words(node))[:40]})"
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
