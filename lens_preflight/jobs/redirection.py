"""Redirections: what a command reads, and the files that a script writes for later."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lens_preflight.jobs import printing, substitution
from lens_preflight.jobs.field import Field
from lens_preflight.jobs.model import Loss
from lens_preflight.jobs.syntax import Node, parts_of
from lens_preflight.jobs.text import Cause, Symbol, Text, literal
from lens_preflight.jobs.words import heredoc, text_of
from lens_preflight.jobs.written import key_of, mentioned_in

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
            text = text_of(redirect.get("Word"), shell) + literal("\n")
            give_input(shell, text)
            body = Field(text, int(redirect["Pos"]))
        elif op == "<" and not redirect.get("N"):
            body = Field(input_from(shell, redirect.get("Word")), int(redirect["Pos"]))
    return body


_INTO = (">", ">|", ">>", "&>", "&>>", "<>")


def writes(node: Node) -> bool:
    """Whether a statement writes into a file by a redirection."""
    return any(r["Op"] in _INTO for r in node.get("Redirs") or ())


def before_writing(shell: Shell, node: Node) -> Shell | None:
    """The shell as it is before a statement whose whole output goes into a file, where it can be said."""
    return shell.child(Loss.SUBSHELL) if _into_file(node) is not None and printing.only(node) else None


def _into_file(node: Node) -> Node | None:
    """The redirection that takes the standard output, when it is the only one of it."""
    out = [r for r in node.get("Redirs") or () if r["Op"] in _INTO and r["Op"] != "<>" and not _aside(r)]
    return out[0] if len(out) == 1 and "&" not in out[0]["Op"] else None


def _aside(redirect: Node) -> bool:
    number = (redirect.get("N") or {}).get("Value", "1")
    return bool(number != "1")


def remember_written(shell: Shell, node: Node, before: Shell | None) -> None:
    """Remember the files that a statement writes; they may be read further below."""
    whole = _into_file(node)
    for redirect in node.get("Redirs") or ():
        if redirect["Op"] not in _INTO:
            continue
        target = text_of(redirect.get("Word"), shell)
        text = None
        if redirect is whole and before is not None:
            text = _printed(before, node, redirect)
        names = frozenset() if text is not None else mentioned_in(node)
        put(shell, target, text, redirect["Op"] == ">>", names)


def _printed(before: Shell, node: Node, redirect: Node | None) -> Field | None:
    """What the statement prints into the file, None when that is not known."""
    inner = {k: v for k, v in node.items() if k != "Redirs"}
    inner["Redirs"] = [r for r in node["Redirs"] if r is not redirect]
    text = printing.printed_again(before, inner)
    if text is None:
        return None
    body = next((r for r in inner["Redirs"] if r["Op"] in ("<<", "<<-")), None)
    line = int(((body or {}).get("Hdoc") or node)["Pos"])
    placed = body is not None and before.frame.outer is None and before.frame.fixed is None
    return Field(text, before.frame.inner(line).line or line, placed and _as_written(text, body))


def _as_written(text: Text, redirect: Node | None) -> bool:
    """Whether each line of a text is one of the here-document that it comes from."""
    word = (redirect or {}).get("Hdoc")
    written = sum(str(part.get("Value", "")).count("\n") for part in parts_of(word) if part["Type"] == "Lit")
    return sum(piece.count("\n") for piece in text.pieces if isinstance(piece, str)) <= written


def put(
    shell: Shell, target: Text, text: Field | None, append: bool, names: frozenset[str] = frozenset()
) -> None:
    """A file gets a text, at its end or in place of what it held; None: what it gets is not known."""
    key = key_of(shell.run, target, shell.state.cwd, shell.where)
    if not key or key.startswith(("/dev/", "/proc/")):
        return
    files = shell.run.files
    if append and text is not None:
        old = files.written.content(key)
        if old is None and (disk := files.found(key)) is not None:
            text = Field(literal(disk) + text.text, text.line)
        elif old is not None and not old.gone:
            text = None if old.text is None else Field(old.text.text + text.text, old.text.line)
        elif old is None and not key.startswith(shell.run.folder + "/"):
            text = None
    files.written.write(key, text, names=names)


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


def input_from(shell: Shell, word: Node | None) -> Text:
    """``< file`` and ``< <(command)``: what is read, a symbol where that is not known."""
    parts = parts_of(word)
    source = ""
    if len(parts) == 1 and parts[0]["Type"] == "ProcSubst":
        text, name = substitution.everything(parts[0], shell), "<(...)"
        source = substitution.command_words(parts[0].get("Stmts"), shell)
    else:
        path = text_of(word, shell)
        content = file_text(shell, path)
        text, name = None if content is None else literal(content), f"< {path.template}"
    feed(shell, text, source)
    return unread(name) if text is None else text


def unread(name: str) -> Text:
    """Standard input that is not known."""
    return Text.of(Symbol(name, Cause.COMMAND, reason="it is read at run time"))


def file_text(shell: Shell, path: Text) -> str | None:
    """The text of a file named in this shell, None when it cannot be read from here."""
    from lens_preflight.jobs.draft import resolve

    if path.constant == "/dev/null":
        return ""
    named = path.path
    full = resolve(named, shell.state.cwd, shell.where, shell.run.extra_map) if named else None
    return shell.run.files.text(full or key_of(shell.run, path, shell.state.cwd, shell.where))


def feed(shell: Shell, text: Text | None, source: str = "") -> None:
    """Standard input from here on; ``source`` are the words of the command that prints it."""
    shell.state.stdin, shell.state.source = None, source
    if text is not None:
        give_input(shell, text)


def _untabbed(text: str) -> str:
    return "\n".join(line.lstrip("\t") for line in text.split("\n"))
