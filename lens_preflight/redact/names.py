"""Which names stand for secrets: of variables, options, headers, keys of settings."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from lens_preflight.redact.words import word_set

_PIECE: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

_ALWAYS: Final = word_set(
    "password passwd passphrase passcode secret secrets credential credentials apikey jwt cookie",
    "cookies authorization bearer dsn accesstoken authtoken",
)
_TAILS: Final = ("password", "passwd", "token", "secret", "apikey", "passphrase")
_PLACES: Final = word_set(
    "file files path paths dir directory certificate cert url uri endpoint host port timeout ttl type",
    "length size count name id ids dim dispatcher level mode format",
)
_NOT_A_KEY: Final = word_set(
    "public client cache sort primary foreign partition group label dict metric index object hash",
    "shard host known authorized lookup",
)
_MANY: Final = word_set("api access auth secret private refresh bearer encryption")
_NOT_A_TOKEN: Final = word_set(
    "pad eos bos unk mask sep cls special vocab image audio end start begin stop first last next per",
    "single multi max min",
)
_NOT_A_PASS: Final = word_set("forward backward single first second two multi n max num per")


@lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    """Whether the value of a variable, option or key of this name is a secret.

    A name is judged by its words (``WANDB_API_KEY``, ``apiKey``, ``x-api-key``): passwords, tokens,
    keys, credentials, headers. Names of files (``OTEL_EXPORTER_OTLP_CERTIFICATE``,
    ``..._CLIENT_KEY``, ``..._FILE``) and words of language models (``MAX_TOKENS``, ``PAD_TOKEN``)
    are none.
    """
    words = [piece.lower() for piece in _PIECE.findall(name[:200])]
    if not words:
        return False
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if words[-3:] == ["access", "key", "id"] or words[-2:] == ["connection", "string"]:
        return True
    if last in _PLACES or words == ["google", "application", "credentials"]:
        return False
    return is_header_name(name) or not _ALWAYS.isdisjoint(words) or _by_last(words, last, before)


def _by_last(words: list[str], last: str, before: str) -> bool:
    if last == "token":
        return before not in _NOT_A_TOKEN
    if last in ("tokens", "keys"):
        return before in _MANY
    if last == "key":
        return before != "" and before not in _NOT_A_KEY
    if last == "pass":
        return before != "" and before not in _NOT_A_PASS
    if last == "pwd":
        return before not in ("", "old")
    return last == "auth" or any(word.endswith(_TAILS) for word in words)


def is_header_name(name: str) -> bool:
    """Whether a variable holds headers as ``key=value,...``, such as ``OTEL_EXPORTER_OTLP_HEADERS``."""
    return name.upper().endswith(("_HEADERS", "_HEADER")) or name == "headers"
