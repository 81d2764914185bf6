"""Selectors in their places."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_preflight.dashboards.promql import read_promql
from lens_preflight.dashboards.scanning import scan_selectors
from lens_preflight.dashboards.selectors import Matcher, Use
from tests.fuzz.engine import watchdog


def uses(text: str) -> dict[str, Use]:
    """The selectors of an expression by metric."""
    query = read_promql(text)
    assert query.error == ""
    return {use.metric: use for use in query.uses}


def test_functions_and_labels_around_a_selector() -> None:
    use = uses("histogram_quantile(0.9, sum by (le, nemo_run_id) (rate(x_bucket{a=~'b'}[5m])))")["x_bucket"]
    assert use.within == ("rate", "sum", "histogram_quantile")
    assert use.kept.has("nemo_run_id") and not use.kept.has("le") and not use.kept.has("job")
    assert use.matchers == (Matcher("a", "=~", "b"),)


@pytest.mark.parametrize(
    ("text", "kept", "lost"),
    [
        ("a", ["x"], []),
        ("sum(a)", [], ["x"]),
        ("sum without (x) (a)", ["y"], ["x"]),
        ("topk(3, a)", ["x"], []),
        ("absent(a)", [], ["x"]),
        ("label_replace(sum by (y) (a), 'x', '$1', 'y', '(.*)')", ["x", "y"], ["z"]),
        ("a * on (job) group_left (x) b", ["x", "job", "z"], []),
        ("a * on (job) b", ["job"], ["z"]),
        ("max_over_time(rate(a[5m])[1h:1m])", ["x"], []),
    ],
)
def test_which_labels_reach_the_result(text: str, kept: list[str], lost: list[str]) -> None:
    use = uses(text)["a"]
    assert [label for label in kept if not use.kept.has(label)] == []
    assert [label for label in lost if use.kept.has(label)] == []


@pytest.mark.parametrize(
    ("text", "confined"),
    [
        ("a * on (job, instance) group_left (nemo_run_id) target_info{nemo_run_id='r'}", True),
        ("a / b{nemo_run_id='r'}", True),
        ("a and on (nemo_run_id) b{nemo_run_id='r'}", True),
        ("a and on (job) b{nemo_run_id='r'}", False),
        ("sum(a) / sum(b{nemo_run_id='r'})", False),
        ("sum by (nemo_run_id) (a) / sum by (nemo_run_id) (b{nemo_run_id='r'})", True),
        (
            "a / ignoring (nemo_run_id, instance, exported_instance, service_instance_id) b{nemo_run_id='r'}",
            False,
        ),
        ("a unless b{nemo_run_id='r'}", False),
        ("a or b{nemo_run_id='r'}", False),
        ("a > scalar(b{nemo_run_id='r'})", False),
        ("info(a, {nemo_run_id='r'})", True),
    ],
)
def test_what_confines_a_selector(text: str, confined: bool) -> None:
    query = read_promql(text)
    (use,) = [u for u in query.uses if u.metric == "a"]
    found = any(m.label == "nemo_run_id" for other in use.joined for m in other.matchers)
    assert query.error != "" or found is confined


def test_the_sides_of_a_division_are_told_apart() -> None:
    found = uses("rate(a_sum[5m]) / rate(a_count[5m])")
    assert found["a_sum"].divided and not found["a_sum"].divides
    assert found["a_count"].divides


def test_names_in_quotes_and_by_pattern() -> None:
    assert "m.n" in uses('{"m.n", "nemo.run.id"=~"$r"}')
    (use,) = read_promql('{__name__=~"m_(a|b)"}').uses
    assert use.metric == "" and use.may_name("m_a") and not use.may_name("m_c")


def test_groups_of_matchers_joined_by_or_are_alternatives() -> None:
    found = read_promql('a{x="1" or y="2"}').uses
    assert [str(use.matchers[0]) for use in found] == ['x="1"', 'y="2"']
    assert all(use.alternative for use in found)


def test_quantiles_of_buckets_without_le_are_marked() -> None:
    assert (
        "histogram_quantile without le"
        in uses("histogram_quantile(0.9, sum(rate(x_bucket[5m])))")["x_bucket"].within
    )
    assert "histogram_quantile" in uses("histogram_quantile(0.9, sum(rate(x[5m])))")["x"].within


def test_what_does_not_parse_is_scanned() -> None:
    query = read_promql('histogram_quantile(0.9, sum(rate(x_bucket{nemo_run_id=~"$r"}[5m])')
    assert query.error
    assert [use.shown for use in query.uses] == ['x_bucket{nemo_run_id=~"$r"}']
    assert [u.metric for u in scan_selectors("rate(my_metric[5m]) > 1")] == ["my_metric"]


@pytest.mark.parametrize(
    ("matcher", "accepted"),
    [
        (Matcher("l", "!=", "true"), ["", "false"]),
        (Matcher("l", "=~", "|false"), ["", "false"]),
        (Matcher("l", "=~", ".*"), ["", "false", "true"]),
        (Matcher("l", "!~", "t.*"), ["", "false"]),
        (Matcher("l", "=", "true"), ["true"]),
    ],
)
def test_matchers_are_judged_by_what_they_accept(matcher: Matcher, accepted: list[str]) -> None:
    assert [text for text in ("", "false", "true") if matcher.accepts(text)] == accepted


def test_a_pattern_that_is_none_decides_nothing() -> None:
    assert Matcher("l", "=~", "(").accepts("x") is None


def test_an_expression_over_which_the_parser_panics_is_scanned() -> None:
    query = read_promql(f"rate(train_loss{{a='b'}}[{'1' * 400}])")
    assert query.error
    assert [use.shown for use in query.uses] == ['train_loss{a="b"}']


@given(st.text(alphabet='abs_{}()[]"=~!,.0159m/ +-onbyr', max_size=40))
def test_any_text_gives_a_query(text: str) -> None:
    query = read_promql(text)
    assert query.text == text


@pytest.mark.parametrize(
    "text", ["a" * 100_000, "{" + "a" * 100_000, "a{" * 50_000, "a " * 50_000, "a" + " " * 100_000 + "x"]
)
def test_a_long_text_that_does_not_parse_takes_no_square_of_its_length(text: str) -> None:
    with watchdog(20):
        scan_selectors(text)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("a" + " + b" * 63, ""),
        ("a" + " + b" * 64, "joined with each other"),
        ("a" + " or b" * 400, ""),
        ("a" + " or b" * 401, "more than 400 operators"),
        ("a" + " != b" * 20_000, "more than 400 operators"),
        ("(" * 20_000 + "a" + ")" * 20_000, "more than 400 operators"),
        ("-" * 20_000 + "a", "more than 400 operators"),
        ('a{l=~"' + "r-1|(r-2)|" * 2_000 + '"}', ""),
    ],
)
def test_no_expression_is_too_long_for_the_stack_of_the_parser(text: str, error: str) -> None:
    query = read_promql(text)
    assert error in query.error and bool(query.error) is bool(error) is query.beyond
