"""Command-line options of launchers, as far as the words are known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from lens_preflight.core.data import dataclass, field
from lens_preflight.core.numbers import whole
from lens_preflight.jobs.field import Field
from lens_preflight.jobs.text import EMPTY, Text, literal


@dataclass(frozen=True)
class Option:
    """One option with its value (None: it has none) and the word it stands in."""

    name: str
    value: Text | None
    word: Field


@dataclass(frozen=True)
class Options:
    """Options before the command, and the command."""

    given: tuple[Option, ...] = ()
    rest: tuple[Field, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)

    def all(self, *names: str) -> list[Option]:
        """Every occurrence of an option under any of its names."""
        return [o for o in self.given if o.name in names]

    def last(self, *names: str) -> Option | None:
        """The occurrence that counts."""
        found = self.all(*names)
        return found[-1] if found else None

    def text(self, *names: str) -> Text | None:
        """The value that counts; None when the option is not given."""
        option = self.last(*names)
        return None if option is None else (option.value or EMPTY)

    def has(self, *names: str) -> bool:
        """Whether an option is given."""
        return self.last(*names) is not None


def split(
    words: Sequence[Field], valued: Iterable[str], *, attached: bool = True, underscores: bool = False
) -> Options:
    """Options from the front of ``words`` up to the first word that is none.

    ``valued`` are the options that take a separate value; ``--x=v`` always has one. ``attached``:
    short options may carry their value (``-N2``). ``underscores``: ``_`` counts as ``-``.
    """
    takes = frozenset(valued)
    given: list[Option] = []
    index = 0
    while index < len(words):
        word = words[index]
        text = (
            word.text.plain if word.text.symbols and word.text.pieces[0] in word.text.symbols else word.text
        )
        head = text.pieces[0] if text.pieces else ""
        head = head if isinstance(head, str) else ""
        if _may_be_options(words, index):
            index += 1
            continue
        if head == "--" and len(text.pieces) == 1:
            index += 1
            break
        if not head.startswith("-") or head == "-":
            break
        name, equals, rest = head.partition("=")
        name = _normal(name, underscores)
        tail = Text(text.pieces[1:])
        if equals:
            given.append(Option(name, literal(rest) + tail, word))
        elif name in takes:
            index += 1
            value = words[index].text if index < len(words) else EMPTY
            given.append(Option(name, value, word))
        elif not name.startswith("--") and attached and name[:2] in takes and len(name) > 2:
            given.append(Option(name[:2], literal(head[2:]) + tail, word))
        else:
            given.append(Option(name, None, word))
        index += 1
    return Options(tuple(given), tuple(words[index:]))


def _may_be_options(words: Sequence[Field], index: int) -> bool:
    """True for an unquoted expansion of unknown text with more options behind it."""
    word = words[index]
    if not word.lone or word.text.path is not None or len(word.text.pieces) != 1:
        return False
    following = words[index + 1].text.plain.template if index + 1 < len(words) else ""
    return following.startswith("-")


def _normal(name: str, underscores: bool) -> str:
    if underscores and name.startswith("--"):
        return "--" + name[2:].replace("_", "-")
    return name


def integer(text: Text | None) -> int | None:
    """The number that a text says, None when it says none."""
    known = None if text is None else text.constant
    return None if known is None else whole(known.strip())


def constant(text: Text | None) -> str | None:
    """The text as far as it is known; None for none."""
    return None if text is None else text.constant
