"""Processors that give metrics and spans other names."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.collector.items import items
from lens_preflight.collector.renames import renames
from tests.collector.configs import processor, read


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
