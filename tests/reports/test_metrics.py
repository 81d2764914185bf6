"""Metrics that node_exporter and OpenMetrics readers take, each sample once, with the counts of the run."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from prometheus_client.openmetrics import parser as openmetrics
from prometheus_client.parser import text_string_to_metric_families

from lens_preflight.core.outcome import RunRecord
from lens_preflight.core.words import Severity, Status
from lens_preflight.gate import textfile
from lens_preflight.gate.cache import Word
from tests.reports.records import everything, outcome, record
from tests.reports.rendering import judged, rendered, statuses, weights
from tests.reports.strategies import records

relaxed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def families(run: RunRecord) -> dict[str, list[Any]]:
    """The samples by metric, as the reader of the text format has them."""
    found = {f.name: list(f.samples) for f in text_string_to_metric_families(rendered("metrics", run))}
    return {name.removeprefix("lens_preflight_"): samples for name, samples in found.items()}


def value(samples: list[Any], **labels: str) -> float:
    (found,) = [s.value for s in samples if labels.items() <= s.labels.items()]
    return float(found)


@relaxed
@given(records())
def test_independent_readers_count_the_same(run: RunRecord) -> None:
    read = families(run)
    assert Counter(s.labels["status"] for s in read["check_status"]) == +statuses(run)
    outcomes = Counter(o.status for o in run.results)
    for status in Status:
        assert value(read["checks"], status=status.value) == outcomes[status]
    for severity in Severity:
        assert value(read["findings"], severity=severity.word, waived="false") == weights(run)[severity]
    assert sum(s.value for s in read["findings"]) == len(judged(run))
    assert value(read["run_verdict"], verdict=run.verdict) == 1
    assert sum(s.value for s in read["run_verdict"]) == 1
    assert value(read["run_exit_code"]) == run.exit_code
    assert len(read["item_status"]) == len(run.items)


@relaxed
@given(records())
def test_no_sample_is_there_twice_and_none_has_a_time(run: RunRecord) -> None:
    every = [s for samples in families(run).values() for s in samples]
    assert len({(s.name, *sorted(s.labels.items())) for s in every}) == len(every)
    assert not any(s.timestamp for s in every)


@relaxed
@given(records())
def test_it_is_openmetrics_too(run: RunRecord) -> None:
    parse: Any = openmetrics.text_string_to_metric_families
    found = list(parse(rendered("metrics", run)))
    assert all(family.documentation for family in found)


def test_promtool_accepts_it() -> None:
    tool = shutil.which("promtool")
    if tool is None:
        pytest.skip("promtool is not installed: apt-get install prometheus")
    text = rendered("metrics", everything())
    done = subprocess.run([tool, "check", "metrics"], input=text, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("started", "seconds"),
    [
        ("1970-01-02T00:00:00Z", 86400),
        ("1970-01-02T01:00:00+01:00", 86400),
        ("1970-01-02T00:00:00", 86400),
        ("yesterday", 0),
        (None, 0),
    ],
)
def test_a_stale_file_can_be_told(started: str | None, seconds: float) -> None:
    samples = families(record(run={"started": started}))["last_run_timestamp_seconds"]
    assert value(samples) == seconds


def test_targets_that_look_alike_are_numbered() -> None:
    run = record(outcome(targets=("a\n", "a")), outcome(targets=("a",)))
    assert [s.labels["target"] for s in families(run)["check_status"]] == ["a", "a #2", "a #3"]


def test_labels_are_escaped() -> None:
    (sample,) = families(record(outcome(targets=('a"b\\n{c="d"}',))))["check_status"]
    assert sample.labels["target"] == 'a"b\\n{c="d"}'


def test_the_gate_and_the_report_may_lie_in_one_folder() -> None:
    """Two files of node_exporter's folder must not declare one metric."""
    name = re.compile(r"^# TYPE (\S+)", re.MULTILINE)
    gate = set(name.findall(textfile.text(Word.PASS, None, 1.0, 1.0)))
    assert gate
    assert not gate & set(name.findall(rendered("metrics", everything())))
