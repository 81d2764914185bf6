"""A connector that hands on by condition, and what it leaves of a job."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.collector.items import STEP
from tests.collector.configs import edited
from tests.collector.test_losses import lost


def routed(connector: str, other: str = "otlphttp/second") -> str:
    """The good configuration whose traces a connector hands on: to a pipeline that keeps them, and another."""
    text = edited(
        "      processors: [memory_limiter, batch]\n      exporters: [otlp/store, otlphttp/second]\n",
        "      processors: [memory_limiter]\n      exporters: [routing]\n"
        "    traces/a: {receivers: [routing], processors: [batch], exporters: [otlp/store]}\n"
        f"    traces/b: {{receivers: [routing], processors: [batch], exporters: [{other}]}}\n",
    )
    return (
        edited("exporters:\n", "exporters:\n  debug: {}\n", text) + f"connectors:\n  routing: {connector}\n"
    )


def row(condition: str, pipeline: str = "traces/a", more: str = "") -> str:
    return f"{{condition: '{condition}', pipelines: [{pipeline}]{more}}}"


SHOP = 'attributes["service.name"] == "checkout"'
OURS = 'attributes["service.name"] == "nemo"'
TEAM = 'attributes["nemo.user.id"] == "x"'
DEBUG = "default_pipelines: [traces/b]"


@pytest.mark.parametrize(
    ("connector", "other", "service", "gone"),
    [
        (f"{{table: [{row(SHOP)}]}}", "debug", "nemo", True),
        (f"{{table: [{row(SHOP)}]}}", "otlphttp/second", "nemo", True),
        (f"{{table: [{row(SHOP)}]}}", "debug", None, False),
        (f"{{table: [{row(SHOP)}], {DEBUG}}}", "debug", "nemo", True),
        (f"{{table: [{row(SHOP)}], {DEBUG}}}", "otlphttp/second", "nemo", None),
        (f"{{table: [{row(SHOP)}], {DEBUG}}}", "otlphttp/second", None, None),
        (f"{{table: [{row(SHOP)}], default_pipelines: [traces/a]}}", "debug", "nemo", None),
        (f"{{table: [{row(OURS)}], {DEBUG}}}", "debug", "nemo", None),
        (f"{{table: [{row(OURS, 'traces/b')}], default_pipelines: [traces/a]}}", "debug", "nemo", True),
        (
            f"{{table: [{row(OURS, 'traces/b', ', action: copy')}], default_pipelines: [traces/a]}}",
            "debug",
            "nemo",
            None,
        ),
        (f"{{table: [{row(TEAM)}], {DEBUG}}}", "debug", "nemo", False),
        (f"{{table: [{row(TEAM)}], {DEBUG}}}", "otlphttp/second", "nemo", None),
        (f"{{table: [{{statement: 'route() where {SHOP}', pipelines: [traces/a]}}]}}", "debug", "nemo", True),
        ("{table: [{statement: 'route()', pipelines: [traces/a]}]}", "debug", "nemo", None),
        (
            "{table: [{context: span, condition: 'span.name == \"x\"', pipelines: [traces/a]}]}",
            "debug",
            "nemo",
            True,
        ),
        (
            f"{{table: [{{context: request, condition: '{SHOP}', pipelines: [traces/a]}}]}}",
            "debug",
            "nemo",
            False,
        ),
        ("{table: '${env:TABLE}'}", "debug", "nemo", False),
    ],
)
def test_what_is_handed_on(
    tmp_path: Path, connector: str, other: str, service: str | None, gone: bool | None
) -> None:
    assert lost(tmp_path, routed(connector, other), "traces", service).get(STEP) is gone


def test_what_a_processor_wrote_before_it_counts(tmp_path: Path) -> None:
    condition = 'attributes["site"] == "x"'
    text = edited(
        "[memory_limiter]", "[memory_limiter, resource]", routed(f"{{table: [{row(condition)}]}}", "debug")
    )
    written = "  resource: {attributes: [{key: site, value: x, action: upsert}]}\n"
    assert lost(tmp_path, edited("processors:\n", f"processors:\n{written}", text), "traces") == {}
