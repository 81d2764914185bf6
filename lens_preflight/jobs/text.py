"""Texts that are known in part: literal pieces, and symbols for what is filled in at run time."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from itertools import product

from lens_preflight.core.data import dataclass, replace
from lens_preflight.core.words import Spread

_WIDTH = {Spread.JOB: 0, Spread.RUN: 1, Spread.NODE: 2, Spread.TASK: 3}
MAX_ALTERNATIVES = 16
MAX_PIECES = 1024
MAX_LENGTH = 1 << 17
MAX_WEIGHT = 128


class Cause(enum.Enum):
    """Who fills in a symbol."""

    SLURM = "set by Slurm"
    LAUNCHER = "set by the launcher"
    POD = "set by Kubernetes"
    COMMAND = "printed by a command"
    CLOCK = "taken from the clock"
    RANDOM = "random"
    HOST = "the name of the host"
    PLACE = "a folder"
    FILE = "read from a file"
    ARGUMENT = "an argument of the script"
    SUBMITTER = "it depends on who submits"
    START = "it depends on how the script is started"
    BRANCH = "it depends on a branch"
    LOOP = "it changes in a loop"
    OPAQUE = "something that cannot be read may set it"
    IMAGE = "the image may set it"
    REMOTE = "not on every host"


@dataclass(frozen=True)
class Symbol:
    """One value that only the running job has.

    ``known`` is its text when that can be said all the same; ``assumed`` then says that the
    submitter may change it. ``optional``: it may also be unset. ``values`` are the possible texts
    (None: unset), as far as they can be listed. ``hint`` is a path on this side that stands for it;
    ``source`` the words of the command that prints it. ``weight`` counts what ``values`` hold.
    ``likely`` is the text when the submitter sets nothing more; ``serial`` tells two evaluations of one
    volatile text apart.
    """

    name: str
    cause: Cause
    spread: Spread = Spread.JOB
    known: str | None = None
    assumed: bool = False
    optional: bool = False
    values: tuple[Text | None, ...] = ()
    hint: str | None = None
    reason: str = ""
    source: str = ""
    weight: int = 1
    likely: Text | None = None
    serial: int = 0

    @property
    def is_list(self) -> bool:
        """True when it may stand for several words: what a command prints, the rest of an array."""
        return self.known is None and (self.name.startswith("$(") or self.name.endswith("[@]"))

    @property
    def why(self) -> str:
        """The reason in words."""
        return self.reason or self.cause.value


@dataclass(frozen=True)
class Text:
    """A word or a value: pieces one after the other."""

    pieces: tuple[str | Symbol, ...] = ()

    @classmethod
    def of(cls, *pieces: str | Symbol) -> Text:
        """A text of these pieces; neighbouring literals are joined."""
        merged: list[str | Symbol] = []
        for piece in pieces:
            if isinstance(piece, str) and merged and isinstance(merged[-1], str):
                merged[-1] += piece
            elif piece != "":
                merged.append(piece)
        if len(merged) > MAX_PIECES or sum(map(_length, merged)) > MAX_LENGTH:
            spread = widest(p.spread for p in merged if isinstance(p, Symbol))
            return cls((Symbol("a long text", Cause.COMMAND, spread, reason="it is too long to follow"),))
        return cls(tuple(merged))

    def __add__(self, other: Text) -> Text:
        return Text.of(*self.pieces, *other.pieces)

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """Its symbols, in order."""
        return tuple(p for p in self.pieces if isinstance(p, Symbol))

    @property
    def constant(self) -> str | None:
        """The text when every piece is known, assumptions about the submitter included."""
        parts = [p if isinstance(p, str) else p.known for p in self.pieces]
        return None if any(p is None for p in parts) else "".join(p for p in parts if p is not None)

    @property
    def certain(self) -> str | None:
        """The text when every piece is known whoever submits."""
        return None if any(s.assumed for s in self.symbols) else self.constant

    @property
    def template(self) -> str:
        """The text with ``{NAME}`` for what is not known."""
        return "".join(p if isinstance(p, str) else _shown(p) for p in self.pieces)

    @property
    def plain(self) -> Text:
        """The same with what the submitter set, and other sure values, as literal pieces."""
        return Text.of(
            *(p if isinstance(p, str) or p.known is None or p.assumed else p.known for p in self.pieces)
        )

    @property
    def settled(self) -> Text:
        """What it is when the submitter sets nothing more: defaults hold, other names are empty."""
        out: list[str | Symbol] = []
        for piece in self.pieces:
            if isinstance(piece, Symbol) and piece.likely is not None:
                out += piece.likely.settled.pieces
            elif isinstance(piece, str) or piece.cause is not Cause.SUBMITTER:
                out.append(piece)
            elif piece.known is not None:
                out.append(piece.known)
        return Text.of(*out)

    @property
    def path(self) -> str | None:
        """The text with the paths on this side filled in; None when a piece has none."""
        parts = [
            p if isinstance(p, str) else (p.known if p.known is not None else p.hint) for p in self.pieces
        ]
        return None if any(p is None for p in parts) else "".join(p for p in parts if p is not None)

    @property
    def spread(self) -> Spread:
        """Over what it may differ: the widest of its unknown symbols."""
        return widest(s.spread for s in self.symbols if s.known is None)

    @property
    def optional(self) -> bool:
        """True when it is one symbol that may be unset."""
        return len(self.pieces) == 1 and isinstance(self.pieces[0], Symbol) and self.pieces[0].optional

    @property
    def filled(self) -> bool | None:
        """True when not empty, False when empty, None when that is not known."""
        certain = self.certain
        if certain is not None:
            return certain != ""
        if any(isinstance(p, str) for p in self.pieces):
            return True
        sure = (Cause.SLURM, Cause.POD, Cause.CLOCK, Cause.RANDOM, Cause.HOST, Cause.PLACE)
        if any(s.cause in sure and not s.optional for s in self.symbols):
            return True
        return None

    def alternatives(self) -> list[str] | None:
        """Every text that it may be, when they can be listed and are few; never a guess."""
        choices: list[Sequence[str]] = []
        total = 1
        for piece in self.pieces:
            options = [piece] if isinstance(piece, str) else _options(piece)
            if options is None:
                return None
            total *= len(options)
            if total > MAX_ALTERNATIVES:
                return None
            choices.append(options)
        return ["".join(parts) for parts in product(*choices)]


def widest(spreads: Iterable[Spread]) -> Spread:
    """The widest of several spreads; JOB for none."""
    return max(spreads, key=_WIDTH.__getitem__, default=Spread.JOB)


def _length(piece: str | Symbol) -> int:
    """How much a piece holds; the name of a symbol may have been made of other texts."""
    return len(piece) if isinstance(piece, str) else len(piece.name) + len(piece.known or "")


def _shown(symbol: Symbol) -> str:
    return symbol.known if symbol.known is not None else "{" + symbol.name + "}"


def _options(symbol: Symbol) -> list[str] | None:
    if symbol.assumed:
        return None
    if symbol.known is not None:
        return [symbol.known]
    if not symbol.values:
        return None
    found: list[str] = []
    for value in symbol.values:
        texts = [""] if value is None else value.alternatives()
        if texts is None:
            return None
        found += texts
    return list(dict.fromkeys(found))


EMPTY = Text()


def literal(text: str) -> Text:
    """A text that is known."""
    return Text((text,)) if text else EMPTY


def symbol(name: str, cause: Cause, spread: Spread = Spread.JOB, reason: str = "") -> Text:
    """A text that is one symbol."""
    return Text((Symbol(name, cause, spread, reason=reason),))


def join(a: Text | None, b: Text | None, reason: str = "", likely: Text | None = None) -> Text | None:
    """What is known when either may have happened; ``likely`` if the submitter sets nothing more."""
    if a == b:
        return a
    flat: list[Text | None] = []
    for side in (a, b):
        for value in _listed(side):
            if value not in flat:
                flat.append(value)
    if a is not None and b is not None and a.constant is not None and a.constant == b.constant:
        return a if a.certain is None else b
    weight = 1 + sum(s.weight for v in flat if v is not None for s in v.symbols)
    known_unset = None in flat or any(v is not None and v.optional for v in flat)
    spread = widest(v.spread for v in flat if v is not None)
    if len(flat) > MAX_ALTERNATIVES or weight > MAX_WEIGHT:
        flat, weight = [], 1
    names = [("unset" if v is None else v.template) for v in flat]
    one = Symbol(
        "|".join(names)[:400] or "?",
        Cause.BRANCH,
        spread,
        optional=known_unset or not flat,
        values=tuple(flat),
        reason=reason,
        weight=weight,
        likely=likely if weight > 1 else None,
    )
    return Text((one,))


def _listed(value: Text | None) -> tuple[Text | None, ...]:
    if value is not None and len(value.pieces) == 1:
        piece = value.pieces[0]
        if isinstance(piece, Symbol) and piece.cause is Cause.BRANCH and piece.values:
            return piece.values
    return (value,)


def per_value(value: Text | None, change: object) -> Text | None:
    """Apply ``change`` (a function of Text | None) to every alternative and join the results."""
    assert callable(change)
    listed = _listed(value)
    result: Text | None = change(listed[0])
    for other in listed[1:]:
        result = join(result, change(other))
    return result


def assume(default: Text, name: str) -> Text:
    """``default``, which holds unless the submitter exports ``name``."""
    known = default.constant
    if known is not None:
        return Text((Symbol(name, Cause.SUBMITTER, known=known, assumed=True),))
    return Text((Symbol(name, Cause.SUBMITTER, known="", assumed=True), *default.pieces))


def widened(value: Text, spread: Spread) -> Text:
    """The same text where its unknown symbols differ at least over ``spread``."""
    return Text(
        tuple(
            p if isinstance(p, str) or p.known is not None else replace(p, spread=widest((p.spread, spread)))
            for p in value.pieces
        )
    )


def shown(text: Text) -> str:
    """A text for a message: one line, not too long."""
    flat = " ".join(text.template.split())
    return flat if len(flat) <= 60 else flat[:57] + "..."
