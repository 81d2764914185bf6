"""Control characters as C, Go and bash spell them behind a backslash."""

from __future__ import annotations

CONTROL = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
