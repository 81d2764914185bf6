"""Metric names on their way to Prometheus."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_preflight.dashboards.naming import Strategy, part, prometheus_name, stem
from lens_preflight.lens.metrics import METRICS

S, N, U, T = Strategy.SUFFIXES, Strategy.NO_SUFFIXES, Strategy.UTF8_SUFFIXES, Strategy.UNTOUCHED


@pytest.mark.parametrize(
    ("name", "unit", "kind", "strategy", "spelled"),
    [
        (
            "megatron.training.step_duration_ms",
            "ms",
            "histogram",
            S,
            "megatron_training_step_duration_ms_milliseconds",
        ),
        ("megatron.training.step_duration_ms", "ms", "histogram", N, "megatron_training_step_duration_ms"),
        (
            "megatron.training.step_duration_ms",
            "ms",
            "histogram",
            U,
            "megatron.training.step_duration_ms_milliseconds",
        ),
        ("megatron.training.step_duration_ms", "ms", "histogram", T, "megatron.training.step_duration_ms"),
        ("rl.throughput.tokens_per_sec", "{token}/s", "gauge", S, "rl_throughput_tokens_per_sec_per_second"),
        ("megatron.training.skipped_iters", "", "counter", S, "megatron_training_skipped_iters_total"),
        ("megatron.training.skipped_iters", "", "counter", U, "megatron.training.skipped_iters_total"),
        ("gen_ai.server.request.duration", "s", "histogram", S, "gen_ai_server_request_duration_seconds"),
        ("gen_ai.client.token.usage", "{token}", "histogram", S, "gen_ai_client_token_usage"),
        ("system.memory.usage", "By", "updown", S, "system_memory_usage_bytes"),
        ("requests.total.count", "1", "counter", S, "requests_count_total"),
        ("fill.ratio", "1", "gauge", S, "fill_ratio"),
        ("a..b__c", "", "gauge", S, "a_b_c"),
        ("9lives", "", "gauge", S, "_9lives"),
        ("disk.io", "By/s", "gauge", S, "disk_io_bytes_per_second"),
        ("http.duration.seconds", "s", "histogram", S, "http_duration_seconds"),
    ],
)
def test_a_name_is_spelled_as_the_exporters_spell_it(
    name: str, unit: str, kind: str, strategy: Strategy, spelled: str
) -> None:
    assert prometheus_name(name, unit, kind, strategy) == spelled


def test_a_namespace_stands_in_front() -> None:
    assert prometheus_name("x.loss", namespace="nemo") == "nemo_x_loss"
    assert prometheus_name("x.loss", strategy=N, namespace="nemo") == "nemo_x_loss"


@pytest.mark.parametrize("metric", [m for metrics in METRICS.values() for m in metrics], ids=lambda m: m.name)
def test_all_spellings_of_a_metric_have_one_stem(metric: object) -> None:
    name, unit, kind = metric.name, metric.unit, metric.instrument.value  # type: ignore[attr-defined]
    for strategy in Strategy:
        spelled = prometheus_name(name, unit, kind, strategy)
        for ending in ("", "_bucket", "_sum", "_count"):
            assert stem(spelled + ending) == stem(name)


@given(st.text(alphabet="abc._:-_9", min_size=1, max_size=20))
def test_a_stem_is_its_own_stem(name: str) -> None:
    assert stem(stem(name)) == stem(name)


def test_parts_of_a_histogram() -> None:
    assert [part(n) for n in ("a_bucket", "a_sum", "a.count", "a_total")] == ["bucket", "sum", "count", ""]
