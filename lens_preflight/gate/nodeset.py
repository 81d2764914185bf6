"""Node names in Slurm's short form: ``gpu[001-412,414]``, and back."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator

from lens_preflight.core.errors import InputError

MOST = 1_000_000
"""More nodes than any cluster has; a longer list is a mistake, or meant to exhaust memory."""

LONGEST = 253
"""Characters of the longest name that DNS has room for."""

SPACE = 64_000_000
"""Characters of all names together; a million of the usual ones need a quarter of it."""

_BRACKETS = re.compile(r"\[[^]]*\]")
_NAME = re.compile(r"(.*?)([0-9]{1,18})([^0-9]*)\Z", re.DOTALL)
_RANGE = re.compile(r"([0-9]+)(?:-([0-9]+))?\Z")


def fold(names: Iterable[str]) -> str:
    """The names in the short form, sorted, each once; numbers keep their zeros.

    Only the last number of a name is folded: ``rack1n[1-3],rack2n1``.
    """
    return _fold(tuple(names))


@functools.lru_cache(maxsize=64)
def _fold(names: tuple[str, ...]) -> str:
    plain: list[str] = []
    groups: dict[tuple[str, str], list[str]] = {}
    for name in dict.fromkeys(names):
        match = _NAME.match(name)
        if match is None:
            plain.append(name)
        else:
            before, digits, after = match.groups()
            groups.setdefault((before, after), []).append(digits)
    folded = [_group(before, digits, after) for (before, after), digits in sorted(groups.items())]
    return ",".join((*sorted(plain), *folded))


def _group(before: str, digits: list[str], after: str) -> str:
    if len(digits) == 1:
        return f"{before}{digits[0]}{after}"
    return f"{before}[{','.join(_ranges(digits))}]{after}"


def _ranges(digits: Iterable[str]) -> Iterator[str]:
    """Runs of consecutive numbers; a padded width is not mixed with another one."""
    widths = {len(text) for text in digits if len(text) > 1 and text.startswith("0")}
    keys = sorted((len(text) if len(text) in widths else 0, int(text)) for text in digits)
    first = last = keys[0]
    for key in (*keys[1:], (-1, -1)):
        if key[0] == last[0] and key[1] == last[1] + 1:
            last = key
            continue
        start = f"{first[1]:0{first[0]}d}"
        yield start if first == last else f"{start}-{last[1]:0{last[0]}d}"
        first = last = key


def expand(text: str) -> tuple[str, ...]:
    """The names that a short form stands for, in its order.

    Raises:
        InputError: brackets do not match, a range runs backwards, a name is too long, or there are
            too many names.
    """
    names: list[str] = []
    space = SPACE
    for part in _split(text):
        length = len(_BRACKETS.sub("1", part))  # of the shortest name
        if length > LONGEST:
            raise InputError(
                f"{part[:60]!r}: more than {LONGEST} characters name no node; write n[1-4],login1"
            )
        found = _expand(part, min(MOST - len(names), space // length))
        names += found
        space -= sum(map(len, found))
    return tuple(names)


def _split(text: str) -> list[str]:
    """The parts between commas that are outside brackets."""
    parts, start, depth = [], 0, 0
    for place, letter in enumerate(text):
        depth += {"[": 1, "]": -1}.get(letter, 0)
        if depth not in (0, 1):
            raise InputError(f"{text[:60]!r}: brackets do not match; write names as n[1-4],login1")
        if letter == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    if depth:
        raise InputError(f"{text[:60]!r}: a bracket is not closed; write names as n[1-4],login1")
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def _expand(part: str, room: int) -> list[str]:
    before, bracket, rest = part.partition("[")
    if not bracket:
        names = [part]
    else:
        inner, _, after = rest.partition("]")
        tails = _expand(after, room) if after else [""]
        numbers = list(_numbers(inner, part, room))
        if len(numbers) * len(tails) > room:
            raise InputError(f"{part[:60]!r}: too many names; give the nodes of one job")
        names = [f"{before}{number}{tail}" for number in numbers for tail in tails]
    if len(names) > room:
        raise InputError(f"{part[:60]!r}: too many names; give the nodes of one job")
    return names


def _numbers(inner: str, part: str, room: int) -> Iterator[str]:
    for piece in inner.split(","):
        match = _RANGE.match(piece.strip())
        if match is None or len(piece) > 40:
            raise InputError(f"{part[:60]!r}: {piece[:20]!r} is no number or range; write n[1-4,7]")
        low, high = int(match[1]), int(match[2] or match[1])
        if not 0 <= high - low < room:
            raise InputError(f"{part[:60]!r}: the range {piece[:20]!r} is backwards or too long")
        width = len(match[1]) if match[1].startswith("0") else 0
        yield from (f"{number:0{width}d}" for number in range(low, high + 1))
