"""What becomes of the run id on the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.collector.run_id import RUN_ID, Loss, promotes, removals
from lens_preflight.core.errors import Undecided
from tests.collector.configs import GOOD, edited, processor, read

PLAIN = edited("    resource_to_telemetry_conversion: {enabled: true}\n", "")


@pytest.mark.parametrize(
    ("name", "body", "lost"),
    [
        ("resource", "{attributes: [{key: nemo.run.id, action: delete}]}", True),
        ("resource", "{attributes: [{pattern: '^nemo[.].*', action: delete}]}", True),
        ("resource", "{attributes: [{key: nemo.run.id, value: x, action: upsert}]}", True),
        ("resource", "{attributes: [{key: nemo.run.id, value: x, action: insert}]}", False),
        ("resource", "{attributes: [{key: host.name, action: delete}]}", False),
        ("transform", "{metric_statements: ['delete_key(resource.attributes, \"nemo.run.id\")']}", True),
        ("transform", "{metric_statements: ['delete_key(datapoint.attributes, \"nemo.run.id\")']}", False),
        (
            "transform",
            "{trace_statements: [{context: resource, statements: ['keep_keys(attributes, [\"a\"])']}]}",
            True,
        ),
        (
            "transform",
            "{trace_statements: [{context: span, statements: ['keep_keys(attributes, [\"a\"])']}]}",
            False,
        ),
        ("transform", "{log_statements: ['delete_matching_keys(resource.attributes, \"(?i)nemo\")']}", True),
        ("redaction", "{allow_all_keys: false, allowed_keys: [service.name]}", True),
        ("redaction", "{allow_all_keys: true}", False),
        ("transform", "{trace_statements: ['limit(resource.attributes, 3, [\"a\"])']}", True),
        ("transform", "{trace_statements: ['limit(resource.attributes, 3, [\"nemo.run.id\"])']}", False),
        (
            "transform",
            '{trace_statements: [\'replace_pattern(resource.attributes["nemo.run.id"], "a", "b")\']}',
            True,
        ),
        ("attributes", "{actions: [{key: nemo.run.id, action: delete}]}", False),
    ],
)
def test_processors_that_take_the_run_id_away(tmp_path: Path, name: str, body: str, lost: bool) -> None:
    component = read(tmp_path, processor(name, body)).find("processors", name)
    assert component is not None
    assert (RUN_ID in {r.key for r in removals(component)}) is lost


def test_relatives_are_told_apart(tmp_path: Path) -> None:
    config = read(tmp_path, processor("resource", "{attributes: [{key: nv.dl.rank, action: delete}]}"))
    component = config.find("processors", "resource")
    assert component is not None
    assert [(r.key, r.loss) for r in removals(component)] == [("nv.dl.rank", Loss.REMOVED)]


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


@pytest.mark.parametrize("pattern", ["[[:alpha:]]+", r"\pL+", "(", r"nemo\z"])
def test_a_pattern_of_go_is_not_guessed(tmp_path: Path, pattern: str) -> None:
    text = processor("resource", f"{{attributes: [{{pattern: '{pattern}', action: delete}}]}}")
    component = read(tmp_path, text).find("processors", "resource")
    assert component is not None
    with pytest.raises(Undecided, match="Go"):
        list(removals(component))
