"""The fields of TraceQL: attributes stand behind a scope or a dot, what Tempo itself knows of a span does not.

The words are those of Grafana Tempo 2.10 (``pkg/traceql/lexer.go`` and ``enum_attributes.go``).
"""

from __future__ import annotations

import re

SCOPED = {
    "span:duration": "duration",
    "span:name": "name",
    "span:status": "status",
    "span:statusMessage": "statusMessage",
    "span:kind": "kind",
    "span:childCount": "childCount",
    "trace:duration": "traceDuration",
    "trace:rootName": "rootName",
    "trace:rootService": "rootServiceName",
}
"""Intrinsics in the spelling with a scope, and the older name of each."""

_INTRINSICS = frozenset(
    {*SCOPED, *SCOPED.values(), "parent", "nestedSetLeft", "nestedSetRight", "nestedSetParent"}
    | {"span:id", "span:parentID", "trace:id", "event:name", "event:timeSinceStart"}
    | {"link:spanID", "link:traceID", "instrumentation:name", "instrumentation:version"}
)
_ATTRIBUTE = re.compile(r"(?:(?:parent\.)?(?:span\.|resource\.)|(?:parent|event|link|instrumentation)?\.).+")
_WORDS = frozenset(
    {"nil", "true", "false", "ok", "error", "unset"}
    | {"unspecified", "internal", "server", "client", "producer", "consumer"}
)
_AMOUNT = re.compile(r"[-+]?(?:[0-9]|\.[0-9]).*", re.DOTALL)


def is_field(word: str) -> bool:
    """Whether a word is a field, as far as a variable in it leaves that open."""
    return "$" in word or word in _INTRINSICS or _ATTRIBUTE.fullmatch(word) is not None


def is_static(word: str) -> bool:
    """Whether a word without quotes is a value: a number, a duration, a kind, a status."""
    return "$" in word or word in _WORDS or _AMOUNT.fullmatch(word) is not None
