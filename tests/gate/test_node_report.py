from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from lens_preflight.core.errors import InputError
from lens_preflight.core.outcome import Outcome, RunRecord
from lens_preflight.core.words import Severity, Status
from lens_preflight.gate.node_report import closed, endpoints, read_node_report
from tests.gate.records import failed, finding, outcome, record
from tests.gate.test_merge import FOREIGN, merged, put
from tests.making import subject

ASKS = "--profile node or --node-report"


def here(status: Status = Status.PASS, **changes: object) -> Outcome:
    """What a login node says of the endpoint: not yet shown from a compute node."""
    weak = (
        [finding("otlp-endpoint/not-from-here", severity=Severity.CAUTION)] if status is Status.WARN else []
    )
    return dataclasses.replace(outcome(status, *weak), missing_input=ASKS, **changes)  # type: ignore[arg-type]


def close(folder: Path, there: RunRecord, ours: Outcome | None = None) -> Outcome:
    (only,) = closed([ours or here()], read_node_report(put(folder, there)))
    return only


@pytest.mark.parametrize("status", [Status.PASS, Status.WARN])
def test_a_pass_from_the_nodes_closes_the_item(tmp_path: Path, status: Status) -> None:
    there = merged(*(record(outcome(), node=f"n{n}") for n in (1, 2)), folder=tmp_path)
    found = close(tmp_path, there, here(status))
    assert found.status is Status.PASS and not found.missing_input and not found.findings
    assert found.reason.startswith("from n[1-2], job 42: ")


def test_a_report_of_one_node_will_do(tmp_path: Path) -> None:
    assert not close(tmp_path, record(outcome(), node="n1")).missing_input


def test_what_may_wait_there_may_wait_here(tmp_path: Path) -> None:
    waived = dataclasses.replace(outcome(Status.UNKNOWN, reason="not seen"), waived="until May")
    assert close(tmp_path, record(waived)).waived == "until May"
    assert close(tmp_path, record(outcome(Status.UNKNOWN, reason="not seen"))).waived == ""


def test_a_failure_there_counts_here(tmp_path: Path) -> None:
    found = close(tmp_path, failed())
    assert found.status is Status.FAIL and found.findings and not found.missing_input


@pytest.mark.parametrize(
    ("there", "why"),
    [
        (
            record(outcome(endpoint="other:4317")),
            "the nodes asked other:4317, this job would ask collector:4317",
        ),
        (record(outcome(endpoint="")), "does not say which endpoint"),
        (record(outcome(targets=("traces",))), "not judged metrics"),
        (record(outcome(Status.SKIP)), "not judged otlp-endpoint"),
        (record(outcome(check="sampler")), "not judged otlp-endpoint"),
        (record(outcome(), incomplete="terminated"), "terminated"),
    ],
)
def test_what_does_not_answer_the_question_leaves_it_open(tmp_path: Path, there: RunRecord, why: str) -> None:
    found = close(tmp_path, there)
    assert found.missing_input == ASKS and why in found.reason


def test_what_was_not_sent_from_here_is_closed_when_the_job_asks_the_same(tmp_path: Path) -> None:
    unsent = dataclasses.replace(outcome(Status.SKIP, endpoint=""), missing_input="a run without --offline")
    there = read_node_report(put(tmp_path, record(outcome(), node="n1")))
    (only,) = closed([unsent], there, ["collector:4317"])
    assert only.status is Status.PASS and not only.missing_input
    for asked in ([], ["other:4317"], ["collector:4317", "?"]):
        (only,) = closed([unsent], there, asked)
        assert only.status is Status.SKIP and only.missing_input


@pytest.mark.parametrize(
    ("env", "asked"),
    [
        ({}, set()),
        ({"NEMO_LENS_ENABLED": "1", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4317"}, {"c:4317"}),
        (
            {
                "NEMO_LENS_ENABLED": "1",
                "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318",
                "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
                "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "https://m/v1/metrics",
            },
            {"c:4318", "m:443"},
        ),
    ],
)
def test_the_endpoints_of_a_job_are_known(env: dict[str, str], asked: set[str]) -> None:
    assert endpoints(subject(env)) == asked


def test_a_merge_with_missing_nodes_leaves_it_open(tmp_path: Path) -> None:
    there = merged(record(outcome(), node="n1"), folder=tmp_path, expected=["n1", "n2"])
    found = close(tmp_path, there)
    assert found.missing_input == ASKS and "no report from n2" in found.reason


def test_outcomes_that_ask_for_nothing_stay(tmp_path: Path) -> None:
    ours = outcome(Status.FAIL, finding("otlp-endpoint/unauthorized"))
    assert close(tmp_path, record(outcome()), ours) == ours


@pytest.mark.parametrize("kind", FOREIGN)
def test_what_is_no_report_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(FOREIGN[kind][0])
    with pytest.raises(InputError, match="--node-report"):
        read_node_report(str(path))


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_node_report(str(tmp_path / "gone"))
