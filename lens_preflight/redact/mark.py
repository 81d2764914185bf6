"""A mark by which different secrets are told apart, in a report that others read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import lru_cache

DIGITS = 3
"""Hexadecimal digits of a mark: all that anybody can ever learn from it are 12 bits."""

_ROUNDS = 100_000


def mark(secrets: Sequence[str], about: str) -> str:
    """Equal for equal secrets about the same thing, and for different ones in 1 of 4096 cases.

    A whole digest of a short secret, salted or not, gives it to whoever tries all words. This one is so
    short that among a million words hundreds fit. It depends on nothing that differs from host to
    host, or else many reports together would say more than one of them.
    """
    return _mark(tuple(secrets), about) if any(secrets) else ""


@lru_cache(maxsize=64)
def _mark(secrets: tuple[str, ...], about: str) -> str:
    text = json.dumps(secrets).encode()
    salt = f"lens-preflight {about}".encode("utf-8", "surrogatepass")
    return hashlib.pbkdf2_hmac("sha256", text, salt, _ROUNDS).hex()[:DIGITS]
