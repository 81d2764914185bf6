"""Texts in OTTL that a 0.148 build takes and refuses, in the contexts where it does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_preflight.collector.grammar import reads_condition, reads_statement
from lens_preflight.core.go_patterns import compiles


@pytest.mark.parametrize(
    ("context", "text"),
    [
        ("span", 'name == "x"'),
        ("span", 'span.attributes["a"]["b"] == 1.5'),
        ("span", "kind == SPAN_KIND_SERVER and not IsRootSpan()"),
        ("span", '(name == "a" or name == "b") and kind == 1'),
        ("span", "(end_time_unix_nano - start_time_unix_nano) > 5 * 1000"),
        ("span", 'end_time - start_time > Duration("1s")'),
        ("span", r'IsMatch(name, "^GET \\d+")'),
        ("span", r'name == "\x41\u00e9\""'),
        ("span", 'resource.attributes["a"] == nil'),
        ("span", "true"),
        ("metric", 'HasAttrKeyOnDatapoint("a")'),
        ("metric", "type == METRIC_DATA_TYPE_HISTOGRAM"),
        ("datapoint", 'metric.name == "x" and attributes["a"] != nil'),
        ("log", 'severity_number < SEVERITY_NUMBER_WARN and IsMatch(body, "x")'),
        ("resource", 'attributes["a"] == "b"'),
        ("?span", "span.status.code == STATUS_CODE_ERROR"),
    ],
)
def test_conditions_that_are_taken(context: str, text: str) -> None:
    assert reads_condition(text, (context,))


@pytest.mark.parametrize(
    ("context", "text"),
    [
        ("metric", 'attributes["a"] == "b"'),
        ("span", r'IsMatch(name, "^GET \d+")'),
        ("span", 'IsMatch(name, "(")'),
        ("span", 'IsMatch(name, "a(?=b)")'),
        ("span", 'IsMatch(name, "a", "b")'),
        ("span", "IsMatch(name)"),
        ("span", 'attributes["a"]'),
        ("span", 'attributes["a"] = "b"'),
        ("span", "not name"),
        ("span", 'name == "x" and'),
        ("span", 'name == "x" AND true'),
        ("span", 'name == "a" or (name == "b"'),
        ("span", 'name in ["a"]'),
        ("span", "kind == SPAN_KIND_FOO"),
        ("span", 'metric.name == "x"'),
        ("span", 'duration > Duration("5s")'),
        ("span", 'attributes[a] == "b"'),
        ("datapoint", 'HasAttrKeyOnDatapoint("a")'),
        ("?span", "status.code == STATUS_CODE_ERROR"),
        ("resource", 'name == "x"'),
        ("span", ""),
    ],
)
def test_conditions_that_are_not_shown_to_be_taken(context: str, text: str) -> None:
    assert not reads_condition(text, (context,))


@pytest.mark.parametrize(
    ("context", "text"),
    [
        ("span", 'set(attributes["a"], name)'),
        ("?span", 'set(span.attributes["a"], Concat([span.name, "x"], "-")) where span.name != nil'),
        ("?span", 'merge_maps(span.attributes, {"a": "b"}, "upsert")'),
        ("?span", 'limit(span.attributes, 2, ["a", "b"])'),
        ("?resource", 'keep_keys(resource.attributes, ["a"])'),
        ("?metric", 'scale_metric(0.001, "s") where metric.unit == "ms"'),
        ("metric", 'convert_gauge_to_sum("delta", false)'),
        ("?datapoint", 'set(datapoint.attributes["a"], resource.attributes["b"])'),
        ("log", "set(severity_number, SEVERITY_NUMBER_ERROR2)"),
    ],
)
def test_statements_that_are_taken(context: str, text: str) -> None:
    assert reads_statement(text, (context,))


@pytest.mark.parametrize(
    ("context", "text"),
    [
        ("?span", 'set(attributes["a"], 1)'),
        ("?metric", 'set(name, "x")'),
        ("datapoint", 'set(unit, "s")'),
        ("datapoint", 'convert_gauge_to_sum("cumulative", true)'),
        ("?metric", 'convert_gauge_to_sum("foo", true)'),
        ("?resource", 'set(resource.attributes["a"], "x") where not metric.name'),
        ("?resource", 'set(resource.attributes["a"], "x") where'),
        ("?resource", 'merge_maps(resource.attributes, {"a": "b"}, "ups")'),
        ("?resource", 'limit(resource.attributes, 1, ["a", "b"])'),
        ("?resource", 'limit(resource.attributes, "x", ["a"])'),
        ("?resource", 'limit(resource.attributes, resource.attributes["n"], ["a"])'),
        ("?resource", 'keep_keys(resource.attributes, "a")'),
        ("?resource", 'replace_all_patterns(resource.attributes, "val", "a", "b")'),
        ("?resource", "truncate_all(resource.attributes, -1)"),
        ("?resource", 'set(resource.attribute["a"], "x")'),
        ("?resource", 'set(resource.attributes["a"], 1 + "x")'),
        ("?resource", 'set(resource.attributes["a"], true);'),
        ("?scope", 'set(instrumentation_scope.name, "a")'),
        ("?resource", 'SET(resource.attributes["a"], true)'),
    ],
)
def test_statements_that_are_not_shown_to_be_taken(context: str, text: str) -> None:
    assert not reads_statement(text, (context,))


@pytest.mark.parametrize(
    "pattern",
    [
        "a|b",
        "^a$",
        "(?i)abc",
        "a(?:b|c)+",
        "[a-z]+\\d{2,3}",
        "(?P<n>a)",
        "a*?",
        "[]a]",
        "\\x41",
        "\\.",
        "",
        "a{,3}",
    ],
)
def test_patterns_that_go_reads(pattern: str) -> None:
    assert compiles(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "(",
        "a)",
        "[a",
        "a\\",
        "a**",
        "a*+",
        "\\Z",
        "\\u0041",
        "(a)\\1",
        "a(?=b)",
        "(?<=a)b",
        "(?>a)",
        "(?#c)a",
        "x{1001}",
    ],
)
def test_patterns_that_go_refuses(pattern: str) -> None:
    assert not compiles(pattern)


@given(st.text(alphabet='ab.[]"=!()<>{}:,\\ andornot1-', max_size=30))
def test_any_text_is_read_or_not(text: str) -> None:
    assert reads_condition(text, ("span",)) in (True, False)
    assert reads_statement(f"set({text})", ("span",)) in (True, False)
