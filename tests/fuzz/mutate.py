"""Mutations that know the structure: of lines and words, of trees, and the values that break readers."""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from random import Random
from typing import Any

from tests.fuzz.target import CANARY

NASTY = (
    *("", " ", "\t", "\0", "²", "٣", "-1", "0", "1e309", "-1e309", "nan", "inf", "0b_", "0x", "08", "1_0"),
    *(
        "9" * 25,
        "9" * 400,
        "9" * 5000,
        "0x" + "f" * 3990,
        "\ud800",
        "\udcff",
        "\ufeff",
        "\u2028",
        "\x1b[31m",
        "🦙",
        "é" * 300,
        "%ff",
        "%",
    ),
    *("${X}", "$X", "$(x)", "`x`", "{{x}}", "../..", "/", "//", "-", "--", "=", ",", ";", "'", '"', "\\"),
    *("null", "true", "no", "~", "[", "]", "{", "}", "(", ")", "<", ">", "&a", "*a", "<<", "!!python/x"),
    *("http://[::1", "http://h:99999", "https://u:p@h", "ipv6:%5B::1%5D:1", "unix:///x", "dns:///h"),
    *("\r\n", "\n", "\r", "#", "|", ":", "?", "*", "a.b", "A" * 3000, "1" * 400, "[[" * 60, "((" * 300),
)
"""Texts that readers trip over."""

SCALARS: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        1 << 70,
        10**400,
        0.5,
        float("inf"),
        float("nan"),
        [],
        {},
        [[]],
        {"": None},
        [None],
    ),
    *("", "x", {"x": "y"}, ["x", 1], {"a": {"b": {"c": []}}}),
)
_WORD = re.compile(r"[A-Za-z0-9_.$-]+|\s+|.", re.DOTALL)


def nasty(random: Random) -> str:
    """A text that readers trip over, or a short one of random signs."""
    if random.random() < 0.7:
        return random.choice(NASTY)
    return "".join(chr(random.choice((random.randrange(32, 127), random.randrange(0x250)))) for _ in range(6))


def text(random: Random, seed: str, words: Sequence[str] = (), others: Sequence[str] = ()) -> str:
    """A text like another one: some lines, words or signs are changed.

    ``words`` are the words of the language, ``others`` texts to take pieces of.
    """
    for _ in range(random.choice((0, 1, 1, 2, 3, 6))):
        seed = _once(random, seed, words, others)
        if len(seed) > 200_000:
            return seed[:200_000]
    return seed


def _once(random: Random, seed: str, words: Sequence[str], others: Sequence[str]) -> str:
    lines = seed.split("\n")
    at = random.randrange(len(lines))
    kind = random.randrange(11)
    if kind == 0:
        del lines[at : at + random.randrange(1, 4)]
    elif kind == 1:
        lines[at:at] = lines[at : at + random.randrange(1, 6)] * random.choice((1, 1, 2, 40))
    elif kind == 2:
        other = random.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == 3 and others:
        donor = random.choice(others).split("\n")
        begin = random.randrange(len(donor))
        lines[at:at] = donor[begin : begin + random.randrange(1, 8)]
    elif kind == 4:
        cut = random.randrange(len(seed) + 1)
        return seed[:cut]
    elif kind == 5:
        cut = random.randrange(len(seed) + 1)
        return seed[:cut] + nasty(random) + seed[cut:]
    elif kind == 6:
        lines[at] = "    " * random.randrange(3) + lines[at].lstrip()
    elif kind == 7:
        lines[at] = random.choice(("#", "- ", "  ", "\t", "!", "export ", "if ", "")) + lines[at]
    else:
        lines[at] = _line(random, lines[at], words)
    return "\n".join(lines)


def _line(random: Random, line: str, words: Sequence[str]) -> str:
    """One word of a line replaced, doubled, left out, or another one put in front of it."""
    parts = _WORD.findall(line) or [""]
    at = random.randrange(len(parts))
    new = random.choice(words) if words and random.random() < 0.6 else nasty(random)
    kind = random.randrange(5)
    if kind == 0:
        parts[at] = new
    elif kind == 1:
        parts.insert(at, new)
    elif kind == 2:
        del parts[at]
    elif kind == 3:
        parts[at] *= random.choice((2, 3, 50))
    else:
        other = random.randrange(len(parts))
        parts[at], parts[other] = parts[other], parts[at]
    return "".join(parts)


def tree(random: Random, seed: Any, words: Sequence[str] = ()) -> Any:
    """A tree of plain data like another one: some values or keys are changed. The seed is kept."""
    whole = [copy.deepcopy(seed)]
    for _ in range(random.choice((1, 1, 2, 3, 8))):
        holder, key = _spot(random, whole)
        holder[key] = _value(random, holder[key], words)
        if isinstance(holder, dict) and random.random() < 0.2:
            renamed = random.choice((*words, nasty(random))) if words else nasty(random)
            holder[renamed] = holder.pop(key)
        elif random.random() < 0.15 and holder is not whole:
            del holder[key]
    return whole[0]


def _spot(random: Random, whole: list[Any]) -> tuple[Any, Any]:
    """A random holder and key in a tree, any depth alike."""
    holder: Any = whole
    key: Any = 0
    while True:
        inside = holder[key]
        if not isinstance(inside, dict | list) or not inside or random.random() < 0.12:
            return holder, key
        holder = inside
        key = random.choice(list(inside)) if isinstance(inside, dict) else random.randrange(len(inside))


def _value(random: Random, old: Any, words: Sequence[str]) -> Any:
    kind = random.randrange(9)
    if kind <= 1:
        return copy.deepcopy(random.choice(SCALARS))
    if kind == 2:
        return nasty(random)
    if kind == 3 and words:
        return random.choice(words)
    if kind == 4:
        return [old] if random.random() < 0.5 else {nasty(random): old}
    if kind == 5 and isinstance(old, list):
        return old * random.choice((0, 2, 3, 20))
    if kind == 6 and isinstance(old, str):
        return text(random, old, words)
    if kind == 7 and isinstance(old, list):
        return random.sample(old, len(old))
    if kind == 8:
        return _deep(random, old)
    return old


def _deep(random: Random, old: Any) -> Any:
    for _ in range(random.choice((3, 30, 150))):
        old = [old] if random.random() < 0.5 else {"x": old}
    return old


def octets(random: Random, seed: bytes) -> bytes:
    """Bytes like others: some are changed, left out, doubled, or cut off."""
    data = bytearray(seed)
    for _ in range(random.choice((0, 1, 2, 4, 12))):
        at = random.randrange(len(data) + 1)
        kind = random.randrange(6)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << random.randrange(8)
        elif kind == 1 and at < len(data):
            data[at] = random.choice((0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)))
        elif kind == 2:
            data[at:at] = random.randbytes(random.choice((1, 2, 9, 200)))
        elif kind == 3:
            del data[at : at + random.choice((1, 2, 9, 200))]
        elif kind == 4:
            data[at:at] = data[at : at + random.choice((1, 9, 40))] * random.choice((1, 2, 200))
        elif random.random() < 0.3:
            del data[at:]
    return bytes(data[:100_000])


def planted(random: Random, value: str) -> str:
    """A value that a program may take for its own, sometimes with the planted secret in a known place."""
    forms = (f"http://user:{CANARY}@h:4318", f"Bearer {CANARY}", CANARY)
    return random.choice(forms) if random.random() < 0.2 else value
