"""Templates of ``str.format``: what they ask for."""

from __future__ import annotations

import string


def missing_field(template: object, count: int, names: set[str]) -> str:
    """The error of a template that asks for more than it is given; empty when it gets all."""
    if not isinstance(template, str):
        return ""
    number = 0
    try:
        fields = [field for _, field, _, _ in string.Formatter().parse(template) if field is not None]
    except ValueError:
        return "ValueError"
    for field in fields:
        first = field.partition(".")[0].partition("[")[0]
        if first == "":
            first, number = str(number), number + 1
        if first.isdigit():
            if int(first) >= count:
                return "IndexError"
        elif first not in names:
            return "KeyError"
    return ""
