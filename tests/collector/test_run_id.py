"""What becomes of the run id on the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.collector.run_id import RUN_ID, Loss, removals
from lens_preflight.core.errors import Undecided
from tests.collector.configs import processor, read


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
        ("resource", "{attributes: [{key: nemo.run.id, action: DELETE}]}", True),
        ("resource", "{attributes: [{pattern: 'nemo.*', action: hash}]}", True),
        ("resource", "{attributes: [{key: nemo.run.id, pattern: '^(?P<a>.)', action: extract}]}", False),
        ("redaction", "{allow_all_keys: true, blocked_key_patterns: ['.*run.*']}", True),
        ("redaction", "{allow_all_keys: true, blocked_values: ['.+']}", True),
        ("redaction", "{allow_all_keys: true, blocked_values: ['4[0-9]{12}(?:[0-9]{3})?']}", False),
        ("redaction", "{allow_all_keys: true, blocked_key_patterns: ['.*token.*']}", False),
        ("redaction", "{allowed_keys: [service.name], ignored_keys: [nemo.run.id]}", False),
    ],
)
def test_processors_that_take_the_run_id_away(tmp_path: Path, name: str, body: str, lost: bool) -> None:
    component = read(tmp_path, processor(name, body)).find("processors", name)
    assert component is not None
    assert (RUN_ID in {r.key for r in removals(component)}) is lost


def stated(statement: str, context: str = "") -> str:
    """The good configuration with one statement on metrics."""
    head = f"context: {context}, " if context else "context: metric, "
    return processor(
        "transform", f"{{metric_statements: [{{{head}statements: ['{statement}']}}]}}", "metrics"
    )


@pytest.mark.parametrize(
    ("statement", "lost"),
    [
        (r'delete_matching_keys(resource.attributes, "^nemo\\..*")', True),
        (r'keep_matching_keys(resource.attributes, "^(nemo|nv|dl|service|host)\\..*")', False),
        ('set(resource.attributes, {"service.name": "x"})', True),
        ("truncate_all(resource.attributes, 4)", True),
        ("truncate_all(resource.attributes, 4096)", False),
        ('replace_all_patterns(resource.attributes, "value", ".+", "N")', True),
        ('replace_all_patterns(resource.attributes, "value", "password=[^ ]+", "N")', False),
        (r'replace_all_patterns(resource.attributes, "key", "^nemo\\.", "n.")', True),
        (r'replace_all_patterns(resource.attributes, "key", "^k8s\\.", "n.")', False),
        ('replace_all_matches(resource.attributes, "*", "x")', True),
        ('replace_all_matches(resource.attributes, "/user/*", "x")', False),
        ('set(resource.attributes["nemo.run.id"], SHA256(resource.attributes["nemo.run.id"]))', True),
        (
            'set(resource.attributes["nemo.run.id"], Substring(resource.attributes["nemo.run.id"], 0, 3))',
            True,
        ),
        ('set(resource.attributes["nemo.run.id"], resource.attributes["nemo.run.id"])', False),
        ('set(resource.attributes["nemo.run.id"], nil)', False),
        ('set(resource.attributes["a"], "delete_key(resource.attributes)")', False),
        ('flatten(resource.attributes, "p")', True),
        ("limit(resource.attributes, 100, [])", False),
        ("flatten(resource.attributes)", False),
        ('merge_maps(resource.attributes, {"site": "a"}, "upsert")', False),
        (
            'set(resource.attributes["nemo.run.id"], "x") where resource.attributes["nemo.run.id"] == nil',
            False,
        ),
        ('delete_key(resource.attributes, "nemo.run.id") where resource.attributes["a"] == "b"', False),
        ('delete_key(resource.attributes, "nemo.run.id") where metric.name != ""', True),
        ('delete_key(datapoint.attributes, "nemo.run.id")', False),
        ('set(datapoint.attributes["run"], resource.attributes["nemo.run.id"])', False),
        ('delete_key(target=resource.attributes, key="nemo.run.id")', True),
    ],
)
def test_statements_that_take_the_run_id_away(tmp_path: Path, statement: str, lost: bool) -> None:
    component = read(tmp_path, stated(statement)).find("processors", "transform")
    assert component is not None
    assert (RUN_ID in {r.key for r in removals(component)}) is lost


@pytest.mark.parametrize(
    "statement",
    [
        "scrub(resource.attributes)",
        'merge_maps(resource.attributes, ParseJSON(resource.attributes["extra"]), "upsert")',
        'replace_all_patterns(resource.attributes, "value", "[0-9]+", "N")',
        "truncate_all(resource.attributes, 20)",
        'keep_matching_keys(resource.attributes, resource.attributes["pattern"])',
    ],
)
def test_statements_of_which_nobody_knows(tmp_path: Path, statement: str) -> None:
    component = read(tmp_path, stated(statement)).find("processors", "transform")
    assert component is not None
    with pytest.raises(Undecided):
        list(removals(component))


def test_a_processor_that_is_not_known(tmp_path: Path) -> None:
    component = read(tmp_path, processor("acme_scrubber", "{x: 1}")).find("processors", "acme_scrubber")
    assert component is not None
    with pytest.raises(Undecided, match="acme_scrubber"):
        list(removals(component))


def test_statements_for_other_signals_do_not_run(tmp_path: Path) -> None:
    text = processor("transform", "{log_statements: ['delete_key(resource.attributes, \"nemo.run.id\")']}")
    component = read(tmp_path, text).find("processors", "transform")
    assert component is not None and not list(removals(component, ["traces"]))


def test_relatives_are_told_apart(tmp_path: Path) -> None:
    config = read(tmp_path, processor("resource", "{attributes: [{key: nv.dl.rank, action: delete}]}"))
    component = config.find("processors", "resource")
    assert component is not None
    assert [(r.key, r.loss) for r in removals(component)] == [("nv.dl.rank", Loss.REMOVED)]


@pytest.mark.parametrize("pattern", ["[[:alpha:]]+", r"\pL+", "(", r"nemo\z"])
def test_a_pattern_of_go_is_not_guessed(tmp_path: Path, pattern: str) -> None:
    text = processor("resource", f"{{attributes: [{{pattern: '{pattern}', action: delete}}]}}")
    component = read(tmp_path, text).find("processors", "resource")
    assert component is not None
    with pytest.raises(Undecided, match="Go"):
        list(removals(component))
