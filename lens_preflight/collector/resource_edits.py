"""What the editors of a transform do to the attributes of the resource."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase

from lens_preflight.collector.patterns import finds
from lens_preflight.collector.statements import RESOURCE, Statement
from lens_preflight.collector.values import Partly, Truth, matches
from lens_preflight.core.errors import Undecided

SHORT, LONG = 8, 64
"""Run ids are longer than the first and hardly longer than the second."""

MANY = 64
"""More attributes than a resource has."""

REMOVED, OVERWRITTEN = "removed", "overwritten"
_Effect = Callable[[Statement, str], str]


def effect(statement: Statement, name: str) -> str:
    """What a statement makes of one attribute when it runs: removed, overwritten, or nothing (empty).

    Raises:
        Undecided: the editor is not known, or what it does hangs on values that are not.
    """
    target = statement.target
    if target is None or target.path not in (RESOURCE, "resource"):
        if statement.editor in _SOURCES_ONLY or not statement.speaks_of(RESOURCE):
            return ""
        if target is not None and target.path != "attributes":
            return ""  # another field is written, from the resource
        raise doubt(statement)
    if target.key:
        return _on_key(statement, target.key, name)
    editor = _ON_MAP.get(statement.editor)
    if editor is None:
        raise doubt(statement)
    return editor(statement, name)


def doubt(statement: Statement) -> Undecided:
    """For what is beyond our reading."""
    return Undecided(f"what becomes of attributes is not known: {statement.text}", statement.at)


def _on_key(statement: Statement, key: str, name: str) -> str:
    """Editors that are given one attribute."""
    if key != name:
        return ""
    if statement.editor in ("set", "append"):
        source = statement.field(1)
        same = source is not None and (source.path, source.key) == (RESOURCE, name)
        nothing = len(statement.arguments) > 1 and statement.arguments[1].strip() == "nil"
        return "" if statement.editor == "set" and (same or nothing) else OVERWRITTEN
    if statement.editor in ("replace_pattern", "replace_match"):
        pattern = statement.string(1)
        unlikely = pattern is not None and matches(Partly.SOME, pattern) is Truth.UNLIKELY
        return "" if statement.editor == "replace_pattern" and unlikely else OVERWRITTEN
    if statement.editor in _INSIDE_A_VALUE:
        return ""
    raise doubt(statement)


def _set(statement: Statement, name: str) -> str:
    source = statement.field(1)
    if source is not None and source.path == RESOURCE and not source.key:
        return ""
    return OVERWRITTEN


def _delete_key(statement: Statement, name: str) -> str:
    return REMOVED if _text(statement, 1) == name else ""


def _delete_matching(statement: Statement, name: str) -> str:
    return REMOVED if finds(_text(statement, 1), name, statement.at) else ""


def _keep_keys(statement: Statement, name: str) -> str:
    return "" if name in statement.strings(1) else REMOVED


def _keep_matching(statement: Statement, name: str) -> str:
    return "" if finds(_text(statement, 1), name, statement.at) else REMOVED


def _limit(statement: Statement, name: str) -> str:
    most = statement.number(1)
    roomy = most is not None and most >= MANY
    return "" if roomy or name in statement.strings(2) else REMOVED


def _truncate_all(statement: Statement, name: str) -> str:
    most = statement.number(1)
    if most is None or SHORT <= most < LONG:
        raise doubt(statement)
    return OVERWRITTEN if most < SHORT else ""


def _replace_all_patterns(statement: Statement, name: str) -> str:
    pattern, mode = _text(statement, 2), _text(statement, 1)
    if mode == "key":
        return REMOVED if finds(pattern, name, statement.at) else ""
    hit = matches(Partly.SOME, pattern)
    if hit is Truth.UNKNOWN:
        raise doubt(statement)
    return OVERWRITTEN if hit is Truth.YES else ""


def _replace_all_matches(statement: Statement, name: str) -> str:
    pattern = _text(statement, 1)
    if not pattern.strip("*"):
        return OVERWRITTEN if pattern else ""
    if any(fnmatchcase(text, pattern) for text in ("run-7", "1234567", "7f3c9a-b2")):
        raise doubt(statement)
    return ""


def _merge_maps(statement: Statement, name: str) -> str:
    source = statement.arguments[1].strip() if len(statement.arguments) > 1 else ""
    if _text(statement, 2) == "insert":
        return ""
    if source.startswith("{"):
        return OVERWRITTEN if name in statement.strings(1) else ""
    raise doubt(statement)


def _flatten(statement: Statement, name: str) -> str:
    return REMOVED if statement.string(1) else ""


def _text(statement: Statement, position: int) -> str:
    text = statement.string(position)
    if text is None:
        raise doubt(statement)
    return text


_ON_MAP: dict[str, _Effect] = {
    "set": _set,
    "delete_key": _delete_key,
    "delete_matching_keys": _delete_matching,
    "keep_keys": _keep_keys,
    "keep_matching_keys": _keep_matching,
    "limit": _limit,
    "truncate_all": _truncate_all,
    "replace_all_patterns": _replace_all_patterns,
    "replace_all_matches": _replace_all_matches,
    "merge_maps": _merge_maps,
    "flatten": _flatten,
}
_INSIDE_A_VALUE = frozenset({"delete_index", "delete_key", "keep_keys", "merge_maps", "flatten", "limit"})
"""Editors of a value that is a list or a map, which no attribute of the job is."""
_SOURCES_ONLY = frozenset({"copy_metric", "extract_count_metric", "extract_sum_metric"})
