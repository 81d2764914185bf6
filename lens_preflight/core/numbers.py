"""Numbers in texts that anybody may have written."""

from __future__ import annotations

MOST = 10**7
"""More than any count of processes, seconds or items that a text may name."""


def whole(text: str | None, most: int = MOST) -> int | None:
    """The number that ASCII digits spell, at most ``most``; None for every other text.

    ``str.isdigit`` alone is no guard: ``int("²")`` raises, and so do more than 4300 digits.
    """
    if not text or len(text) > 18 or not (text.isascii() and text.isdigit()):
        return None
    number = int(text)
    return number if number <= most else None
