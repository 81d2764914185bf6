"""Numbers in texts that anybody may have written."""

from __future__ import annotations

import sys

MOST = 10**7
"""More than any count of processes, seconds or items that a text may name."""

BITS = 1023
"""Bits of the largest whole number that is taken for one: a float holds it, and it can be written out.

CPython refuses ``float()`` beyond 1024 bits and ``str()`` beyond 4300 digits, each with an exception.
"""


def huge(thing: object) -> bool:
    """True for a whole number that is too large to be reckoned with or written out, and a range without a length.

    ``len()`` refuses a range of more items than an index can count.
    """
    if isinstance(thing, range):
        return bool(thing) and (thing[-1] - thing[0]) // thing.step >= sys.maxsize
    return isinstance(thing, int) and thing.bit_length() > BITS


def json_integer(text: str) -> int | float:
    """The number of a JSON text; one too large is infinite, as it is for JavaScript."""
    return int(text) if len(text) <= 300 else float(text)


def whole(text: str | None, most: int = MOST) -> int | None:
    """The number that ASCII digits spell, at most ``most``; None for every other text.

    ``str.isdigit`` alone is no guard: ``int("²")`` raises, and so do more than 4300 digits.
    """
    if not text or len(text) > 18 or not (text.isascii() and text.isdigit()):
        return None
    number = int(text)
    return number if number <= most else None
