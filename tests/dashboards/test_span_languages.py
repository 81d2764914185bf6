"""TraceQL, KQL and Lucene."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_preflight.dashboards.conditions import canonical
from lens_preflight.dashboards.elastic import read_elastic
from lens_preflight.dashboards.kql import read_condition
from lens_preflight.dashboards.lucene import read_lucene
from lens_preflight.dashboards.selectors import Language
from lens_preflight.dashboards.spans import Exclusion, condition_exclusion, is_span_duration_query
from lens_preflight.dashboards.traceql import read_traceql

CUT = "span.nemo.span.truncated"


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        (f"{CUT} = nil", Exclusion.EXCLUDED),
        (f"!({CUT} = true)", Exclusion.EXCLUDED),
        (f'name = "x" && ({CUT} = nil || {CUT} = false)', Exclusion.EXCLUDED),
        (f"{CUT} != true", Exclusion.ONLY_LABELLED),
        (f"{CUT} = true", Exclusion.ONLY_TRUNCATED),
        (f'name = "x" || {CUT} = nil', Exclusion.WRONG_TEXT),
        ('name = "x"', Exclusion.NONE),
        ("", Exclusion.NONE),
    ],
)
def test_what_a_spanset_filter_does_to_truncated_spans(condition: str, found: Exclusion) -> None:
    query = read_traceql(f"{{ {condition} }} | quantile_over_time(duration, .9) by (name)", {})
    assert query.error == ""
    assert query.uses[0].within == ("quantile_over_time",) and query.uses[0].metric == "duration"
    assert query.condition is not None and condition_exclusion(query.condition) is found


def test_only_conditions_that_must_hold_are_matchers() -> None:
    (use,) = read_traceql('{ resource.nemo.run.id = "$r" && (.a = "1" || span.b = "2") }', {}).uses
    assert [m.label for m in use.matchers] == ["resource.nemo.run.id"]


def test_the_search_form_is_read_without_a_text() -> None:
    form = {"filters": [{"tag": "nemo.run.id", "scope": "resource", "operator": "=", "value": ["$r"]}]}
    (use,) = read_traceql("", form).uses
    assert [str(m) for m in use.matchers] == ['resource.nemo.run.id="$r"']


RUN, STEP = 'resource.nemo.run.id = "$r"', 'name = "megatron.train.iteration"'


@pytest.mark.parametrize(
    ("text", "confined", "found"),
    [
        (f"{{ {RUN} }} >> {{ {STEP} && {CUT} = nil }}", True, Exclusion.EXCLUDED),
        (f"{{ {RUN} && {CUT} = nil }} >> {{ {STEP} }}", True, Exclusion.NONE),
        (f"{{ {RUN} && {CUT} = nil }} !>> {{ {STEP} }}", False, Exclusion.NONE),
        (f"{{ {RUN} }} &>> {{ {CUT} = nil }}", True, Exclusion.WRONG_TEXT),
        (f"{{ {RUN} && {STEP} }} | {{ {CUT} = nil }}", True, Exclusion.EXCLUDED),
        (f"({{ {RUN} }} && {{ {RUN} }})", True, Exclusion.NONE),
        (f"{{ {RUN} }} || {{ {STEP} }}", False, Exclusion.NONE),
        (f"{{ {RUN} && resource.nemo.span.truncated = nil }}", True, Exclusion.WRONG_TEXT),
        (f"{{ {RUN} }} | by(name) | count() > 2", True, Exclusion.NONE),
        (f"{{ {RUN} }} with (most_recent=true)", True, Exclusion.NONE),
        ('{ resource."nemo.run.id" = "$r" && span."nemo.span.truncated" = nil }', True, Exclusion.EXCLUDED),
    ],
)
def test_what_joined_spansets_say_of_the_result(text: str, confined: bool, found: Exclusion) -> None:
    query = read_traceql(text, {})
    assert query.error == "" and query.condition is not None
    assert condition_exclusion(query.condition) is found
    assert any(m.label == "resource.nemo.run.id" for m in query.uses[0].matchers) is confined


@pytest.mark.parametrize(
    "text",
    [
        "{ a = ",
        "{ } } |",
        "select 1",
        "{ .a = 1 & .b = 2 }",
        "{ .a = 1 } | foo()",
        "{ .a = 1",
        "{ .a = } }",
        '{ nemo.run.id = "$r" }',
        '{ resource.nemo.run.id = "$r" && span.name = megatron.train.iteration }',
        "{ } | max_over_time(nemo.duration)",
        "{ } | rate() | by(service.name)",
        '{ span:run = "x" }',
        "{ } >>",
    ],
)
def test_what_is_no_traceql_says_so(text: str) -> None:
    assert read_traceql(text, {}).error


@pytest.mark.parametrize(
    "text",
    [
        "{ .a = 1 && 5s < duration && kind = server && status != error && span:childCount > 2 }",
        '{ "x" = .a || parent.resource.b = nil || event:name =~ "x.*" || instrumentation.c = true }',
        "{ nestedSetParent<0 && span.$attribute = $value } | select(span.a, resource.b, trace:duration)",
        "{ $field = 1 } | quantile_over_time(span:duration, .9, 0.5) by (resource.service.name)",
        '{ } | compare({ status = error && name = "x" }, 10)',
    ],
)
def test_fields_in_every_scope_and_values_of_every_kind_are_read(text: str) -> None:
    assert read_traceql(text, {}).error == ""


@pytest.mark.parametrize("field", ["duration", "span:duration", "traceDuration", "trace:duration"])
def test_a_duration_is_one_with_a_scope_and_without(field: str) -> None:
    query = read_traceql(f"{{ {RUN} }} | max_over_time({field})", {})
    assert is_span_duration_query(query, query.uses[0])
    assert canonical("span:name") == "name" and canonical("trace:rootService") == "rootServiceName"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("not attributes.nemo.span.truncated : true", Exclusion.EXCLUDED),
        ('name : "x" and not nemo.span.truncated : true', Exclusion.EXCLUDED),
        ("NOT attributes.nemo.span.truncated:true AND name:x", Exclusion.EXCLUDED),
        ("name:x -attributes.nemo.span.truncated:true", Exclusion.EXCLUDED),
        ("name:x or not nemo.span.truncated:true", Exclusion.WRONG_TEXT),
        ("nemo.span.truncated : true", Exclusion.ONLY_TRUNCATED),
        ("nemo.span.truncated : *", Exclusion.ONLY_TRUNCATED),
        ("not nemo.span.truncated : (true or false)", Exclusion.EXCLUDED),
        ("nemo.span.truncated : false", Exclusion.ONLY_LABELLED),
        ("name : ckpt* and duration >= 5", Exclusion.NONE),
        ("", Exclusion.NONE),
    ],
)
def test_what_a_kql_or_lucene_filter_does_to_truncated_spans(text: str, found: Exclusion) -> None:
    assert condition_exclusion(read_condition(text)) is found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("+name:x -nemo.span.truncated:true", Exclusion.EXCLUDED),
        ("name:x AND NOT nemo.span.truncated:true", Exclusion.EXCLUDED),
        ("name:x && !_exists_:nemo.span.truncated", Exclusion.EXCLUDED),
        ('name:"a b"^2 AND NOT nemo.span.truncated:(true OR false)', Exclusion.EXCLUDED),
        ("name:x and not nemo.span.truncated:true", Exclusion.WRONG_TEXT),
        ("name:x OR NOT nemo.span.truncated:true", Exclusion.EXCLUDED),
        ("name:x -(nemo.span.truncated:true OR duration:[0 TO 10})", Exclusion.EXCLUDED),
        ("nemo.span.truncated:true", Exclusion.ONLY_TRUNCATED),
        ("duration:(>=10 AND <20) AND name:x", Exclusion.NONE),
        ("name:ckpt* AND duration:>=5 AND name:/a.b/", Exclusion.NONE),
        ("*", Exclusion.NONE),
    ],
)
def test_what_a_query_string_does_to_truncated_spans(text: str, found: Exclusion) -> None:
    assert condition_exclusion(read_lucene(text)) is found


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("+r:$run +name:x", ['r="$run"', 'name="x"']),
        ('r:"$run" name:x', []),
        ("r:$run AND name:x y:z", ['r="$run"', 'name="x"']),
        ("r:${run:lucene} AND name:x", ['r="${run:lucene}"', 'name="x"']),
        ("r:a\\-b^2", ['r="a-b"']),
        ("r:$run* AND x:1", ['r=~"$run.*"', 'x="1"']),
        ("NOT r:$run", ['r!="$run"']),
        ("r:$run~1", []),
    ],
)
def test_what_a_query_string_demands(text: str, shown: list[str]) -> None:
    assert [str(m) for m in read_lucene(text).matchers()] == shown


@pytest.mark.parametrize("text", ["a:", "(a:b", "a:b )", "NOT", "()", "a:[1 TO", '"a'])
def test_what_is_no_query_string_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_lucene(text)


@pytest.mark.parametrize("text", ["a : ", "(a : b", "a : b )", "not"])
def test_what_is_no_query_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_condition(text)


def test_aggregations_are_uses() -> None:
    raw = {
        "metrics": [{"type": "percentiles", "field": "duration"}, {"type": "avg", "field": "x", "hide": True}]
    }
    (use,) = read_elastic("resource.attributes.nemo.run.id:$r", raw).uses
    assert (use.metric, use.within, use.matchers[0].value) == ("duration", ("percentiles",), "$r")


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ("resource.attributes.nemo.run.id", "nemo.run.id"),
        ("span.nemo.span.truncated", "nemo.span.truncated"),
        (".nemo.run.id", "nemo.run.id"),
        ("attributes.dl.loss.keyword", "dl.loss"),
        ("duration", "duration"),
    ],
)
def test_scopes_do_not_change_what_a_field_means(field: str, name: str) -> None:
    assert canonical(field) == name


@given(st.text(alphabet='ab:.{}()|&!=<>~" -*nortad$', max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    read_traceql(text, {})
    read_elastic(text, {})
    read_elastic(text, {}, Language.KQL)
