"""``OTEL_EXPORTER_OTLP_HEADERS`` as the exporters parse it (opentelemetry-api 1.45.2)."""

from __future__ import annotations

import re
from urllib.parse import unquote

from lens_preflight.core.data import dataclass

_NAME = r"[\x21\x23-\x27*+\-.0-9A-Z\x5e-\x7a|~]+"
_TEXT = r"\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e"
_ENCODED = re.compile(rf"[ \t]*{_NAME}[ \t]*=[ \t]*[{_TEXT}]*[ \t]*")
_LITERAL = re.compile(rf"[ \t]*{_NAME}[ \t]*=[ \t]*[\x20{_TEXT}]*[ \t]*")
_COMMA = re.compile(r"[ \t]*,[ \t]*")


@dataclass(frozen=True)
class Headers:
    """The headers of one variable.

    ``items`` in order, names in lower case, the last of equal names wins. ``dropped`` are the
    positions (counted from 1, over the items that are not empty) of items that the exporter drops
    with a warning: their text may be a secret. ``after_comma`` says that one of them follows an item
    that was kept and has no ``=``: most likely a value that held a comma and was cut there.
    """

    items: tuple[tuple[str, str], ...] = ()
    dropped: tuple[int, ...] = ()
    after_comma: bool = False


def parse(text: str) -> Headers:
    """Read the text of a headers variable.

    An item of only URL-safe characters is percent-decoded; one with a blank in its value is kept as
    it is; any other is dropped.
    """
    found: dict[str, str] = {}
    dropped: list[int] = []
    cut = False
    items = [item for item in _COMMA.split(text) if item]
    for position, item in enumerate(items, 1):
        plain = item.strip()
        name, _, value = plain.partition("=")
        if _ENCODED.fullmatch(plain):
            found[unquote(name).strip().lower()] = unquote(value).strip()
        elif _LITERAL.fullmatch(plain):
            found[name.strip().lower()] = value.strip()
        else:
            dropped.append(position)
            cut = cut or (position > 1 and position - 1 not in dropped and "=" not in plain)
    return Headers(tuple(found.items()), tuple(dropped), cut)
