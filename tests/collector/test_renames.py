"""Processors that give metrics and spans other names."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.collector.items import items
from lens_preflight.collector.renames import renames
from tests.collector.configs import edited, processor, read


def renamed(folder: Path, text: str, signal: str) -> set[str]:
    """The names of the items that get another one."""
    return {r.item.name for r in renames(read(folder, text), items(signal, None, frozenset({"megatron"})))}


@pytest.mark.parametrize(
    ("name", "body", "loss"),
    [
        ("transform", '{metric_statements: [\'set(metric.name, Concat(["nv", metric.name], "."))\']}', True),
        (
            "transform",
            '{metric_statements: [{context: metric, statements: [\'set(name, "x") where name == "y"\']}]}',
            False,
        ),
        (
            "transform",
            '{metric_statements: [\'replace_pattern(metric.name, "^megatron\\\\.", "m.")\']}',
            True,
        ),
        ("transform", '{metric_statements: [\'replace_pattern(metric.name, "^node_", "n.")\']}', False),
        ("transform", "{metric_statements: ['set(metric.description, \"\")']}", False),
        (
            "metricstransform",
            "{transforms: [{include: megatron.training.loss, action: update, new_name: loss}]}",
            True,
        ),
        (
            "metricstransform",
            "{transforms: [{include: megatron.training.loss, action: insert, new_name: loss}]}",
            False,
        ),
        (
            "metricstransform",
            "{transforms: [{include: '^megatron', match_type: regexp, action: update, new_name: x}]}",
            True,
        ),
    ],
)
def test_metrics_that_get_another_name(tmp_path: Path, name: str, body: str, loss: bool) -> None:
    found = renamed(tmp_path, processor(name, body, "metrics"), "metrics")
    assert ("megatron.training.loss" in found) is loss


STEP = "megatron.training.step_duration_ms"
LOSS = "megatron.training.loss"


@pytest.mark.parametrize(
    ("statement", "name", "other"),
    [
        ('set(metric.unit, "")', STEP, True),
        ('set(metric.unit, "s")', STEP, True),
        ('set(metric.unit, "s") where metric.name == "up"', STEP, False),
        ('set(metric.unit, "ms") where metric.unit == "ms"', STEP, False),
        ('set(metric.unit, Concat(["m", "s"], "")) where metric.unit == "ms"', STEP, True),
        ('scale_metric(0.001, "s") where metric.unit == "ms"', STEP, True),
        ('scale_metric(0.001, "s") where metric.unit == "ms"', LOSS, False),
        ('scale_metric(0.001) where metric.unit == "ms"', STEP, False),
        (f'convert_gauge_to_sum("cumulative", true) where metric.name == "{LOSS}"', LOSS, True),
        (f'convert_gauge_to_sum("cumulative", false) where metric.name == "{LOSS}"', LOSS, False),
        ('convert_gauge_to_sum("cumulative", true) where metric.type == METRIC_DATA_TYPE_GAUGE', STEP, False),
        ('convert_sum_to_gauge() where metric.name == "x"', LOSS, False),
    ],
)
def test_metrics_whose_suffix_becomes_another(tmp_path: Path, statement: str, name: str, other: bool) -> None:
    text = processor("transform", f"{{metric_statements: ['{statement}']}}", "metrics")
    assert (name in renamed(tmp_path, text, "metrics")) is other


def test_without_suffixes_a_unit_names_nothing(tmp_path: Path) -> None:
    text = processor("transform", "{metric_statements: ['set(metric.unit, \"s\")']}", "metrics")
    plain = edited(
        "    endpoint: 0.0.0.0:8889\n", "    endpoint: 0.0.0.0:8889\n    add_metric_suffixes: false\n", text
    )
    assert renamed(tmp_path, plain, "metrics") == set()


@pytest.mark.parametrize(
    ("name", "body", "step"),
    [
        ("span", "{name: {from_attributes: [nemo.phase], separator: '::'}}", True),
        ("span", "{name: {from_attributes: [db.system, nemo.phase]}}", False),
        ("span", "{name: {to_attributes: {rules: ['^/d/(?P<id>.*)$$']}}}", False),
        ("transform", "{trace_statements: ['set(span.name, \"x\")']}", True),
        ("transform", '{trace_statements: [\'replace_pattern(span.name, "/users/[0-9]+", "x")\']}', False),
    ],
)
def test_spans_that_get_another_name(tmp_path: Path, name: str, body: str, step: bool) -> None:
    assert bool(renamed(tmp_path, processor(name, body), "traces")) is step
