"""How deep the brackets of a text are nested, looked at before any reader that recurses."""

from __future__ import annotations

import re

from lens_preflight.core.finding import Location
from lens_preflight.documents.tree import Malformed

MAX_DEPTH = 200
"""No configuration or dashboard is nested deeper; readers written in C overflow a small stack."""

_BRACKET = r"[\[{]|[\]}]"
_ALL = re.compile(_BRACKET)
_OUTSIDE_STRINGS = re.compile(rf'"(?:[^"\\]|\\.)*"|{_BRACKET}', re.DOTALL)


def refuse_depth(text: str, path: str, first_line: int, *, strings: bool) -> None:
    """Stop at brackets nested beyond any use.

    ``strings``: brackets in double quotes are none. Raises Malformed with the line.
    """
    depth = 0
    for match in (_OUTSIDE_STRINGS if strings else _ALL).finditer(text):
        sign = match.group()
        if sign in "[{":
            depth += 1
        elif sign in "]}":
            depth = max(0, depth - 1)
        if depth > MAX_DEPTH:
            line = text.count("\n", 0, match.start()) + first_line
            raise Malformed("nested too deeply", Location.file(path, line))
