"""Expansion of shell words: quotes, parameters, splitting, braces, arithmetic, command substitution."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lens_preflight.jobs import arithmetic, splitting
from lens_preflight.jobs.braces import brace_options
from lens_preflight.jobs.field import Field
from lens_preflight.jobs.parameters import parameter
from lens_preflight.jobs.quoting import _ESCAPES, _HEREDOC_ESCAPES, _dollar_quoted, _unescape_double
from lens_preflight.jobs.syntax import Node, parts_of
from lens_preflight.jobs.text import EMPTY, Cause, Symbol, Text, literal, widest

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell


MAX_FIELDS = 4096
MAX_BRACES = 512


def text_of(word: Node | None, shell: Shell) -> Text:
    """The text of a word that is not split: an assignment, a redirection, a here-document."""
    if word is None:
        return EMPTY
    pieces: list[str | Symbol] = []
    for index, part in enumerate(parts_of(word)):
        pieces += whole(part, shell, quoted=False, first=index == 0).pieces
    return Text.of(*pieces)


def quoted_default(word: Node | None, shell: Shell) -> Text:
    """The word of ``"${A:-word}"``: between double quotes a single quote stands for itself."""
    pieces: list[str | Symbol] = []
    for part in parts_of(word):
        raw = part.get("Value", "")
        if part["Type"] != "SglQuoted" or part.get("Dollar") is True:
            pieces += whole(part, shell, quoted=True).pieces
        elif re.search(r"[$`\\]", raw):
            pieces.append(Symbol(f"'{raw}'", Cause.COMMAND))
        else:
            pieces.append(f"'{raw}'")
    return Text.of(*pieces)


def heredoc(word: Node | None, shell: Shell, raw: bool) -> Text:
    """The body of a here-document; ``raw`` when its delimiter is quoted."""
    if word is None:
        return EMPTY
    pieces: list[str | Symbol] = []
    parts = parts_of(word)
    for index, part in enumerate(parts):
        pieces.append("\\\n" * splitting.continued(parts, index))
        if part["Type"] == "Lit":
            value = part.get("Value", "")
            plain = value if raw else _HEREDOC_ESCAPES.sub(lambda m: m[1], value)
            pieces += shell.run.restored(plain).pieces
        else:
            pieces += whole(part, shell, quoted=True).pieces
    return Text.of(*pieces)


def fields_of(words: Sequence[Node], shell: Shell) -> list[Field]:
    """The words of a command: expanded and split."""
    found: list[Field] = []
    for word in words:
        for spelled in _braces(word):
            found += splitting.split_word(spelled, shell)
            if len(found) > MAX_FIELDS:
                return found[:MAX_FIELDS]
    return found


def pattern_of(word: Node, shell: Shell) -> str | None:
    """A pattern of ``case`` or ``[[ == ]]`` in fnmatch's spelling; quoted parts stand for themselves."""
    out = ""
    for part in parts_of(word):
        if part["Type"] == "Lit":
            out += _ESCAPES.sub(lambda m: f"[{m[1]}]" if m[1] in "*?[" else m[1], part.get("Value", ""))
            continue
        if part["Type"] == "ExtGlob":
            return None
        known = whole(part, shell, quoted=False).certain
        if known is None:
            return None
        if part["Type"] == "ParamExp":
            out += known
        else:
            out += re.sub(r"([*?\[])", r"[\1]", known)
    return out


def matches(text: str, pattern: str) -> bool:
    """Whether a shell pattern matches the whole text."""
    return fnmatch.fnmatchcase(text, pattern.replace("[^", "[!"))


def whole(part: Node, shell: Shell, *, quoted: bool, first: bool = False) -> Text:
    text = _part(part, shell, quoted=quoted, first=first)
    return text.settled if shell.assuming else text


def _part(part: Node, shell: Shell, *, quoted: bool, first: bool) -> Text:
    kind = part["Type"]
    if kind == "Lit":
        value = part.get("Value", "")
        if quoted:
            return shell.run.restored(_unescape_double(value))
        plain = shell.run.restored(_ESCAPES.sub(lambda m: "" if m[1] == "\n" else m[1], value))
        return _tilde(value, plain, shell) if first and value.startswith("~") else plain
    if kind == "SglQuoted":
        raw = part.get("Value", "")
        return shell.run.restored(_dollar_quoted(raw) if part.get("Dollar") is True else raw)
    if kind == "DblQuoted":
        pieces: list[str | Symbol] = []
        for inner in parts_of(part):
            pieces += whole(inner, shell, quoted=True).pieces
        return Text.of(*pieces)
    if kind == "ParamExp":
        value = parameter(part, shell, quoted=quoted)
        return EMPTY if value is None else value
    if kind == "CmdSubst":
        return shell.capture(part)
    if kind == "ArithmExp":
        return arithmetic_text(part["X"], shell)
    if kind == "ProcSubst" and part.get("Op") == "<(":
        return shell.pipe_name(part)
    if kind == "ProcSubst":
        return Text.of(Symbol("<(...)", Cause.COMMAND))
    return literal(str(part.get("Pattern", "")))


def arithmetic_text(node: Node, shell: Shell) -> Text:
    """``$((...))``: the number, or a symbol that is as wide as what it depends on."""
    try:
        value = arithmetic.evaluate(node, shell.state, lambda word: _operand(word, shell), shell.assign)
    except arithmetic.Unknown as unknown:
        spread = widest([shell.spread_of(t) for t in unknown.texts])
        inside = ",".join(t.template for t in unknown.texts)
        return Text.of(Symbol(f"$(({inside}))", Cause.COMMAND, spread, reason="a computed number"))
    except (RecursionError, ValueError, OverflowError):
        return Text.of(Symbol("$((...))", Cause.COMMAND))
    return literal(str(value))


def _operand(word: Node, shell: Shell) -> Text | None:
    name = arithmetic.bare_name(word)
    if name is not None:
        return shell.read(name)
    return text_of(word, shell)


def _braces(word: Node) -> list[Node]:
    """The words that the braces of a word stand for; left as they are when there are too many."""
    if not any(p["Type"] == "Lit" and "{" in p.get("Value", "") for p in parts_of(word)):
        return [word]
    found = [word]
    while len(found) <= MAX_BRACES:
        several = [_one_brace(one) for one in found]
        if all(len(s) == 1 for s in several):
            return found
        found = [one for s in several for one in s]
    return [word]


def _one_brace(word: Node) -> list[Node]:
    parts = parts_of(word)
    for index, part in enumerate(parts):
        if part["Type"] != "Lit" or "{" not in part.get("Value", ""):
            continue
        options = brace_options(part.get("Value", ""))
        if options is None:
            continue
        return [
            {**word, "Parts": [*parts[:index], {**part, "Value": option}, *parts[index + 1 :]]}
            for option in options[:256]
        ]
    return [word]


def _tilde(raw: str, plain: Text, shell: Shell) -> Text:
    head, slash, tail = raw.partition("/")
    if head != "~":
        return plain
    home = shell.read("HOME")
    place = Symbol("HOME", Cause.PLACE, reason="the home folder")
    return (home or Text.of(place)) + literal(slash + tail)
