"""Splitting of expansions into words."""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lens_preflight.jobs import words
from lens_preflight.jobs.field import Field
from lens_preflight.jobs.parameters import parameter_fields
from lens_preflight.jobs.syntax import Node, parts_of
from lens_preflight.jobs.text import EMPTY, Symbol, Text

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell


def split_word(word: Node, shell: Shell) -> list[Field]:
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
            placed = is_placed(parts, current if raw is None else raw.pieces)
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
            for at, text in enumerate([words.whole(part, shell, quoted=False)] if texts is None else texts):
                if at:
                    close()
                for piece in _broken(text, shell.ifs):
                    if isinstance(piece, _Gap):
                        begun = begun or piece is _Gap.MARK
                        close()
                    else:
                        current.append(piece)
                        begun = True
        else:
            current += words.whole(part, shell, quoted=False, first=index == 0).pieces
            begun = True
    close()
    return fields


class _Gap(enum.Enum):
    """What ends a word inside an expansion: blanks, or a mark such as a comma, which also ends an empty one."""

    BLANK = "blank"
    MARK = "mark"


def _broken(text: Text, ifs: str) -> list[str | Symbol | _Gap]:
    """The pieces of an unquoted expansion, and the gaps between its words."""
    out: list[str | Symbol | _Gap] = []
    split = re.compile(f"([{re.escape(ifs)}]+)") if ifs else None
    for piece in Text.of(*(_known(p, ifs) for p in text.pieces)).pieces:
        if isinstance(piece, Symbol) or split is None:
            out.append(piece)
            continue
        for chunk in filter(None, split.split(piece)):
            marks = sum(not c.isspace() for c in chunk)
            if chunk[0] not in ifs:
                out.append(chunk)
            else:
                out += [_Gap.MARK] * marks or [_Gap.BLANK]
    return out


def _known(piece: str | Symbol, ifs: str) -> str | Symbol:
    """A symbol whose text is known and is split counts as its text."""
    if isinstance(piece, Symbol) and piece.known is not None and any(c in ifs for c in piece.known):
        return piece.known
    return piece


def _spreads(part: Node) -> bool:
    """True for ``"$@"`` and ``"${A[@]}"``, which make several words."""
    for inner in parts_of(part):
        if inner["Type"] == "ParamExp" and not inner.get("Length"):
            index = inner.get("Index") or {}
            at = None
            if index.get("Type") == "Word":
                at = next((p.get("Value") for p in parts_of(index)), None)
            if inner["Param"]["Value"] == "@" or at == "@" or inner.get("Names") == "@":
                return True
    return False


def _quoted_fields(part: Node, shell: Shell) -> list[Text]:
    done: list[Text] = []
    current: Text | None = None
    for inner in parts_of(part):
        texts = parameter_fields(inner, shell) if inner["Type"] == "ParamExp" else None
        if texts is None:
            current = (current or EMPTY) + words.whole(inner, shell, quoted=True)
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
        pieces += ["\\\n" * continued(inner, index), *words.whole(one, shell, quoted=True).pieces]
    return Text.of(*pieces)


def continued(parts: Sequence[Node], index: int) -> int:
    """The number of lines that the parser joined in front of a part."""
    if not index:
        return 0
    return max(0, int(parts[index].get("Pos") or 0) - int(parts[index - 1].get("End") or 0))


def is_placed(parts: Sequence[Node], pieces: Sequence[str | Symbol]) -> bool:
    """True when the line ends in a text are those of the quoted word that it stands in."""
    if len(parts) != 1 or parts[0]["Type"] not in ("SglQuoted", "DblQuoted"):
        return False
    inner = parts_of(parts[0]) or [parts[0]]
    written = sum(continued(inner, index) for index in range(len(inner)))
    written += sum(p.get("Value", "").count("\n") for p in inner if p["Type"] in ("Lit", "SglQuoted"))
    seen = sum(p.count("\n") for p in pieces if isinstance(p, str))
    return written >= seen and any(p["Type"] in ("Lit", "SglQuoted") for p in inner)
