from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from lens_preflight.checks.otlp_endpoint import otlp_endpoint
from lens_preflight.core.errors import InputError
from lens_preflight.core.outcome import Outcome, RunRecord
from lens_preflight.core.variable import Environment
from lens_preflight.core.words import Severity, Status
from lens_preflight.gate.merge import unix_time
from lens_preflight.gate.node_report import ANOTHER, DAY, closed, read_node_report
from lens_preflight.gate.node_report import ways as ways_of
from lens_preflight.lens.generations import generation
from lens_preflight.otel.exporter import exporter
from lens_preflight.otel.files import Kind, MadeUpFiles
from lens_preflight.probe.way import way
from tests.faultlab import servers
from tests.gate.records import WAYS, failed, finding, outcome, record, ways
from tests.gate.test_merge import FOREIGN, merged, put
from tests.making import record as record_of
from tests.making import subject

NOW = unix_time("2026-02-03T04:05:06+00:00")
ASKS = "--profile node or --node-report"


def evidence(**facts: str) -> dict[str, str]:
    return {one.key: one.text for each in ways(**facts).values() for one in each}


def here(status: Status = Status.PASS, **changes: object) -> Outcome:
    """What a login node says of the endpoint: not yet shown from a compute node."""
    weak = (
        [finding("otlp-endpoint/not-from-here", severity=Severity.CAUTION)] if status is Status.WARN else []
    )
    return dataclasses.replace(outcome(status, *weak), missing_input=ASKS, **changes)  # type: ignore[arg-type]


def close(folder: Path, there: RunRecord, ours: Outcome | None = None) -> Outcome:
    (only,) = closed([ours or here()], read_node_report(put(folder, there)), ways(), NOW)
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
            record(outcome(sent=evidence(endpoint="other:4317", protocol="HTTP"))),
            "sent metrics in another way: protocol HTTP and not gRPC, endpoint other:4317 and not collector",
        ),
        (record(outcome(sent=evidence(headers="authorization"))), "headers authorization and not none"),
        (record(outcome(sent={f"{key}9": text for key, text in WAYS.items()})), "other values of headers"),
        (record(outcome(sent={**WAYS, **evidence(proxy="p:1")})), "metrics, traces in more than one way"),
        (record(outcome(sent={})), "does not say how metrics were sent"),
        (record(outcome(targets=("traces",))), "not judged metrics"),
        (record(outcome(Status.SKIP)), "not judged otlp-endpoint"),
        (record(outcome(check="sampler")), "not judged otlp-endpoint"),
        (record(outcome(), incomplete="terminated"), "terminated"),
        (record(outcome(), started=""), "does not say when it was made"),
        (record(outcome(), started="2026-02-01T04:05:06+00:00"), "it is 2 days old"),
        (record(outcome(), started="2026-02-03T06:05:06+00:00"), "made after now"),
    ],
)
def test_what_does_not_answer_the_question_leaves_it_open(tmp_path: Path, there: RunRecord, why: str) -> None:
    found = close(tmp_path, there)
    assert found.missing_input == ANOTHER and why in found.reason


def test_a_report_of_today_counts(tmp_path: Path) -> None:
    there = read_node_report(put(tmp_path, record(outcome(), node="n1")))
    for age, counts in ((-60, True), (DAY, True), (DAY + 1, False)):
        (only,) = closed([here()], there, ways(), NOW + age)
        assert (not only.missing_input) is counts


def test_what_was_not_sent_from_here_is_closed_when_the_job_asks_the_same(tmp_path: Path) -> None:
    unsent = dataclasses.replace(outcome(Status.SKIP, sent={}), missing_input="a run without --offline")
    there = read_node_report(put(tmp_path, record(outcome(), node="n1")))
    (only,) = closed([unsent], there, ways(), NOW)
    assert only.status is Status.PASS and not only.missing_input
    for asked in ({}, {"traces": ways()["traces"]}, ways(endpoint="other:4317")):
        (only,) = closed([unsent], there, asked, NOW)
        assert only.status is Status.SKIP and only.missing_input


def test_nodes_that_sent_differently_close_nothing(tmp_path: Path) -> None:
    """However the reports are read: the second of a kind is recognised without being parsed."""
    odd = {f"{key}9": text for key, text in WAYS.items()}
    for sent in (odd, {}):
        for order in ((WAYS, WAYS, sent), (sent, sent, WAYS), (WAYS, sent)):
            nodes = [record(outcome(sent=s), node=f"n{n}") for n, s in enumerate(order)]
            found = close(tmp_path, merged(*nodes, folder=tmp_path))
            assert found.missing_input, order


ON = {"NEMO_LENS_ENABLED": "1", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4317"}
HTTP = {**ON, "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf", "OTEL_EXPORTER_OTLP_ENDPOINT": "https://c:4318"}
HEADERS = "OTEL_EXPORTER_OTLP_HEADERS"


def keys(env: dict[str, str]) -> dict[str, set[str]]:
    return {signal: {one.key for one in each} for signal, each in ways_of(subject(env)).items()}


def test_only_what_is_exported_is_asked_for() -> None:
    assert keys({}) == {}
    assert set(keys(ON)) == {"traces", "metrics"}
    assert keys({**ON, "NEMO_LENS_EXPORTER": "console"}) == {}
    assert "unknown" in next(iter(ways_of(subject({**ON, "OTEL_EXPORTER_OTLP_TIMEOUT": "x"}))["traces"])).text


@pytest.mark.parametrize(
    ("env", "change"),
    [
        (ON, {"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}),
        (ON, {"OTEL_EXPORTER_OTLP_ENDPOINT": "https://c:4317"}),
        (ON, {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://d:4317"}),
        (ON, {"OTEL_EXPORTER_OTLP_TIMEOUT": "0.5"}),
        (ON, {"OTEL_EXPORTER_OTLP_COMPRESSION": "gzip"}),
        (ON, {"http_proxy": "http://p:3128"}),
        (ON, {"GRPC_DNS_RESOLVER": "native"}),
        (ON, {HEADERS: "x-scope-orgid=1"}),
        ({**ON, HEADERS: "x-scope-orgid=1"}, {HEADERS: "x-scope-orgid=2"}),
        ({**ON, HEADERS: "x-scope-orgid=1"}, {HEADERS: "x-scope-org=1"}),
        (HTTP, {"OTEL_EXPORTER_OTLP_ENDPOINT": "https://c:4318/x"}),
        (HTTP, {"OTEL_EXPORTER_OTLP_ENDPOINT": "https://u:p@c:4318"}),
        (HTTP, {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://c:4318/v1/traces?key=1"}),
        (HTTP, {HEADERS: "content-encoding=identity"}),
        (HTTP, {"OTEL_EXPORTER_OTLP_CERTIFICATE": "/ca.pem"}),
        (HTTP, {"REQUESTS_CA_BUNDLE": "/ca.pem"}),
        (HTTP, {"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE": "/chain.pem"}),
        (HTTP, {"https_proxy": "http://p:3128"}),
        ({**HTTP, "https_proxy": "http://u:p@p:3128"}, {"https_proxy": "http://u:q@p:3128"}),
    ],
)
def test_each_setting_that_changes_the_way_makes_another(env: dict[str, str], change: dict[str, str]) -> None:
    assert keys(env)["traces"].isdisjoint(keys({**env, **change})["traces"])


@pytest.mark.parametrize(
    "change",
    [
        {"NEMO_LENS_RUN_ID": "other"},
        {"OTEL_TRACES_SAMPLER": "always_on"},
        {"no_proxy": "c"},
        {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://c:4318/v1/traces"},
        {HEADERS: "content-type=application/x-protobuf"},
        {"OTEL_EXPORTER_OTLP_TIMEOUT": "10.0"},
    ],
)
def test_what_does_not_change_the_way_makes_none(change: dict[str, str]) -> None:
    assert keys({**HTTP, **change})["traces"] == keys(HTTP)["traces"]


@pytest.mark.parametrize("protocol", ["grpc", "http/protobuf"])
def test_files_count_by_their_paths_also_where_they_are_missing(protocol: str) -> None:
    names = ("CERTIFICATE", "CLIENT_KEY", "CLIENT_CERTIFICATE")
    paths = {f"OTEL_EXPORTER_OTLP_{name}": f"/node/{name}" for name in names}
    env = Environment.of({**HTTP, **paths, "OTEL_EXPORTER_OTLP_PROTOCOL": protocol})
    on_a_node = MadeUpFiles(dict.fromkeys(paths.values(), Kind.PEM))
    (asked,) = ways_of(subject(env, lens="0.1"))["traces"]
    assert asked == way(exporter(env, "traces", generation("0.1"), on_a_node), env)
    assert "client key /node/CLIENT_KEY" in asked.text


def test_no_secret_is_told_and_little_of_it_can_be_tried_out() -> None:
    secret = {HEADERS: "authorization=Bearer%20hunter2"}
    env = {**HTTP, **secret, "OTEL_EXPORTER_OTLP_ENDPOINT": "https://ada:hunter2@c:4318?k=hunter2"}
    env["https_proxy"] = "ada:hunter2@p:3128"
    (sent,) = ways_of(subject(env))["traces"]
    assert "hunter2" not in repr(sent) and "ada" not in sent.text
    assert len(sent.key.rpartition(".")[2]) == 3
    hosts = ({**ON, **secret}, {**HTTP, **secret}, {**HTTP, **secret, "OTEL_EXPORTER_OTLP_TIMEOUT": "3"})
    marks = {one.mark for each in hosts for both in ways_of(subject(each)).values() for one in both}
    assert len(marks) == 1, "the same secret for the same host says the same 12 bits"


def test_what_a_check_saw_is_what_a_job_asks_for() -> None:
    port = servers.otlp_http()
    env = {**ON, "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}", HEADERS: "a=b"}
    env["OTEL_EXPORTER_OTLP_PROTOCOL"] = "http/protobuf"
    what = subject(env, profile="node", offline=False, lens="0.1")
    results = record_of([otlp_endpoint], what).results
    told = {key for o in results for key in o.evidence if key.startswith("way ")}
    assert told == set().union(*keys(env).values())


def test_a_merge_with_missing_nodes_leaves_it_open(tmp_path: Path) -> None:
    there = merged(record(outcome(), node="n1"), folder=tmp_path, expected=["n1", "n2"])
    found = close(tmp_path, there)
    assert found.missing_input == ANOTHER and "no report from n2" in found.reason


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
