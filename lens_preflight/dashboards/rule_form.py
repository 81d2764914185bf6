"""What Prometheus refuses in a file of rules, and with it every rule that the file holds."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lens_preflight.documents import Malformed, Mapping, Node, Scalar

_KEYS = frozenset({"record", "alert", "expr", "for", "keep_firing_for", "labels", "annotations"})
_OTHER_KEYS = frozenset({"debug", "update_entries_limit"})
"""What vmalert adds."""

_ASIDE = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`|#[^\n]*")
_PAIRS = {")": "(", "]": "[", "}": "{"}


def refuse_malformed(groups: Iterable[Node]) -> None:
    """Read the rules as strictly as Prometheus does.

    Raises:
        Malformed: a rule is of no kind or of two, lacks its expression, or has a key that no rule has.
    """
    for group in groups:
        for raw in group.children("rules"):
            if (
                isinstance(raw, Mapping)
                and {"record", "alert"} & set(raw.entries)
                and "data" not in raw.entries
            ):
                _refuse(raw)


def _refuse(raw: Mapping) -> None:
    name = raw.text("record") or raw.text("alert") or ""
    if {"record", "alert"} <= set(raw.entries):
        raise Malformed(f"the rule {name} has both record and alert", raw.at)
    unknown = next((key for key in raw.entries if key not in _KEYS | _OTHER_KEYS), None)
    if unknown is not None:
        raise Malformed(f"the rule {name} has the unknown key {unknown}", raw.entries[unknown].at)
    expression = raw.get("expr")
    if not isinstance(expression, Scalar) or not expression.text_value.strip():
        raise Malformed(f"the rule {name} has no expr", raw.at)
    fault = _unbalanced(expression.text_value)
    if fault:
        raise Malformed(f"the expression of the rule {name} {fault}", expression.at)


def _unbalanced(text: str) -> str:
    """What is wrong with the brackets and quotes, whatever version of the language it is; empty: nothing."""
    rest = _ASIDE.sub(" ", text)
    if any(mark in rest for mark in "\"'`"):
        return "has a quote that is not closed"
    opened: list[str] = []
    for char in rest:
        if char in "([{":
            opened.append(char)
        elif char in _PAIRS and (not opened or opened.pop() != _PAIRS[char]):
            return f"has a {char} too many"
    return f"has a {opened[-1]} that is not closed" if opened else ""
