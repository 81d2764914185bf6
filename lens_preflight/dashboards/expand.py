"""What Grafana makes of a text with variables: the chosen values, in the format that the text asks for."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import quote

from lens_preflight.dashboards.selectors import Language
from lens_preflight.dashboards.variables import Mention, mentions

_LUCENE = re.compile(r"([!*+\-=<>\s&|()\[\]{}^~?:\\/\"])")
_UNRESERVED = ";,/?:@&=+$-_.~#"


def expand(text: str, chosen: Mapping[str, Sequence[str]], language: Language = Language.PROMQL) -> str:
    """Put the chosen values of variables into a text; those that are not listed stay as they are written.

    One value is formatted as that of a variable with a single choice, several as a list.
    """
    parts, position = [], 0
    for mention in mentions(text):
        values = chosen.get(mention.name)
        if values:
            parts += [text[position : mention.start], _formatted(mention, values, language)]
            position = mention.end
    return "".join([*parts, text[position:]])


def _formatted(mention: Mention, values: Sequence[str], language: Language) -> str:
    name, _, argument = mention.format.partition(":")
    if ".text" in mention.text:
        name = "text"
    if not name:
        return _by_language(values, language)
    if name in ("queryparam", "customqueryparam"):
        return "&".join(f"var-{mention.name}={value}" for value in values)
    if name == "distributed":
        return f",{mention.name}=".join(values)
    if name == "join":
        return (argument or ",").join(values)
    piece = _FORMATS.get(name, _glob)(values)
    if name == "lucene" and language is not Language.LUCENE:
        return piece.replace("\\", "\\\\")  # in a string of any other language such an escape is an error
    return piece


def _by_language(values: Sequence[str], language: Language) -> str:
    """Without a format each data source has its own."""
    if language is Language.LUCENE:
        return values[0] if len(values) == 1 else _lucene(values)
    return values[0] if len(values) == 1 else f"({'|'.join(values)})"


def _lucene(values: Sequence[str]) -> str:
    escaped = [_LUCENE.sub(r"\\\1", value) for value in values]
    return escaped[0] if len(escaped) == 1 else "(" + " OR ".join(f'"{value}"' for value in escaped) + ")"


def _regex(values: Sequence[str]) -> str:
    escaped = [re.sub(r"([\\^$*+?.()|\[\]{}/])", r"\\\1", value) for value in values]
    return escaped[0] if len(escaped) == 1 else f"({'|'.join(escaped)})"


def _glob(values: Sequence[str]) -> str:
    return values[0] if len(values) == 1 else "{" + ",".join(values) + "}"


def _quoted(mark: str) -> Callable[[Sequence[str]], str]:
    return lambda values: ",".join(f"{mark}{value}{mark}" for value in values)


_FORMATS: Mapping[str, Callable[[Sequence[str]], str]] = {
    "lucene": _lucene,
    "raw": ",".join,
    "csv": ",".join,
    "html": ", ".join,
    "text": " + ".join,
    "pipe": "|".join,
    "regex": _regex,
    "glob": _glob,
    "json": lambda values: values[0] if len(values) == 1 else json.dumps(list(values), separators=(",", ":")),
    "percentencode": lambda values: quote(_glob(values), safe=""),
    "uriencode": lambda values: quote(_glob(values), safe=_UNRESERVED),
    "singlequote": _quoted("'"),
    "doublequote": _quoted('"'),
    "sqlstring": _quoted("'"),
    "date": lambda values: "NaN",
}
"""A format that Grafana does not know is read as ``glob``."""
