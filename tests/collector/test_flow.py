"""The ways of telemetry, what is dropped on them, and where they end."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.collector.amounts import bind_host, is_everywhere, is_loopback, seconds
from lens_preflight.collector.capacity import queues
from lens_preflight.collector.ottl import Facts
from lens_preflight.collector.sinks import host_of, sinks
from lens_preflight.collector.translation import translations
from tests.collector.configs import GOOD, edited, processor, read


def test_a_way_leads_through_connectors_that_hand_on(tmp_path: Path) -> None:
    text = edited("exporters: [otlp/store, otlphttp/second]", "exporters: [forward/a]")
    text = edited(
        "    metrics:\n      rec",
        (
            "    traces/b: {receivers: [forward/a], processors: [batch], exporters: [otlp/store]}\n    "
            "metrics:\n      rec"
        ),
        text,
    )
    config = read(tmp_path, text + "connectors: {forward/a: }\n")
    (route,) = [r for r in config.routes if r.signal == "traces"]
    assert [p.id for p in route.pipelines] == ["traces", "traces/b"]
    assert ([r.id for r in route.processors], route.end.id) == (
        ["memory_limiter", "batch", "batch"],
        "otlp/store",
    )


def test_connectors_that_feed_themselves_end(tmp_path: Path) -> None:
    text = edited("exporters: [otlp/store, otlphttp/second]", "exporters: [forward/a]")
    text = edited("      receivers: [otlp]\n", "      receivers: [otlp, forward/a]\n", text)
    assert [
        r.end.id for r in read(tmp_path, text + "connectors: {forward/a: }\n").routes if r.signal == "traces"
    ] == []


def test_pipelines_without_an_otlp_receiver_are_no_way(tmp_path: Path) -> None:
    text = GOOD.replace("receivers: [otlp]", "receivers: [hostmetrics]")
    assert read(tmp_path, edited("receivers:\n", "receivers:\n  hostmetrics: {}\n", text)).routes == ()


@pytest.mark.parametrize(
    ("condition", "kept", "dropped"),
    [
        ('resource.attributes["nv.dl.rank"] != 7', [7], [0, 6, 8]),
        (
            'not (resource.attributes["nv.dl.rank"] == 0 or resource.attributes["nv.dl.rank"] == 8)',
            [0, 8],
            [1, 9],
        ),
    ],
)
def test_a_filter_on_the_rank(tmp_path: Path, condition: str, kept: list[int], dropped: list[int]) -> None:
    config = read(tmp_path, processor("filter/rank", f"{{traces: {{span: ['{condition}']}}}}"))
    assert config.filters_rank()
    assert all(config.keeps_rank(rank, "nv.dl.rank") is True for rank in kept)
    assert all(config.keeps_rank(rank, "nv.dl.rank") is False for rank in dropped)
    assert not config.filters_rank(("dl.rank",))


def test_a_filter_that_is_not_used_or_not_understood_filters_nothing(tmp_path: Path) -> None:
    unused = edited(
        "processors:\n",
        "processors:\n  filter/r: {traces: {span: ['resource.attributes[\"dl.rank\"] != 0']}}\n",
    )
    assert not read(tmp_path, unused).filters_rank()
    odd = processor("filter/r", "{traces: {span: ['Int(resource.attributes[\"dl.rank\"]) - 1 == 0']}}")
    config = read(tmp_path, odd)
    assert not config.filters_rank() and config.keeps_rank(0, "dl.rank") is None


def test_the_old_forms_of_the_filter(tmp_path: Path) -> None:
    body = "{spans: {exclude: {match_type: strict, attributes: [{key: nemo.span.truncated, value: true}]}}}"
    stage = read(tmp_path, processor("filter/old", body)).drops["filter/old"]
    assert stage.drops("traces", Facts({("attributes", "nemo.span.truncated"): True})) is True
    assert stage.drops("traces", Facts({("attributes", "nemo.span.truncated"): None})) is False
    named = "{metrics: {include: {match_type: regexp, metric_names: ['a.*']}}}"
    stage = read(tmp_path, processor("filter/n", named, "metrics")).drops["filter/n"]
    assert [stage.drops("metrics", Facts({("name", "value"): n})) for n in ("abc", "b")] == [False, True]


def test_tail_sampling_is_told(tmp_path: Path) -> None:
    config = read(tmp_path, processor("tail_sampling", "{policies: [{name: a, type: always_sample}]}"))
    assert [c.id for c in config.tail_sampling()] == ["tail_sampling"]
    assert read(tmp_path, GOOD).tail_sampling() == ()


def test_two_exporters_to_one_host_are_one_sink(tmp_path: Path) -> None:
    config = read(tmp_path, edited("https://second.example.invalid", "https://store.example.invalid:4318"))
    assert {signal: len(places) for signal, places in sinks(config).items()} == {"traces": 1, "metrics": 2}


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("Store.example:4317", "store.example"),
        ("https://u:p@store.example/x", "store.example"),
        ("[::1]:4317", "::1"),
        ("amqp://q:5672", "q"),
        ("", ""),
    ],
)
def test_the_host_of_an_address(address: str, host: str) -> None:
    assert host_of(address) == host


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5s", 5.0),
        ("1m30s", 90.0),
        ("3h", 10800.0),
        ("0", 0.0),
        ("5", 5e-9),
        ("1.5ms", 0.0015),
        ("x", None),
        (None, None),
    ],
)
def test_durations_of_go(text: str | None, value: float | None) -> None:
    assert seconds(text) == (pytest.approx(value) if value is not None else None)


@pytest.mark.parametrize(
    ("endpoint", "loopback", "everywhere"),
    [
        ("0.0.0.0:4317", False, True),
        (":4317", False, True),
        ("[::]:4317", False, True),
        ("localhost:4317", True, False),
        ("127.0.0.1:4317", True, False),
        ("[::1]:4317", True, False),
        ("10.0.0.1:4317", False, False),
    ],
)
def test_bind_addresses(endpoint: str, loopback: bool, everywhere: bool) -> None:
    host = bind_host(endpoint)
    assert (is_loopback(host), is_everywhere(host)) == (loopback, everywhere)


def test_what_the_queues_hold(tmp_path: Path) -> None:
    first, second = queues(read(tmp_path, GOOD))
    assert (first.exporter, first.spans, first.persistent, first.limit_mib) == (
        "otlp/store",
        1024000,
        True,
        2000,
    )
    assert second.exporter == "otlphttp/second"


def test_how_the_exporter_spells_names(tmp_path: Path) -> None:
    text = edited(
        "    resource_to_tele", "    add_metric_suffixes: false\n    namespace: site\n    resource_to_tele"
    )
    (translation,) = translations(read(tmp_path, text))
    assert (translation.strategy, translation.namespace) == ("UnderscoreEscapingWithoutSuffixes", "site")
