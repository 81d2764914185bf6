"""Values that processors refuse although their type is right.

Read off a 0.148 build: each was offered to its validate.
"""

from __future__ import annotations

import re

from lens_preflight.collector.amounts import whole
from lens_preflight.collector.legal_values import Found, least, one_of, scalars, written
from lens_preflight.collector.model import Component
from lens_preflight.collector.ottl_parser import ENUMS
from lens_preflight.core.go_patterns import compiles
from lens_preflight.documents import Mapping, Scalar, Sequence

_ACTIONS = ("insert", "update", "upsert", "delete", "hash", "extract", "convert")
_CONVERTED = ("int", "double", "string")
_OR = " or "
_OF_ONE_SIGNAL = frozenset(
    {"metric_names", "log_bodies", "log_severity_texts", "log_severity_number", "span_kinds"}
)
"""Lists that are refused in pipelines of another signal."""
_NO_LISTS = frozenset({"match_type", "regexp", "severity_number", "log_severity_number"})
_SOURCES = ("value", "from_attribute", "from_context", "default_value")


def actions(component: Component) -> Found:
    key = "attributes" if component.type == "resource" else "actions"
    for action in component.body.children(key) if component.body is not None else ():
        if not isinstance(action, Mapping):
            continue
        word = (action.text("action") or "").lower()
        given = [name for name in _SOURCES if _given(action, name)]
        named = _given(action, "key") or (word in ("delete", "hash") and _given(action, "pattern"))
        pattern = action.text("pattern") or ""
        if "$" in word:
            continue
        if word not in _ACTIONS:
            yield "an action is none", action.at, "action: one of " + ", ".join(_ACTIONS)
        elif not named:
            yield f"an action {word} has no key", action.at, "key: NAME"
        elif word in ("insert", "update", "upsert") and not given:
            yield f"an action {word} has no value", action.at, "value: VALUE"
        elif word in ("insert", "update", "upsert") and len({*given} - {"default_value"}) > 1:
            yield f"an action {word} has two values", action.at, "one of value, from_attribute, from_context"
        elif word == "extract" and "$" not in pattern and not re.search(r"\(\?P?<\w+>", pattern):
            yield "an action extract has no pattern with a named group", action.at, "pattern: (?P<name>...)"
        elif word == "extract" and re.search(r"(?<!\\)\((?!\?)", pattern):
            yield "an action extract has a group without a name", action.at, "pattern: (?P<name>...)"
        elif word == "convert" and written(action.get("converted_type")) not in (None, *_CONVERTED):
            yield "an action convert has no such type", action.at, f"converted_type: {_OR.join(_CONVERTED)}"
        elif word == "convert" and action.get("converted_type") is None:
            yield "an action convert has no type", action.at, f"converted_type: {_OR.join(_CONVERTED)}"
    yield from _matching(component, ("include",), ("exclude",))


def _given(action: Mapping, name: str) -> bool:
    node = action.get(name)
    nothing = (None,) if name == "value" else (None, "")
    return node is not None and not (isinstance(node, Scalar) and node.value in nothing and not node.open)


def _matching(component: Component, *places: tuple[str, ...]) -> Found:
    """The older way to select: a kind of match, and something to match."""
    for keys in places:
        block = component.get(*keys)
        if not isinstance(block, Mapping):
            continue
        kind = block.get("match_type")
        open_ended = isinstance(kind, Scalar) and kind.open
        kinds = ("strict", "regexp", "expr") if keys[0] == "metrics" else ("strict", "regexp")
        lists = {key for key, node in block.entries.items() if getattr(node, "items", None) != ()} - _NO_LISTS
        if keys[0] not in ("metrics", "logs") and not lists and not block.get("log_severity_number"):
            yield (
                f"{'.'.join(keys)} asks for nothing",
                component.line_of(*keys),
                "services: [NAME], or another list",
            )
        elif lists and not open_ended and written(kind) not in kinds:
            yield (
                f"{'.'.join(keys)} has no match_type",
                component.line_of(*keys),
                f"match_type: {_OR.join(kinds)}",
            )
        bound = block.get("severity_number", "min")
        word = written(bound)
        if bound is not None and word and f"SEVERITY_NUMBER_{word.upper()}" not in ENUMS:
            yield f"{word} is no severity", bound.at, "min: INFO, WARN or another one"


def styles(component: Component) -> Found:
    """Texts and blocks with a context in one list, of statements or of conditions."""
    for signal in ("trace", "metric", "log", "profile"):
        for key in (f"{signal}_statements", f"{signal}_conditions"):
            listed = component.get(key)
            blocks = (
                [isinstance(one, Mapping) for one in listed.items] if isinstance(listed, Sequence) else []
            )
            if len(set(blocks)) > 1:
                yield (
                    f"{key} holds texts beside blocks",
                    component.line_of(key),
                    "all as texts, or all in blocks",
                )


def filters(component: Component) -> Found:
    yield from styles(component)
    yield from _matching(
        component,
        *((signal, word) for signal in ("spans", "metrics", "logs") for word in ("include", "exclude")),
    )
    for signal, new, old in (
        ("trace", ("span", "spanevent", "resource"), ("spans",)),
        ("metric", ("metric", "datapoint", "resource"), ("metrics",)),
        ("log", ("log_record", "resource"), ("logs",)),
    ):
        grouped = any(isinstance(component.get(f"{signal}s", key), Sequence) for key in new)
        flat = bool(scalars(component, f"{signal}_conditions"))
        former = any(component.get(*old, word) is not None for word in ("include", "exclude"))
        if grouped + flat + former > 1:
            at = component.line_of(f"{signal}_conditions") if flat else component.at
            yield f"{signal}s are filtered in two ways at once", at, f"all conditions under {signal}s"


def sampler(component: Component) -> Found:
    yield from one_of(component, ("mode",), ("", "hash_seed", "proportional", "equalizing"))
    yield from one_of(component, ("attribute_source",), ("", "traceID", "record"))
    yield from least(component, ("sampling_percentage",), 0)
    precision = whole(component, "sampling_precision")
    if precision is not None and not 1 <= precision <= 14:
        yield (
            f"sampling_precision is {precision}",
            component.line_of("sampling_precision"),
            "a number from 1 to 14",
        )


def policies(component: Component) -> Found:
    for policy in component.body.children("policies") if component.body is not None else ():
        for keys in (
            ("latency", "threshold_ms"),
            ("latency", "upper_threshold_ms"),
            ("probabilistic", "sampling_percentage"),
            ("rate_limiting", "spans_per_second"),
            ("span_count", "min_spans"),
            ("numeric_attribute", "min_value"),
        ):
            node = policy.get(*keys)
            if isinstance(node, Scalar) and isinstance(node.value, str) and not node.open:
                yield f"{'.'.join(keys)} is no number", node.at, "a number without quotes"


def limiter(component: Component) -> Found:
    for key in ("limit_percentage", "spike_limit_percentage"):
        share = whole(component, key)
        if share is not None and share > 100:
            yield f"{key} is {share}", component.line_of(key), "100 or less"


def batch(component: Component) -> Found:
    keys = [k.text_value.lower() for k in scalars(component, "metadata_keys")]
    if len(keys) != len(set(keys)):
        yield "metadata_keys has a key twice", component.line_of("metadata_keys"), "each key once"


def doubts(component: Component) -> list[str]:
    """Patterns and lists of which it is not known whether the collector takes them."""
    found = []
    for action in component.body.children("actions") if component.body is not None else ():
        pattern = written(action.get("pattern"))
        if pattern is not None and not compiles(pattern):
            found.append(f"pattern {pattern}")
        word = (action.text("action") or "").lower()
        if word in ("delete", "hash", "convert", "extract"):
            found += [f"{name} of an action {word}" for name in _SOURCES if action.get(name) is not None]
    for word in ("include", "exclude"):
        block = component.get(word)
        if not isinstance(block, Mapping):
            continue
        by_pattern = written(block.get("match_type")) == "regexp"
        texts = [text.text_value for key in block.entries for text in scalars(component, word, key)]
        found += [f"pattern {text}" for text in texts if by_pattern and not compiles(text)]
        found += [f"{word}.{key}" for key in block.entries if key in _OF_ONE_SIGNAL]
    return found
