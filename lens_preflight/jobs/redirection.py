"""Redirections: what a command reads, and the files that a script writes for later."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lens_preflight.jobs import substitution
from lens_preflight.jobs.field import Field
from lens_preflight.jobs.model import Loss
from lens_preflight.jobs.syntax import Node, parts_of
from lens_preflight.jobs.text import Text, literal
from lens_preflight.jobs.words import heredoc, text_of

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell


MAX_LINES = 512
"""Lines of standard input that are read one by one; of more nothing is taken for known."""


def redirect(shell: Shell, redirects: Sequence[Node]) -> Field | None:
    """Expand redirections; standard input that is known becomes lines to read."""
    body: Field | None = None
    for redirect in redirects:
        op = redirect["Op"]
        if op in ("<<", "<<-"):
            raw = any(p["Type"] != "Lit" for p in parts_of(redirect["Word"]))
            raw = raw or any("\\" in str(p.get("Value")) for p in parts_of(redirect["Word"]))
            word = redirect.get("Hdoc")
            text = heredoc(word, shell, raw)
            if op == "<<-":
                text = Text.of(*(_untabbed(p) if isinstance(p, str) else p for p in text.pieces))
            line = int((word or redirect)["Pos"])
            body = Field(text, line, placed=True)
            if shell.frame.fixed is None and shell.frame.outer is None:
                shell.run.places[shell.run.spelled(text).strip("\n")] = line + shell.frame.offset
            give_input(shell, text)
        elif op == "<<<":
            give_input(shell, text_of(redirect.get("Word"), shell) + literal("\n"))
        elif op == "<":
            input_from(shell, redirect.get("Word"))
    return body


def remember_written(shell: Shell, node: Node) -> None:
    """Remember a file that ``cat``, ``echo`` or ``printf`` writes; it may be run further below."""
    for redirect in node.get("Redirs") or ():
        if redirect["Op"] not in (">", ">|") or redirect.get("N"):
            continue
        command = node.get("Cmd") or {}
        parts = parts_of((command.get("Args") or [{}])[0])
        if len(parts) != 1 or parts[0].get("Value") not in ("cat", "echo", "printf", "tee"):
            return
        target = text_of(redirect.get("Word"), shell)
        shell.run.write(target, None)
        inner = {k: v for k, v in node.items() if k != "Redirs"}
        inner["Redirs"] = [r for r in node["Redirs"] if r is not redirect]
        text = substitution.printed(inner, shell.child(Loss.SUBSHELL))
        if text is not None and target.template != "/dev/null":
            body = next((r for r in inner["Redirs"] if r["Op"] in ("<<", "<<-")), None)
            line = int(((body or {}).get("Hdoc") or node)["Pos"])
            at = shell.frame.inner(line).line or line
            shell.run.write(target, Field(text, at, body is not None))


def give_input(shell: Shell, text: Text) -> None:
    known = text.constant
    if known is not None:
        lines = known.removesuffix("\n").split("\n")
        shell.state.stdin = [literal(line) for line in lines] if len(lines) <= MAX_LINES else None
    elif text.symbols and not any(isinstance(p, str) and p.strip("\n") for p in text.pieces):
        shell.state.stdin = None
    else:
        line = Text.of(*(p.rstrip("\n") if isinstance(p, str) else p for p in text.pieces))
        shell.state.stdin = [line]


def input_from(shell: Shell, word: Node | None) -> None:
    """``< file`` and ``< <(command)``."""
    parts = parts_of(word)
    if len(parts) != 1 or parts[0]["Type"] != "ProcSubst":
        input_file(shell, text_of(word, shell))
        return
    feed(shell, substitution.everything(parts[0], shell))


def input_file(shell: Shell, path: Text) -> None:
    content = file_text(shell, path)
    shell.state.stdin = None
    if content is not None:
        give_input(shell, literal(content))


def file_text(shell: Shell, path: Text) -> str | None:
    """The text of a file named in this shell, None when it cannot be read from here."""
    from lens_preflight.jobs.draft import resolve

    named = path.path
    full = resolve(named, shell.state.cwd, shell.where, shell.run.extra_map) if named else None
    return shell.run.files.text(full) if full else None


def feed(shell: Shell, text: Text | None) -> None:
    shell.state.stdin = None
    if text is not None:
        give_input(shell, text)


def _untabbed(text: str) -> str:
    return "\n".join(line.lstrip("\t") for line in text.split("\n"))
