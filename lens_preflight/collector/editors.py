"""What the editors of a transform make of an item.

Source: opentelemetry-collector-contrib v0.148, pkg/ottl/ottlfuncs and processor/transformprocessor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase

from lens_preflight.collector.draft import MAPS, Draft
from lens_preflight.collector.ottl import Condition, value_of
from lens_preflight.collector.ottl_parser import ENUMS, parse
from lens_preflight.collector.resource_edits import MANY
from lens_preflight.collector.statements import Statement, in_context
from lens_preflight.collector.values import Partly, Truth, Value, matches
from lens_preflight.core.go_patterns import found_in

_PLACES = {
    "resource": "resource",
    "span": "attributes",
    "datapoint": "attributes",
    "log": "attributes",
}
_OUTSIDE = frozenset({"spanevent", "scope", "instrumentation_scope", "exemplar"})
"""Contexts of parts of an item, which there may be none of."""
_TYPES = {"convert_gauge_to_sum": ("GAUGE", "SUM"), "convert_sum_to_gauge": ("SUM", "GAUGE")}
_ABSENT = (None, Partly.FOREIGN)


def run(statement: Statement, draft: Draft) -> None:
    """Carry out a statement, as far as its condition is known to hold."""
    runs = statement.runs(draft.now())
    if statement.context in _OUTSIDE and runs is Truth.YES:
        runs = Truth.UNKNOWN
    draft.when(runs, lambda: _change(statement, draft))


def place(path: str, context: str) -> str:
    """``attributes`` or ``resource`` for the path of a map of attributes; empty for any other path."""
    owner, _, rest = path.rpartition(".")
    return _PLACES.get(owner or context or "span", "") if rest == "attributes" else ""


def _change(statement: Statement, draft: Draft) -> None:
    editor, target = statement.editor, statement.target
    if not editor:
        for root in MAPS:
            draft.blur(root)
        return
    if editor in _TYPES:
        _retyped(editor, draft)
    elif editor == "scale_metric":
        unit = statement.string(1)
        if unit is not None or len(statement.arguments) > 1:
            draft.field("metric.unit", Partly.UNKNOWN if unit is None else unit)
    elif editor.startswith("aggregate_on_attribute"):
        if len(statement.arguments) > 1:
            _keep_only(statement, draft, "attributes")
    elif target is None:
        for root in MAPS:
            word = "resource.attributes" if root == "resource" else "attributes"
            if statement.arguments and word in statement.arguments[0]:
                draft.blur(root)
    elif place(target.path, statement.context):
        root = place(target.path, statement.context)
        if target.key:
            _on_key(statement, draft, root, target.key)
        else:
            _ON_MAP.get(editor, _anything)(statement, draft, root)
    elif editor in _WRITERS:
        path = target.path if "." in target.path else f"{statement.context or 'span'}.{target.path}"
        value = _value(statement, 1, draft) if editor == "set" and not target.key else Partly.UNKNOWN
        if value is not None and path.partition(".")[0] not in _OUTSIDE:
            draft.field(path, value)


def _retyped(editor: str, draft: Draft) -> None:
    old, new = (ENUMS[f"METRIC_DATA_TYPE_{word}"] for word in _TYPES[editor])
    if draft.of("type", "value") == old:
        draft.field("metric.type", new)


def _value(statement: Statement, position: int, draft: Draft) -> Value:
    """What an argument is for this item."""
    if position >= len(statement.arguments) or "${" in statement.arguments[position]:
        return Partly.UNKNOWN
    try:
        found = in_context(parse(statement.arguments[position]), statement.context)
    except ValueError:
        return Partly.UNKNOWN
    value = value_of(found.left, draft.now()) if _is_term(found) else found.judged(draft.now())
    if isinstance(value, Truth):
        return {Truth.YES: True, Truth.NO: False}.get(value, Partly.UNKNOWN)
    return value  # type: ignore[return-value]


def _is_term(condition: Condition) -> bool:
    return condition.op == "is"


def _on_key(statement: Statement, draft: Draft, root: str, key: str) -> None:
    before = draft.of(root, key)
    if statement.editor == "set":
        value = _value(statement, 1, draft)
        if value is None:
            return  # set with nil does nothing
        unsure = value in (Partly.FOREIGN, Partly.MAYBE) and before not in _ABSENT
        draft.put(root, key, Partly.UNKNOWN if unsure else value)
    elif statement.editor in ("replace_pattern", "replace_match"):
        draft.put(root, key, _replaced(before, statement.string(1), statement.editor == "replace_match"))
    elif before not in _ABSENT or statement.editor in ("append", "merge_maps"):
        draft.put(root, key, Partly.UNKNOWN)


def _replaced(before: Value, pattern: str | None, is_glob: bool) -> Value:
    """Only texts are changed, and only those that the pattern fits."""
    if before in _ABSENT or isinstance(before, (bool, int, float)):
        return before
    if pattern is None:
        return Partly.UNKNOWN
    if is_glob:
        return before if isinstance(before, str) and not fnmatchcase(before, pattern) else Partly.UNKNOWN
    return before if matches(before, pattern) in (Truth.NO, Truth.UNLIKELY) else Partly.UNKNOWN


def _set(statement: Statement, draft: Draft, root: str) -> None:
    source = statement.field(1)
    whole = place(source.path, statement.context) if source is not None and not source.key else ""
    if whole == root:
        return
    draft.blur(root)
    if whole:
        for key in draft.keys(whole):
            draft.put(root, key, draft.of(whole, key))


def _delete_key(statement: Statement, draft: Draft, root: str) -> None:
    key = statement.string(1)
    if key is None:
        _anything(statement, draft, root)
    else:
        draft.put(root, key, None)


def _delete_matching(statement: Statement, draft: Draft, root: str) -> None:
    for key, hit in _hits(statement, draft, root, 1):
        if hit is not False:
            draft.put(root, key, None if hit else Partly.UNKNOWN)


def _keep_only(statement: Statement, draft: Draft, root: str) -> None:
    kept = {key: draft.of(root, key) for key in statement.strings(1)}
    for key in draft.keys(root):
        draft.put(root, key, None)
    draft.others(root, None)
    for key, value in kept.items():
        draft.put(root, key, value)


def _keep_matching(statement: Statement, draft: Draft, root: str) -> None:
    for key, hit in _hits(statement, draft, root, 1):
        if hit is not True:
            draft.put(root, key, None if hit is False else Partly.UNKNOWN)


def _limit(statement: Statement, draft: Draft, root: str) -> None:
    most = statement.number(1)
    if most is not None and most >= MANY:
        return
    for key in draft.keys(root):
        if key not in statement.strings(2) and draft.of(root, key) not in _ABSENT:
            draft.put(root, key, None if most == 0 else Partly.UNKNOWN)


def _truncate_all(statement: Statement, draft: Draft, root: str) -> None:
    most = statement.number(1)
    for key in draft.keys(root):
        value = draft.of(root, key)
        short = isinstance(value, str) and most is not None and len(value) <= most
        if not short and value not in _ABSENT and not isinstance(value, (bool, int, float)):
            draft.put(root, key, Partly.UNKNOWN)


def _replace_all(statement: Statement, draft: Draft, root: str) -> None:
    """``replace_all_patterns(map, "value" | "key", pattern, ...)``, ``replace_all_matches(map, glob, ...)``."""
    patterns = statement.editor == "replace_all_patterns"
    if not patterns or statement.string(1) == "value":
        for key in draft.keys(root):
            pattern = statement.string(2 if patterns else 1)
            draft.put(root, key, _replaced(draft.of(root, key), pattern, not patterns))
        return
    for key, hit in _hits(statement, draft, root, 2):
        if hit is not False and draft.of(root, key) not in _ABSENT:
            draft.put(root, key, None if hit else Partly.UNKNOWN)
            draft.others(root, Partly.UNKNOWN)


def _merge_maps(statement: Statement, draft: Draft, root: str) -> None:
    source, word = statement.field(1), statement.string(2)
    whole = place(source.path, statement.context) if source is not None and not source.key else ""
    written: dict[str, Value] = dict.fromkeys(statement.strings(1), Partly.UNKNOWN)
    if whole:
        written = {key: draft.of(whole, key) for key in draft.keys(whole)}
    elif not statement.arguments[1:2] or not statement.arguments[1].strip().startswith("{"):
        draft.blur(root)
    for key, value in written.items():
        before = draft.of(root, key)
        if value is None or (word == "insert" and before not in (*_ABSENT, Partly.MAYBE, Partly.UNKNOWN)):
            continue
        if word == "update" and before in _ABSENT:
            continue
        draft.put(root, key, value if word == "upsert" or before is None else Partly.UNKNOWN)


def _flatten(statement: Statement, draft: Draft, root: str) -> None:
    if len(statement.arguments) > 1:
        _anything(statement, draft, root)


def _hits(statement: Statement, draft: Draft, root: str, position: int) -> Iterator[tuple[str, bool | None]]:
    """The attributes of a map, and whether a pattern is found in their names."""
    pattern = statement.string(position)
    for key in draft.keys(root):
        yield key, None if pattern is None else found_in(pattern, key)


def _anything(statement: Statement, draft: Draft, root: str) -> None:
    del statement
    draft.blur(root)


_ON_MAP: dict[str, Callable[[Statement, Draft, str], None]] = {
    "set": _set,
    "delete_key": _delete_key,
    "delete_matching_keys": _delete_matching,
    "keep_keys": _keep_only,
    "keep_matching_keys": _keep_matching,
    "limit": _limit,
    "truncate_all": _truncate_all,
    "replace_all_patterns": _replace_all,
    "replace_all_matches": _replace_all,
    "merge_maps": _merge_maps,
    "flatten": _flatten,
}
_WRITERS = frozenset({"set", "replace_pattern", "replace_match", "append", "merge_maps"})
