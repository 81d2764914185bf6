"""Expansion of shell words: quotes, parameters, splitting, braces, arithmetic, command substitution."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lens_preflight.jobs import arithmetic
from lens_preflight.jobs.braces import brace_options
from lens_preflight.jobs.parameters import parameter, parameter_fields
from lens_preflight.jobs.quoting import _ESCAPES, _HEREDOC_ESCAPES, _dollar_quoted, _unescape_double
from lens_preflight.jobs.syntax import Node, parts_of
from lens_preflight.jobs.text import EMPTY, Cause, Symbol, Text, literal, widest

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell


MAX_FIELDS = 4096
MAX_BRACES = 512


@dataclass(frozen=True)
class Field:
    """One word after expansion; ``line`` is where it begins in its script.

    ``placed``: the text stands there as written, so that lines inside it can be counted.
    ``lone``: the word was one unquoted expansion.
    ``script`` is the text with its continued lines, when it has any.
    """

    text: Text
    line: int
    placed: bool = False
    lone: bool = False
    script: Text | None = None

    @property
    def constant(self) -> str:
        """The text, with ``{NAME}`` for what is not known."""
        known = self.text.constant
        return self.text.template if known is None else known


def text_of(word: Node | None, shell: Shell) -> Text:
    """The text of a word that is not split: an assignment, a redirection, a here-document."""
    if word is None:
        return EMPTY
    pieces: list[str | Symbol] = []
    for index, part in enumerate(parts_of(word)):
        pieces += _whole(part, shell, quoted=False, first=index == 0).pieces
    return Text.of(*pieces)


def heredoc(word: Node | None, shell: Shell, raw: bool) -> Text:
    """The body of a here-document; ``raw`` when its delimiter is quoted."""
    if word is None:
        return EMPTY
    pieces: list[str | Symbol] = []
    parts = parts_of(word)
    for index, part in enumerate(parts):
        pieces.append("\\\n" * continued(parts, index))
        if part["Type"] == "Lit":
            value = part.get("Value", "")
            plain = value if raw else _HEREDOC_ESCAPES.sub(lambda m: m[1], value)
            pieces += shell.run.restored(plain).pieces
        else:
            pieces += _whole(part, shell, quoted=True).pieces
    return Text.of(*pieces)


def fields_of(words: Sequence[Node], shell: Shell) -> list[Field]:
    """The words of a command: expanded and split."""
    found: list[Field] = []
    for word in words:
        for spelled in _braces(word):
            found += _split(spelled, shell)
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
        known = _whole(part, shell, quoted=False).certain
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


def _whole(part: Node, shell: Shell, *, quoted: bool, first: bool = False) -> Text:
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
            pieces += _whole(inner, shell, quoted=True).pieces
        return Text.of(*pieces)
    if kind == "ParamExp":
        value = parameter(part, shell)
        return EMPTY if value is None else value
    if kind == "CmdSubst":
        return shell.capture(part)
    if kind == "ArithmExp":
        return arithmetic_text(part["X"], shell)
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


def _split(word: Node, shell: Shell) -> list[Field]:
    line = int(word.get("Pos") or 0)
    parts = parts_of(word)
    lone = len(parts) == 1 and parts[0]["Type"] in ("ParamExp", "CmdSubst")
    fields: list[Field] = []
    current: list[str | Symbol] = []
    begun = False

    def close() -> None:
        nonlocal current, begun
        if begun:
            raw = (
                _with_lines(parts[0], shell) if len(parts) == 1 and parts[0]["Type"] == "DblQuoted" else None
            )
            placed = _is_placed(parts, current if raw is None else raw.pieces)
            fields.append(Field(Text.of(*current), line, placed, lone, raw))
        current, begun = [], False

    for index, part in enumerate(parts):
        kind = part["Type"]
        if kind == "DblQuoted" and _spreads(part):
            for at, text in enumerate(_quoted_fields(part, shell)):
                if at:
                    close()
                current += text.pieces
                begun = True
        elif kind in ("ParamExp", "CmdSubst", "ArithmExp"):
            texts = parameter_fields(part, shell) if kind == "ParamExp" else None
            for at, text in enumerate([_whole(part, shell, quoted=False)] if texts is None else texts):
                if at:
                    close()
                for spaced, piece in _broken(text, shell.ifs):
                    if spaced:
                        close()
                    if piece is not None:
                        current.append(piece)
                        begun = True
        else:
            current += _whole(part, shell, quoted=False, first=index == 0).pieces
            begun = True
    close()
    return fields


def _broken(text: Text, ifs: str) -> list[tuple[bool, str | Symbol | None]]:
    """The pieces of an unquoted expansion; True starts a new field, None carries no text."""
    out: list[tuple[bool, str | Symbol | None]] = []
    pending = False
    for piece in text.pieces:
        if isinstance(piece, Symbol):
            if piece.known is None or not any(c in ifs for c in piece.known):
                out.append((pending, piece))
                pending = False
                continue
            piece = piece.known
        if not ifs:
            out.append((pending, piece))
            pending = False
            continue
        for chunk in re.split(f"([{re.escape(ifs)}]+)", piece):
            if chunk == "":
                continue
            if chunk[0] in ifs:
                pending = True
            else:
                out.append((pending, chunk))
                pending = False
    if pending:
        out.append((True, None))
    return out


def _spreads(part: Node) -> bool:
    """True for ``"$@"`` and ``"${A[@]}"``, which make several words."""
    for inner in parts_of(part):
        if inner["Type"] == "ParamExp" and not inner.get("Length"):
            index = inner.get("Index") or {}
            at = None
            if index.get("Type") == "Word":
                at = next((p.get("Value") for p in parts_of(index)), None)
            if inner["Param"]["Value"] == "@" or at == "@" or inner.get("Names"):
                return True
    return False


def _quoted_fields(part: Node, shell: Shell) -> list[Text]:
    done: list[Text] = []
    current: Text | None = None
    for inner in parts_of(part):
        texts = parameter_fields(inner, shell) if inner["Type"] == "ParamExp" else None
        if texts is None:
            current = (current or EMPTY) + _whole(inner, shell, quoted=True)
            continue
        for at, text in enumerate(texts):
            if at:
                done.append(current or EMPTY)
                current = None
            current = (current or EMPTY) + text
    if current is not None:
        done.append(current)
    return done


def _with_lines(part: Node, shell: Shell) -> Text | None:
    """A quoted text whose continued lines stay continued; None when there are none."""
    inner = parts_of(part)
    if not any(continued(inner, index) for index in range(len(inner))):
        return None
    pieces: list[str | Symbol] = []
    for index, one in enumerate(inner):
        pieces += ["\\\n" * continued(inner, index), *_whole(one, shell, quoted=True).pieces]
    return Text.of(*pieces)


def continued(parts: Sequence[Node], index: int) -> int:
    """The number of lines that the parser joined in front of a part."""
    if not index:
        return 0
    return max(0, int(parts[index].get("Pos") or 0) - int(parts[index - 1].get("End") or 0))


def _is_placed(parts: Sequence[Node], pieces: Sequence[str | Symbol]) -> bool:
    """True when the line ends in a text are those of the quoted word that it stands in."""
    if len(parts) != 1 or parts[0]["Type"] not in ("SglQuoted", "DblQuoted"):
        return False
    inner = parts_of(parts[0]) or [parts[0]]
    written = sum(continued(inner, index) for index in range(len(inner)))
    written += sum(p.get("Value", "").count("\n") for p in inner if p["Type"] in ("Lit", "SglQuoted"))
    seen = sum(p.count("\n") for p in pieces if isinstance(p, str))
    return written >= seen and any(p["Type"] in ("Lit", "SglQuoted") for p in inner)


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
