"""What is said of a backend before the run, while it runs, and when it answers badly."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from lens_preflight.checks.backend_run_id import LATER, backend_run_id
from lens_preflight.core.outcome import Outcome
from lens_preflight.core.words import Status
from tests.backends import fakes
from tests.backends.replay import Answers, Canned, replayed
from tests.making import outcome, record, rules, subject

RUN = "llama3-a"
ENV = {"NEMO_LENS_ENABLED": "1", "NEMO_LENS_RUN_ID": RUN, "OTEL_SERVICE_NAME": "megatron-lm"}


def asked(kind: str, answers: Answers, env: Mapping[str, str] = ENV, **inputs: Any) -> Outcome:
    with replayed(kind, answers, now=None) as server:
        return outcome(backend_run_id, env, offline=False, lens="0.1", backends={kind: server.url}, **inputs)


@pytest.mark.parametrize("profile", ["ci", "login", "node"])
def test_before_the_run_a_good_backend_is_not_judged(profile: str) -> None:
    said = asked("jaeger", fakes.jaeger(), profile=profile)
    assert (said.status, said.missing_input) == (Status.SKIP, LATER)
    said = asked("prometheus", fakes.prometheus(), profile=profile)
    assert (said.status, said.missing_input) == (Status.SKIP, LATER)


def test_an_expected_item_that_is_not_judged_leaves_the_run_undecided() -> None:
    with replayed("jaeger", fakes.jaeger(), now=None) as server:
        what = subject(ENV, offline=False, backends={"jaeger": server.url}, expect=frozenset({5}))
        run = record([backend_run_id], what)
    assert run.exit_code == 3
    assert next(item for item in run.items if item.n == 5).status == "unknown"


def test_a_run_that_is_found_and_moves_passes() -> None:
    for kind, answers in (("jaeger", fakes.jaeger([RUN])), ("prometheus", fakes.prometheus([RUN]))):
        said = asked(kind, answers)
        assert said.status is Status.PASS, said
        assert said.evidence["run id"] == RUN
        assert said.evidence["bogus"].startswith("preflight-bogus-")


def test_a_filter_that_is_ignored_fails_with_and_without_a_run() -> None:
    for runs in ((), (RUN,)):
        said = asked("jaeger", fakes.jaeger(runs, ignores_filter=True))
        assert (said.status, rules(said)) == (Status.FAIL, ["filter-ignored"])


def test_items_of_another_run_fail() -> None:
    assert rules(asked("jaeger", fakes.jaeger([RUN], carries="llama3-abc"))) == ["wrong-id"]


def test_a_label_that_was_not_promoted_is_named() -> None:
    said = asked("prometheus", fakes.prometheus([RUN], promoted=False))
    assert rules(said) == ["not-filterable"]
    assert "resource_to_telemetry_conversion" in said.findings[0].finding.remedy


def test_other_runs_without_the_label_are_a_caution() -> None:
    said = asked("prometheus", fakes.prometheus(["other"], promoted=False))
    assert (said.status, rules(said)) == (Status.SKIP, ["others-not-filterable"])


def test_a_frozen_value_is_stale_however_new_it_looks() -> None:
    assert rules(asked("prometheus", fakes.prometheus([RUN], moving=False))) == ["stale"]
    assert rules(asked("jaeger", fakes.jaeger([RUN], age=1200.0))) == ["stale"]


def test_two_samples_are_too_few_to_call_a_run_dead() -> None:
    said = asked("prometheus", fakes.prometheus([RUN], moving=False, samples=2))
    assert (said.status, rules(said)) == (Status.SKIP, [])


BOARD = {
    "title": "Training",
    "templating": {
        "list": [
            {"name": "run_id", "type": "query", "query": "label_values(megatron_training_loss, nemo_run_id)"},
            {"name": "node", "type": "query", "query": "label_values(up, node)"},
        ]
    },
    "panels": [
        {
            "id": 1,
            "title": "Loss",
            "type": "timeseries",
            "targets": [
                {
                    "refId": "A",
                    "expr": 'avg_over_time(megatron_training_loss{nemo_run_id=~"$run_id"}[$__interval])',
                },
                {"refId": "B", "expr": 'megatron_training_grad_norm{nemo_run_id="$run_id",node="$node"}'},
            ],
        }
    ],
}


@pytest.mark.parametrize(
    ("shows", "rule", "status"),
    [
        ("the run", [], Status.PASS),
        ("everything", ["panel-open"], Status.FAIL),
        ("nothing", ["panel-empty"], Status.WARN),
    ],
)
def test_panels_are_asked_for_the_run_and_for_a_bogus_id(
    shows: str, rule: list[str], status: Status, tmp_path: Path
) -> None:
    board = tmp_path / "board.json"
    board.write_text(json.dumps(BOARD))
    plain = fakes.prometheus([RUN])
    inner = plain["GET /api/v1/query"]
    panels: list[str] = []

    def query(text: str) -> Canned:
        assert callable(inner)
        if "avg_over_time" not in text:
            return inner(text)
        panels.append(text)
        good = shows == "everything" or (shows == "the run" and f'"{RUN}"' in text)
        series = [{"metric": {}, "value": [1, "2"]}] if good else []
        return fakes.body({"status": "success", "data": {"resultType": "vector", "result": series}})

    said = asked("prometheus", {**plain, "GET /api/v1/query": query}, dashboards=(str(board),))
    assert (said.status, rules(said)) == (status, rule)
    assert len(panels) == 2
    assert "$" not in "".join(panels)


LOGIN = Canned(b"<html><title>Sign in</title><form></form></html>", 200, "text/html")
UI = Canned(b"<html><div id=root></div></html>", 200, "text/html")


@pytest.mark.parametrize(
    ("canned", "rule"),
    [
        (Canned(b"{}", 401), "auth"),
        (Canned(b"no org id", 401, "text/plain"), "auth"),
        (Canned(b"{}", 403), "permission"),
        (LOGIN, "auth"),
        (UI, "not-the-backend"),
        (Canned(b"", 302, headers={"Location": "https://sso.example/login?next=x"}), "auth"),
        (Canned(b"", 301, headers={"Location": "https://other.example/"}), "not-the-backend"),
        (Canned(b"nothing here", 404, "text/plain"), "not-the-backend"),
        (Canned(b"{}", 503), "unreachable"),
        (Canned(b'{"hello": 1}'), "not-the-backend"),
    ],
)
def test_answers_that_are_none_are_named_with_a_remedy(canned: Canned, rule: str) -> None:
    said = asked("prometheus", {".*": canned})
    assert (said.status, rules(said)) == (Status.FAIL, [rule])
    assert said.findings[0].finding.remedy


def test_a_permission_for_half_the_calls_is_named() -> None:
    answers = {**fakes.prometheus(), "GET /api/v1/query": Canned(b"{}", 403)}
    assert rules(asked("prometheus", answers)) == ["permission"]


@pytest.mark.parametrize(
    "canned",
    [Canned(b"{}", 429), Canned(b'{"status": "succ'), Canned(b"{}", 429, headers={"Retry-After": "600"})],
)
def test_an_answer_that_says_nothing_is_not_judged(canned: Canned) -> None:
    said = asked("prometheus", {".*": canned})
    assert said.status is Status.SKIP
    assert said.missing_input


@pytest.mark.parametrize(
    ("name", "url", "word"),
    [
        ("jaeger", "localhost:16686", "no scheme"),
        ("store", "http://localhost:1", "no kind"),
        ("jaeger", "http://u:hunter2@localhost:1", "credentials"),
        ("jaeger", "http://:16686", "no host"),
        ("weave", "http://localhost:1", "no project"),
    ],
)
def test_a_bad_address_is_a_finding(name: str, url: str, word: str) -> None:
    said = outcome(backend_run_id, ENV, offline=False, lens="0.1", backends={name: url})
    assert rules(said) == ["address"]
    finding = said.findings[0].finding
    assert word in finding.message
    assert "hunter2" not in f"{finding.message} {finding.remedy}"


def test_nothing_is_sent_offline() -> None:
    said = outcome(backend_run_id, ENV, offline=True, lens="0.1", backends={"jaeger": "http://localhost:1"})
    assert said.status is Status.SKIP


def test_a_collector_is_no_store() -> None:
    said = outcome(
        backend_run_id, ENV, offline=False, lens="0.1", backends={"collector": "http://localhost:1"}
    )
    assert said.status is Status.SKIP


def test_a_path_of_the_user_interface_is_cut_off() -> None:
    with replayed("jaeger", fakes.jaeger([RUN]), now=None) as server:
        backends = {"jaeger": f"{server.url}/search?service=x"}
        assert (
            outcome(backend_run_id, ENV, offline=False, lens="0.1", backends=backends).status is Status.PASS
        )


def test_a_token_is_sent_and_never_shown() -> None:
    env = {**ENV, "LENS_PREFLIGHT_PROMETHEUS_TOKEN": "planted-token"}
    echo = Canned(b'{"error": "planted-token is bad"}', 401)
    said = asked("prometheus", {".*": echo}, env)
    assert rules(said) == ["auth"]
    assert "planted" not in repr(said)


def test_several_generations_of_lens_ask_only_once() -> None:
    counts = []
    for lens in ("0.1", "auto"):
        with replayed("jaeger", fakes.jaeger([RUN]), now=None) as server:
            said = outcome(backend_run_id, ENV, offline=False, lens=lens, backends={"jaeger": server.url})
            counts.append(len(server.requests))
        assert said.status is Status.PASS
    assert counts[0] == counts[1]
