"""Whether series carry the run id as a label, by a switch or by a copy."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.collector.promotion import promotes
from lens_preflight.core.errors import Undecided
from tests.collector.configs import GOOD, edited, processor, read

PLAIN = edited("    resource_to_telemetry_conversion: {enabled: true}\n", "")


@pytest.mark.parametrize(
    ("text", "promoted"),
    [
        (GOOD, True),
        (PLAIN, False),
        (edited("enabled: true", "enabled: false"), False),
        (
            edited(
                "resource_to_telemetry_conversion: {enabled: true}",
                "resource_constant_labels: {included: [nemo.run.id]}",
            ),
            True,
        ),
        (
            edited(
                "resource_to_telemetry_conversion: {enabled: true}",
                "resource_constant_labels: {included: ['nemo.*']}",
            ),
            True,
        ),
        (
            edited(
                "resource_to_telemetry_conversion: {enabled: true}",
                "resource_constant_labels: {included: [host.name]}",
            ),
            False,
        ),
        (
            processor(
                "transform",
                (
                    '{metric_statements: [\'set(datapoint.attributes["nemo.run.id"], '
                    'resource.attributes["nemo.run.id"])\']}'
                ),
                "metrics",
                PLAIN,
            ),
            True,
        ),
        (
            processor(
                "transform",
                (
                    '{metric_statements: [{context: datapoint, statements: [\'set(attributes["nemo_run_id"], '
                    'resource.attributes["nemo.run.id"])\']}]}'
                ),
                "metrics",
                PLAIN,
            ),
            True,
        ),
        (
            processor(
                "transform",
                (
                    '{metric_statements: [\'set(datapoint.attributes["run"], '
                    'resource.attributes["nemo.run.id"])\']}'
                ),
                "metrics",
                PLAIN,
            ),
            False,
        ),
        (
            processor(
                "transform",
                (
                    '{trace_statements: [\'set(span.attributes["nemo.run.id"], '
                    'resource.attributes["nemo.run.id"])\']}'
                ),
                "metrics",
                PLAIN,
            ),
            False,
        ),
    ],
)
def test_whether_series_carry_the_run_id(tmp_path: Path, text: str, promoted: bool) -> None:
    config = read(tmp_path, text)
    exporter = config.find("exporters", "prometheus")
    (route,) = [r for r in config.routes if r.end.id == "prometheus"]
    assert exporter is not None and promotes(config, exporter, route.processors) is promoted


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("attributes", "{actions: [{key: nemo.run.id, action: delete}]}"),
        ("attributes", "{actions: [{pattern: '^nemo', action: delete}]}"),
        ("transform/2", "{metric_statements: ['delete_matching_keys(datapoint.attributes, \"^nemo\")']}"),
    ],
)
def test_a_copy_that_is_deleted_again_is_none(tmp_path: Path, name: str, body: str) -> None:
    copied = processor(
        "transform",
        (
            '{metric_statements: [\'set(datapoint.attributes["nemo.run.id"], '
            'resource.attributes["nemo.run.id"])\']}'
        ),
        "metrics",
        PLAIN,
    )
    text = edited(
        "processors:\n",
        f"processors:\n  {name}: {body}\n",
        copied,
    )
    config = read(
        tmp_path,
        edited("[memory_limiter, transform, batch]", f"[memory_limiter, transform, {name}]", text),
    )
    exporter = config.find("exporters", "prometheus")
    (route,) = [r for r in config.routes if r.end.id == "prometheus"]
    assert exporter is not None and not promotes(config, exporter, route.processors)


COPY = 'set(datapoint.attributes["nemo_run_id"], resource.attributes["nemo.run.id"])'


def copies(*statements: str) -> str:
    """A configuration whose exporter makes no labels of the resource, with statements on metrics."""
    quoted = ", ".join(f"'{statement}'" for statement in statements)
    body = f"{{metric_statements: [{{context: datapoint, statements: [{quoted}]}}]}}"
    return processor("transform", body, "metrics", PLAIN)


@pytest.mark.parametrize(
    ("statements", "promoted"),
    [
        ((COPY,), True),
        (('merge_maps(datapoint.attributes, resource.attributes, "upsert")',), True),
        (('merge_maps(attributes, resource.attributes, "insert")',), True),
        (('merge_maps(datapoint.attributes, resource.attributes, "update")',), False),
        (("set(datapoint.attributes, resource.attributes)",), True),
        ((COPY + ' where resource.attributes["nemo.run.id"] == nil',), False),
        ((COPY + ' where resource.attributes["nemo.run.id"] != nil',), True),
        ((COPY + ' where metric.name == "x"',), False),
        ((COPY, 'set(datapoint.attributes["nemo_run_id"], "x")'), False),
        ((COPY, 'delete_key(datapoint.attributes, "nemo_run_id")'), False),
        ((COPY, 'keep_keys(datapoint.attributes, ["a"])'), False),
        ((COPY, 'keep_keys(datapoint.attributes, ["a", "nemo_run_id"])'), True),
        ((COPY, 'delete_key(datapoint.attributes, "x")', 'set(datapoint.attributes["y"], 1)'), True),
        ((COPY, 'aggregate_on_attributes("sum", ["a"])'), False),
        ((COPY, 'aggregate_on_attributes("sum", ["a", "nemo_run_id"])'), True),
        (('set(datapoint.attributes["nemo_run_id"], resource.attributes["host.name"])',), False),
    ],
)
def test_copies_to_the_data_points(tmp_path: Path, statements: tuple[str, ...], promoted: bool) -> None:
    config = read(tmp_path, copies(*statements))
    exporter = config.find("exporters", "prometheus")
    (route,) = [r for r in config.routes if r.end.id == "prometheus"]
    assert exporter is not None and promotes(config, exporter, route.processors) is promoted


@pytest.mark.parametrize(
    "text",
    [
        copies(COPY + ' where metric.name == "megatron.training.loss"'),
        copies(COPY, "scrub(datapoint.attributes)"),
        copies('set(datapoint.attributes["nemo_run_id"], Concat([resource.attributes["nemo.run.id"]], ""))'),
        edited("enabled: true", "enabled: '${env:PROMOTE}'"),
        edited("{enabled: true}", "'${env:PROMOTE}'"),
    ],
)
def test_promotion_of_which_nobody_knows(tmp_path: Path, text: str) -> None:
    config = read(tmp_path, text)
    exporter = config.find("exporters", "prometheus")
    (route,) = [r for r in config.routes if r.end.id == "prometheus"]
    assert exporter is not None
    with pytest.raises(Undecided):
        promotes(config, exporter, route.processors)
