"""Which family a query shows."""

from __future__ import annotations

import pytest

from lens_preflight.dashboards.families import Catalogue, families_of, hinted, near_misses, spellings
from lens_preflight.dashboards.macros import substitute
from lens_preflight.dashboards.promql import read_promql
from lens_preflight.dashboards.traceql import read_traceql
from lens_preflight.lens.metrics import Family

STEP, LOSS, RATE, NORM = Family.STEP_DURATION, Family.LOSS, Family.THROUGHPUT, Family.GRADIENT_NORM


def shown(text: str, catalogue: Catalogue | None = None) -> set[Family]:
    """The families of a PromQL expression."""
    query = read_promql(substitute(text, {}))
    return {f for use in query.uses for f in families_of(query, use, catalogue or Catalogue())}


@pytest.mark.parametrize(
    ("text", "families"),
    [
        ("megatron_training_loss", {LOSS}),
        ('{"megatron.training.loss"}', {LOSS}),
        ("nemo_megatron_training_loss", {LOSS}),
        ("rl_throughput_tokens_per_sec_per_second", {RATE}),
        ("rl_throughput_tokens_per_sec", {RATE}),
        (
            (
                "histogram_quantile(0.5, sum by (le) "
                "(rate(megatron_training_step_duration_ms_milliseconds_bucket[5m])))"
            ),
            {STEP},
        ),
        (
            (
                "rate(megatron_training_step_duration_ms_milliseconds_sum[5m]) / "
                "rate(megatron_training_step_duration_ms_milliseconds_count[5m])"
            ),
            {STEP},
        ),
        ("histogram_avg(rate(megatron_training_step_duration_ms_milliseconds[5m]))", {STEP}),
        ("megatron_training_step_duration_ms_milliseconds_count", set()),
        ("histogram_count(rate(megatron_training_step_duration_ms_milliseconds[5m]))", set()),
        ("megatron_training_step_duration_ms_seconds_bucket", set()),
        ("megatron_training_learning_rate", set()),
        ("changes(megatron_training_loss[5m])", set()),
        ("count(megatron_training_loss)", set()),
        ("sgn(megatron_training_loss)", set()),
        ("megatron_training_loss * 0", set()),
        ("megatron_training_loss > bool 10", set()),
        ("megatron_training_loss > 10", {LOSS}),
        ("megatron_training_loss @ 1609746000", set()),
        ("megatron_training_loss @ end()", {LOSS}),
        ("megatron_training_loss @ ${__to:date:seconds}", {LOSS}),
        ("megatron_training_loss offset 1y", set()),
        ("megatron_training_loss offset 5m", {LOSS}),
        ("megatron_training_loss / megatron_training_loss offset 1w", {LOSS}),
        ("megatron_training_loss unless megatron_training_loss", set()),
        ('rate(megatron_training_step_duration_ms_milliseconds_bucket{le="+Inf"}[5m])', set()),
        ('{__name__=~"megatron_training_(loss|grad_norm)"}', {LOSS, NORM}),
        ("rate(gym_rollout_duration_ms_milliseconds_count[5m])", {RATE}),
        ("gym_rollout_duration_ms_milliseconds_count", set()),
        (
            'rate(traces_span_metrics_duration_milliseconds_sum{span_name="megatron.train.iteration"}[5m])',
            {STEP},
        ),
        ('rate(traces_span_metrics_duration_milliseconds_sum{span_name=~".*checkpoint.*"}[5m])', set()),
        ("rate(traces_span_metrics_duration_milliseconds_sum[5m])", set()),
        ("my_policy_loss", set()),
    ],
)
def test_a_family_is_recognised_by_its_metric(text: str, families: set[Family]) -> None:
    assert shown(text) == families


def test_metrics_of_ones_own_replace_those_of_unknown_frameworks() -> None:
    own = Catalogue.of({"loss": ("train.loss",), "step_duration": ("train.step_ms",)})
    assert shown("train_loss", own) == {LOSS}
    assert shown("train_loss_total", own) == {LOSS}
    assert shown("megatron_training_loss", own) == set()
    assert shown("megatron_training_grad_norm", own) == {NORM}
    assert shown("train_step_ms_count", own) == set()
    assert shown("rate(train_step_ms_sum[5m])", own) == {STEP}


def test_only_the_metrics_of_the_jobs_framework_count() -> None:
    catalogue = Catalogue.of({}, ["nemo-rl"])
    assert shown("rl_policy_loss", catalogue) == {LOSS}
    assert shown("megatron_training_loss", catalogue) == set()


def test_values_on_spans() -> None:
    query = read_traceql("{ } | avg_over_time(span.dl.grad_norm)", {})
    assert families_of(query, query.uses[0], Catalogue()) == {NORM}


def test_names_that_no_exporter_makes_are_near_misses() -> None:
    assert spellings("megatron_training_step_duration_ms_seconds_bucket", Catalogue()) == ()
    (metric,) = near_misses("megatron_training_step_duration_ms_seconds_bucket", Catalogue())
    assert metric.name == "megatron.training.step_duration_ms"
    assert near_misses("megatron_training_loss", Catalogue()) == ()


@pytest.mark.parametrize(
    ("title", "families"),
    [
        ("Gradient norm", {NORM}),
        ("Training loss", {LOSS}),
        ("Glossary", set()),
        ("Tokens/sec", {RATE}),
        ("Step Duration (ms)", {STEP}),
        ("GPU Utilization", set()),
    ],
)
def test_titles_are_hints_only(title: str, families: set[Family]) -> None:
    assert hinted(title) == families
