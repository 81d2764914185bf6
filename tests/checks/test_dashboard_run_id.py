"""dashboard-run-id: what it says beyond the corpus."""

from __future__ import annotations

from typing import Any

import pytest

from lens_preflight.checks.dashboard_run_id import dashboard_run_id
from lens_preflight.core.finding import Location
from lens_preflight.core.words import Status
from lens_preflight.dashboards.rules import PromRule, RuleFile
from tests.checks.asking import Answer, Asked, ask
from tests.dashboards.boards import RUN, SOURCE, classic, panel, read

LOSS = 'megatron_training_loss{nemo_run_id=~"$run_id"}'


def say(
    *queries: str, variables: list[dict[str, Any]] | None = None, rules: tuple[RuleFile, ...] = ()
) -> Answer:
    """What the check says of a dashboard with one panel."""
    board = read(classic(panel(1, "x", *queries), variables=variables))
    return ask(dashboard_run_id, Asked(dashboards=(board,), rules=rules))


def test_a_variable_that_lists_and_a_panel_that_follows() -> None:
    answer = say(LOSS)
    assert (answer.status, answer.reason) == (
        Status.PASS,
        "all 1 training panels follow a variable that lists the runs",
    )


@pytest.mark.parametrize(
    ("changes", "rule", "status"),
    [
        ({"query": "label_values(megatron_training_loss, run_id)"}, "wrong-label", Status.FAIL),
        ({"query": "label_values(up, nemo_run_id)"}, "wrong-metric", Status.FAIL),
        ({"query": "label_values(target_info, nemo_run_id)"}, "lists-target-info", Status.WARN),
        ({"refresh": 0}, "never-refreshed", Status.FAIL),
        ({"hide": 2}, "hidden-variable", Status.WARN),
        ({"type": "textbox", "query": ""}, "not-a-list", Status.WARN),
        ({"type": "custom", "query": "a,b"}, "not-a-list", Status.WARN),
        ({"type": "constant", "query": "a"}, "hard-coded", Status.FAIL),
        ({"includeAll": True, "allValue": ".*"}, "all-value", Status.PASS),
    ],
)
def test_faults_of_the_variable(changes: dict[str, Any], rule: str, status: Status) -> None:
    answer = say(LOSS, variables=[{**RUN, **changes}])
    assert (answer.rules(), answer.status) == ({rule}, status)


@pytest.mark.parametrize(
    ("query", "rule"),
    [
        ("megatron_training_loss", "unfiltered"),
        ('megatron_training_loss{nemo_run_id=~".+"}', "unfiltered"),
        ('megatron_training_loss{nemo_run_id="a"}', "hard-coded"),
        ('megatron_training_loss{nemo_run_id!~"$run_id"}', "broken-filter"),
        ('megatron_training_loss{nemo_run_id=~"$runid"}', "broken-filter"),
        ('megatron_training_loss{nemo_run_id=~"$source"}', "broken-filter"),
        ('megatron_training_loss{nemo_run_id=~"$run_id.*"}', "prefix"),
        (f"{LOSS} / megatron_training_grad_norm", None),
        (f"{LOSS} / on (job) megatron_training_grad_norm", "unfiltered"),
        (f"{LOSS} or megatron_training_loss", "unfiltered"),
    ],
)
def test_faults_of_a_panel(query: str, rule: str | None) -> None:
    assert say(query).rules() == ({rule} if rule else set())


def test_a_finding_names_panel_target_and_line() -> None:
    finding = say(LOSS, "megatron_training_grad_norm").one("unfiltered")
    assert finding.message.startswith('panel 1 "x", target B: megatron_training_grad_norm')
    assert finding.at.what == "board.json" and finding.at.line is not None
    assert finding.remedy == 'write: megatron_training_grad_norm{nemo_run_id=~"$run_id"}'


def test_one_fault_of_a_target_is_told_once() -> None:
    answer = say("rate(megatron_training_step_duration_ms_milliseconds_sum[5m]) + megatron_training_loss")
    assert len(answer.findings) == 1


def test_an_ad_hoc_filter_needs_the_run_id_among_its_keys() -> None:
    adhoc = {"name": "f", "type": "adhoc", "datasource": SOURCE, "filters": [{"key": "nemo_run_id"}]}
    assert say("megatron_training_loss", variables=[adhoc]).status is Status.PASS
    assert say("megatron_training_loss", variables=[{**adhoc, "filters": []}]).status is Status.FAIL
    elsewhere = {**adhoc, "datasource": {"type": "prometheus", "uid": "other"}}
    assert say("megatron_training_loss", variables=[elsewhere]).status is Status.FAIL


def test_a_recording_rule_may_lose_the_run_id() -> None:
    at = Location.file("r.yml", 1)
    lost = RuleFile("r.yml", (PromRule("record", "a:loss", "avg(megatron_training_loss)", at),))
    kept = RuleFile(
        "r.yml", (PromRule("record", "a:loss", "avg by (nemo_run_id) (megatron_training_loss)", at),)
    )
    query = 'a:loss{nemo_run_id=~"$run_id"}'
    assert say(query, rules=(lost,)).rules() == {"label-lost"}
    assert say(query, rules=(kept,)).status is Status.PASS


def test_dashboards_without_training_are_not_asked() -> None:
    assert say("DCGM_FI_DEV_GPU_UTIL").status is Status.SKIP


def test_the_source_of_a_dashboard_is_no_pass() -> None:
    boards = (read(classic(panel(1, "x", LOSS))), read("{}", "b.jsonnet"))
    assert ask(dashboard_run_id, Asked(dashboards=boards)).status is Status.UNKNOWN


def test_an_unreadable_dashboard_is_anothers_business() -> None:
    assert ask(dashboard_run_id, Asked(dashboards=(read("{"),))).status is Status.SKIP


def test_a_query_that_does_not_parse_is_not_followed_by_its_words() -> None:
    """Its selector has the filter; whether the result keeps runs apart is not known."""
    answer = say(LOSS, f"sum(rate({LOSS}[5m])))")
    assert answer.status is Status.UNKNOWN and "does not parse" in answer.reason
