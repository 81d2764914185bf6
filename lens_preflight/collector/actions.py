"""What the actions of the ``attributes`` and ``resource`` processors make of an item.

Source: opentelemetry-collector-contrib v0.148, internal/coreinternal/attraction; run with a build of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from lens_preflight.collector.draft import Draft
from lens_preflight.collector.filters import selection
from lens_preflight.collector.model import Component
from lens_preflight.collector.ottl import Facts
from lens_preflight.collector.values import Between, Partly, Truth, Value, matches
from lens_preflight.core.go_patterns import found_in
from lens_preflight.documents import Node, Scalar

_HASHED = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
"""Stands for the hash of a value: a text that is no other."""
_GROUP = re.compile(r"\(\?P?<(\w+)>")


def act(component: Component, root: str, key: str, draft: Draft, name_of_signal: str) -> None:
    """Carry out the actions that are listed under a key, if the item is selected for them."""

    def change() -> None:
        for action in component.body.children(key) if component.body is not None else ():
            _WORDS.get((action.text("action") or "").lower(), _unclear)(draft, root, action)

    draft.when(selects(component, draft.now(), name_of_signal), change)


def selects(component: Component, facts: Facts, signal: str) -> Truth:
    """Whether ``include`` and ``exclude`` of a processor leave an item to it."""
    included, excluded = (selection(component, word, signal) for word in ("include", "exclude"))
    inside = Truth.YES if included is None else included.judged(facts)
    outside = Truth.NO if excluded is None else excluded.judged(facts)
    if Truth.NO in (inside,) or inside is Truth.UNLIKELY or outside is Truth.YES:
        return Truth.NO
    return Truth.UNKNOWN if Truth.UNKNOWN in (inside, outside) else Truth.YES


def _named(draft: Draft, root: str, action: Node) -> Iterator[tuple[str, bool]]:
    """The attributes that an action means, by name or by pattern; whether that is sure."""
    key, pattern = action.text("key"), action.text("pattern")
    if key:
        yield key, True
    elif pattern is not None:
        for name in draft.keys(root):
            hit = found_in(pattern, name)
            if hit is not False:
                yield name, hit is True


def _given(draft: Draft, root: str, action: Node) -> Value:
    """The value that is written; None when nothing is."""
    value = action.get("value")
    if isinstance(value, Scalar) and value.value is not None:
        return Partly.UNKNOWN if value.open else value.value
    source = action.text("from_attribute")
    if source is not None:
        return draft.of(root, source)
    return Partly.UNKNOWN


def _upsert(draft: Draft, root: str, action: Node) -> None:
    value = _given(draft, root, action)
    for key, _ in _named(draft, root, action):
        if value is not None:
            draft.put(root, key, value)


def _insert(draft: Draft, root: str, action: Node) -> None:
    value = _given(draft, root, action)
    for key, _ in _named(draft, root, action):
        before = draft.of(root, key)
        if before is None and value is not None:
            draft.put(root, key, value)
        elif before in (Partly.FOREIGN, Partly.MAYBE, Partly.UNKNOWN):
            draft.put(root, key, Partly.UNKNOWN)


def _update(draft: Draft, root: str, action: Node) -> None:
    value = _given(draft, root, action)
    for key, _ in _named(draft, root, action):
        before = draft.of(root, key)
        if before in (Partly.FOREIGN, Partly.MAYBE, Partly.UNKNOWN):
            draft.put(root, key, before if before is Partly.FOREIGN else Partly.UNKNOWN)
        elif before is not None and value is not None:
            draft.put(root, key, value)


def _delete(draft: Draft, root: str, action: Node) -> None:
    for key, sure in _named(draft, root, action):
        draft.put(root, key, None if sure else Partly.UNKNOWN)


def _hash(draft: Draft, root: str, action: Node) -> None:
    for key, sure in _named(draft, root, action):
        before = draft.of(root, key)
        if before is not None and before is not Partly.FOREIGN:
            known = sure and not isinstance(before, Partly)
            draft.put(root, key, _HASHED if known else Partly.UNKNOWN)


def _convert(draft: Draft, root: str, action: Node) -> None:
    wanted = action.text("converted_type") or ""
    for key, _ in _named(draft, root, action):
        draft.put(root, key, converted(draft.of(root, key), wanted))


def converted(value: Value, wanted: str) -> Value:
    """A value as another type."""
    if value is None or value is Partly.FOREIGN:
        return value
    if isinstance(value, (Partly, Between)):
        texts = (Partly.SOME, Partly.NAMES, Partly.PRESENT, Partly.HOSTS)
        return value if wanted == "string" and value in texts else Partly.UNKNOWN
    if wanted == "string":
        return str(value).lower() if isinstance(value, bool) else str(value)
    if wanted in ("int", "double") and not isinstance(value, str):
        return int(value) if wanted == "int" else float(value)
    return Partly.UNKNOWN


def _extract(draft: Draft, root: str, action: Node) -> None:
    """New attributes, named like the groups of a pattern that fits."""
    pattern = action.text("pattern") or ""
    for key, _ in _named(draft, root, action):
        source = draft.of(root, key)
        if source is None or source is Partly.FOREIGN or matches(source, pattern) is Truth.NO:
            continue
        for group in _GROUP.findall(pattern):
            draft.put(root, group, Partly.UNKNOWN)


def _unclear(draft: Draft, root: str, action: Node) -> None:
    for key, _ in _named(draft, root, action):
        draft.put(root, key, Partly.UNKNOWN)


_WORDS: dict[str, Callable[[Draft, str, Node], None]] = {
    "upsert": _upsert,
    "insert": _insert,
    "update": _update,
    "delete": _delete,
    "hash": _hash,
    "convert": _convert,
    "extract": _extract,
}
