"""The forms in which a secret turns up: quoted, percent-encoded, base64, escaped."""

from __future__ import annotations

import base64
import shlex
from urllib.parse import quote, quote_plus

from lens_preflight.redact.words import SHORTEST

_SHORTEST_CORE = 8


def forms(secret: str) -> set[str]:
    """All spellings of a secret that are at least as long as what is worth looking for."""
    raw = _bytes(secret)
    spelt = {secret, secret.strip(), *_percent(raw), *_escaped(secret), *_base64(raw)}
    return {text for text in spelt if len(text) >= SHORTEST}


def _bytes(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def _percent(raw: bytes) -> set[str]:
    plain = {quote(raw, safe=""), quote(raw), quote_plus(raw)}
    everything = "".join(f"%{byte:02X}" for byte in raw)
    return plain | {_lower_hex(text) for text in plain} | {everything, everything.lower()}


def _lower_hex(text: str) -> str:
    parts = text.split("%")
    return "%".join([parts[0], *(part[:2].lower() + part[2:] for part in parts[1:])])


def _escaped(secret: str) -> set[str]:
    """As in shell words, JSON, Python literals, HTML and XML."""
    import json

    quoted = shlex.quote(secret)
    markup = secret.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return {
        quoted[1:-1] if quoted.startswith("'") else quoted,
        secret.replace("'", "'\\''"),
        "".join(char if char.isalnum() or char in "_-./:,@%+=" else "\\" + char for char in secret),
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        repr(secret)[1:-1],
        repr(_bytes(secret))[2:-1],
        markup,
        markup.replace('"', "&quot;"),
        markup.replace('"', "&quot;").replace("'", "&#x27;"),
    }


def _base64(raw: bytes) -> set[str]:
    """Encoded alone, and as a part of something longer at each of the three alignments."""
    found: set[str] = set()
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        whole = encode(raw).decode()
        found |= {whole, whole.rstrip("=")}
        for shift in range(3):
            core = _core(encode(b"\0" * shift + raw).decode(), shift, len(raw))
            if len(core) >= _SHORTEST_CORE:
                found.add(core)
    return found


def _core(encoded: str, shift: int, length: int) -> str:
    """The characters that depend on the secret alone, whatever stands before and behind it."""
    start = -(-shift * 8 // 6)
    stop = (shift + length) * 8 // 6
    return encoded[start:stop]
