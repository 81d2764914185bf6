"""dashboard-run-id: what it says beyond the corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lens_preflight.checks.dashboard_run_id import dashboard_run_id
from lens_preflight.core.finding import Location
from lens_preflight.core.words import Status
from lens_preflight.dashboards.rules import PromRule, RuleFile, read_rules
from tests.checks.asking import Answer, Asked, ask
from tests.dashboards.boards import RUN, SOURCE, classic, panel, read

LOSS = 'megatron_training_loss{nemo_run_id=~"$run_id"}'


def say(
    *queries: str | dict[str, Any],
    variables: list[dict[str, Any]] | None = None,
    rules: tuple[RuleFile, ...] = (),
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
        ({"datasource": {"type": "loki", "uid": "logs"}}, "broken-list", Status.FAIL),
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
        ('megatron_training_loss{nemo_run_id=~"$run_id",nemo_run_id="run-2023"}', "hard-coded"),
        ('megatron_training_loss{nemo_run_id=~"$run_id",nemo_run_id!~"$run_id"}', "broken-filter"),
        ('megatron_training_loss{nemo_run_id=~"$run_id",nemo_run_id!=""}', None),
        ('megatron_training_loss{nemo_run_id=~"$run_id",cluster=~"$cluster"}', "broken-filter"),
        ('megatron_training_loss{nemo_run_id=~"$run_id",x="a",x="b"}', "broken-filter"),
        ('megatron_training_loss{nemo_run_id=~"$run_id",x="a",x=~"a|b"}', None),
        ('megatron_training_loss{nemo_run_id=~"$run_id",job="$source"}', None),
        ('{__name__="megatron_training_loss",__name__="up",nemo_run_id=~"$run_id"}', "broken-filter"),
        ('megatron_training_loss{"nemo.run.id"=~"$run_id"}', "broken-filter"),
        ('{"megatron.training.loss","nemo.run.id"=~"$run_id"}', None),
        (f"{LOSS} unless megatron_training_loss", "broken-filter"),
        (f"{LOSS} unless on (instance) megatron_training_loss", "broken-filter"),
        (f"{LOSS} unless (megatron_training_loss > 100)", None),
        (f"{LOSS} unless megatron_training_loss{{phase='warm-up'}}", None),
        (f"avg by (nemo_run_id) ({LOSS}) unless megatron_training_loss", None),
        (f"{LOSS} unless megatron_training_loss offset 1h", None),
        ("megatron_training_loss * on (instance) group_left () x_info{nemo_run_id=~'$run_id'}", None),
        (f"{LOSS} / megatron_training_grad_norm", None),
        (f"{LOSS} / on (job) megatron_training_grad_norm", "unfiltered"),
        (f"{LOSS} or megatron_training_loss", "unfiltered"),
    ],
)
def test_faults_of_a_panel(query: str, rule: str | None) -> None:
    assert say(query).rules() == ({rule} if rule else set())


@pytest.mark.parametrize(
    ("changes", "rule", "status"),
    [
        ({"query": "label_values(my_heartbeat, nemo_run_id)"}, "unknown-metric", Status.WARN),
        ({"query": "label_values(megatron_training_grad_norm, nemo_run_id)"}, None, Status.PASS),
        ({"query": "label_values(nemo_run_id)"}, None, Status.PASS),
        ({"query": 'label_values({nemo_run_id!=""}, nemo_run_id)'}, None, Status.PASS),
        (
            {"query": 'label_values(megatron_training_loss{nemo_run_id="old"}, nemo_run_id)'},
            "broken-list",
            None,
        ),
        ({"query": 'label_values(megatron_training_loss{nemo_run_id=""}, nemo_run_id)'}, "broken-list", None),
        (
            {"query": 'label_values(megatron_training_loss{nemo_run_id=~"$run_id"}, nemo_run_id)'},
            "broken-list",
            None,
        ),
        (
            {"query": 'label_values(megatron_training_loss{cluster="$cluster"}, nemo_run_id)'},
            "broken-list",
            None,
        ),
        (
            {"query": 'label_values(megatron_training_loss{nemo_run_id=~"prod-.+"}, nemo_run_id)'},
            "some-runs-only",
            None,
        ),
        ({"query": 'label_values(megatron_training_loss, "nemo.run.id")'}, "broken-list", None),
        ({"regex": "/^$/"}, "broken-list", None),
        ({"regex": "/^(run)-.*/"}, "broken-list", None),
        ({"regex": "/^prod-.*/"}, "some-runs-only", None),
        ({"regex": "/(.*)/"}, None, Status.PASS),
        ({"regex": ".+"}, None, Status.PASS),
        ({"regex": "/(?<value>.+)/"}, None, Status.PASS),
        ({"includeAll": True, "allValue": "run-1"}, "broken-list", None),
        ({"includeAll": True, "allValue": "*"}, "broken-list", None),
        ({"includeAll": True, "allValue": "prod-.+"}, "some-runs-only", None),
        ({"includeAll": True, "allValue": ".+"}, None, Status.PASS),
        ({"includeAll": True, "multi": True}, None, Status.PASS),
    ],
)
def test_what_the_variable_lists(changes: dict[str, Any], rule: str | None, status: Status | None) -> None:
    answer = say(LOSS, variables=[{**RUN, **changes}])
    assert answer.rules() == ({rule} if rule else set())
    wanted = Status.FAIL if rule == "broken-list" else Status.WARN if rule else Status.PASS
    assert answer.status is (status or wanted)


@pytest.mark.parametrize(
    ("query", "regex", "rule"),
    [
        ("count by (nemo_run_id) (megatron_training_loss)", '/nemo_run_id="([^"]+)"/', None),
        ("count by (nemo_run_id) (megatron_training_loss)", '/nemo_run_id="(.*)"}/', None),
        ("count by (nemo_run_id) (megatron_training_loss)", '/nemo_run_id="(.*)/', "broken-list"),
        ("count by (nemo_run_id, user) (megatron_training_loss)", '/nemo_run_id="(.*)"}/', "broken-list"),
        ("topk(20, max by (nemo_run_id) (timestamp(megatron_training_loss)))", '/nemo_run_id="(.*?)"/', None),
        ("count by (job) (megatron_training_loss)", '/nemo_run_id="([^"]+)"/', "broken-list"),
    ],
)
def test_what_a_query_result_lists(query: str, regex: str, rule: str | None) -> None:
    variable = {**RUN, "query": f"query_result({query})", "regex": regex}
    assert say(LOSS, variables=[variable]).rules() == ({rule} if rule else set())


def test_the_list_of_a_recorded_series(tmp_path: Path) -> None:
    variable = {**RUN, "query": "label_values(run:norm, nemo_run_id)"}
    kept = _rules(tmp_path, f"  - {{record: 'run:norm', expr: avg by (nemo_run_id) ({NORM})}}\n")
    assert say(LOSS, variables=[variable], rules=kept).status is Status.PASS
    lost = _rules(tmp_path, f"  - {{record: 'run:norm', expr: avg({NORM})}}\n")
    assert say(LOSS, variables=[variable], rules=lost).rules() == {"broken-list"}
    assert say(LOSS, variables=[variable]).rules() == {"unknown-metric"}


def test_a_list_that_cannot_be_tried_is_open() -> None:
    for changes in (
        {"regex": "/(/"},
        {"query": "label_values(megatron_training_loss, exported_nemo_run_id)"},
        {"includeAll": True, "allValue": "\\pL+"},
    ):
        assert say(LOSS, variables=[{**RUN, **changes}]).status is Status.UNKNOWN


def test_an_ad_hoc_filter_beside_the_variable_shows_one_run_for_good() -> None:
    preset = {"key": "nemo_run_id", "operator": "=", "value": "run-1"}
    adhoc = {"name": "f", "type": "adhoc", "datasource": SOURCE, "filters": [preset]}
    assert say(LOSS, variables=[RUN, adhoc]).rules() == {"hard-coded"}
    assert say("megatron_training_loss", variables=[adhoc]).status is Status.PASS
    assert say("megatron_training_loss", variables=[{**adhoc, "hide": 2}]).rules() == {"hidden-variable"}
    inverted = {**adhoc, "filters": [{**preset, "operator": "!="}]}
    assert say("megatron_training_loss", variables=[inverted]).status is Status.FAIL
    other = {**adhoc, "filters": [{**preset, "key": "user"}]}
    assert say(LOSS, variables=[RUN, other]).status is Status.PASS


TEMPO = {"type": "tempo", "uid": "t"}
STEP = 'name = "megatron.train.iteration"'
OF_RUN = 'resource.nemo.run.id = "$run_id"'


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (f"{{ {OF_RUN} && {STEP} }}", Status.PASS),
        (f"{{ resource.nemo.run.id = ${{run_id:doublequote}} && {STEP} }}", Status.PASS),
        (f"{{ resource.nemo.run.id = $run_id && {STEP} }}", Status.FAIL),
        (f"{{ {STEP} }}", Status.FAIL),
        (f"{{ {OF_RUN} && {STEP}", Status.UNKNOWN),
        (f"{{ {OF_RUN} & {STEP} }}", Status.UNKNOWN),
        (f"{{ {OF_RUN} && {STEP} }} | foo()", Status.UNKNOWN),
        (f'{{ {OF_RUN} && {STEP} && resource.site = "$site" }}', Status.FAIL),
    ],
)
def test_queries_for_spans(query: str, found: Status) -> None:
    target = {"refId": "A", "datasource": TEMPO, "queryType": "traceql", "query": query}
    assert say(LOSS, target).status is found


def test_the_search_form_of_traces_is_judged_too() -> None:
    form = [{"tag": "name", "scope": "intrinsic", "operator": "=", "value": "megatron.train.iteration"}]
    target = {"refId": "A", "datasource": TEMPO, "queryType": "traceqlSearch", "filters": form}
    assert say(LOSS, target).rules() == {"unfiltered"}
    form.append({"tag": "nemo.run.id", "scope": "resource", "operator": "=", "value": "$run_id"})
    assert say(LOSS, target).status is Status.PASS


@pytest.mark.parametrize(
    ("query", "multi", "rule"),
    [
        ('r.nemo.run.id:"$run_id" AND name:megatron.train', False, None),
        ('+r.nemo.run.id:"$run_id" +name:megatron.train', False, None),
        ('r.nemo.run.id:"$run_id" and name:megatron.train', False, "unfiltered"),
        ("r.nemo.run.id:${run_id:lucene} AND name:megatron.train", False, None),
        ("r.nemo.run.id:$run_id AND name:megatron.train", True, None),
        ('r.nemo.run.id:"$run_id" AND name:megatron.train', True, "broken-filter"),
        ("r.nemo.run.id:$run_id* AND name:megatron.train", False, "prefix"),
    ],
)
def test_query_strings_of_elasticsearch(query: str, multi: bool, rule: str | None) -> None:
    source = {"type": "elasticsearch", "uid": "e"}
    asked = query.replace("r.nemo", "resource.attributes.nemo")
    answer = say({"refId": "A", "datasource": source, "query": asked}, variables=[{**RUN, "multi": multi}])
    assert answer.rules() == ({rule} if rule else set())


def test_a_list_of_elasticsearch() -> None:
    terms = '{"find": "terms", "field": "resource.attributes.nemo.run.id"}'
    assert say(LOSS, variables=[{**RUN, "query": terms}]).status is Status.PASS


def test_a_join_with_a_metric_of_the_infrastructure_is_open() -> None:
    """A site may have given its job exporter the label."""
    answer = say(
        "megatron_training_loss * on (instance) group_left () slurm_job_info{nemo_run_id=~'$run_id'}"
    )
    assert answer.status is Status.UNKNOWN


def test_a_constant_that_an_import_fills_in_exists() -> None:
    board = classic(panel(1, "x", 'megatron_training_loss{nemo_run_id=~"$run_id",cluster="${VAR_CLUSTER}"}'))
    board["__inputs"] = [{"name": "VAR_CLUSTER", "type": "constant"}]
    assert ask(dashboard_run_id, Asked(dashboards=(read(board),))).status is Status.PASS


def test_several_values_of_one_field_of_a_document() -> None:
    source = {"type": "elasticsearch", "uid": "e"}
    query = 'resource.attributes.nemo.run.id:"$run_id" AND tags:a AND tags:b AND name:megatron.train'
    assert say({"refId": "A", "datasource": source, "query": query}).status is Status.PASS


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


def _rules(tmp_path: Path, text: str) -> tuple[RuleFile, ...]:
    path = tmp_path / "r.yml"
    path.write_text(f"groups:\n- name: g\n  rules:\n{text}", encoding="utf-8")
    return read_rules([path])


NORM = "megatron_training_grad_norm"


@pytest.mark.parametrize(
    ("rule", "found"),
    [
        (f"expr: avg without (nemo_run_id) ({NORM})", "label-lost"),
        (f"expr: avg by (exported_nemo_run_id) ({NORM})", "label-lost"),
        (f"expr: {NORM}\n    labels: {{nemo_run_id: ''}}", "label-lost"),
        (f"expr: {NORM}\n    labels: {{nemo_run_id: all}}", "hard-coded"),
        (f"expr: '{NORM}{{nemo_run_id=\"old\"}}'", "hard-coded"),
        (f"expr: label_replace({NORM}, 'nemo_run_id', '', 'nemo_run_id', '.*')", "label-lost"),
        (f"expr: {NORM} * on (job, instance) group_left (nemo_run_id) target_info", None),
        (f"expr: {NORM} / scalar(max(up))", None),
        (f"expr: {NORM} / on () group_left () count(up)", None),
        (f"expr: {NORM}\n    labels: {{team: a}}", None),
        (f"expr: avg by (nemo_run_id) ({NORM})\n  - record: run:norm\n    expr: avg({NORM})", None),
    ],
)
def test_what_a_rule_leaves_of_the_run_id(tmp_path: Path, rule: str, found: str | None) -> None:
    rules = _rules(tmp_path, f"  - record: run:norm\n    {rule}\n")
    query = 'run:norm{nemo_run_id=~"$run_id"}'
    assert rules[0].failure is None
    assert say(query, rules=rules).rules() == ({found} if found else set())


def test_rules_that_lose_the_label_far_up(tmp_path: Path) -> None:
    chain = "".join(f"  - {{record: 'a:{n + 1}', expr: 'a:{n} * 1'}}\n" for n in range(12))
    query = 'a:12{nemo_run_id=~"$run_id"}'
    lost = _rules(tmp_path, f"  - {{record: 'a:0', expr: avg({NORM})}}\n{chain}")
    assert say(query, rules=lost).rules() == {"label-lost"}


def test_a_name_that_is_matched_may_be_a_recorded_one(tmp_path: Path) -> None:
    query = '{__name__=~"run:norm",nemo_run_id=~"$run_id"}'
    kept = _rules(tmp_path, f"  - {{record: 'run:norm', expr: avg by (nemo_run_id) ({NORM})}}\n")
    assert say(query, rules=kept).status is Status.PASS
    lost = _rules(tmp_path, f"  - {{record: 'run:norm', expr: avg({NORM})}}\n")
    assert say(query, rules=lost).rules() == {"label-lost"}


def test_a_recorded_series_of_rules_that_cannot_be_read(tmp_path: Path) -> None:
    broken = _rules(tmp_path, f"  - {{record: 'run:norm', expr: avg({NORM}}}\n")
    answer = say(LOSS, 'run:norm{nemo_run_id=~"$run_id"}', rules=broken)
    assert answer.status is Status.UNKNOWN and "cannot be read" in answer.reason
    assert say(LOSS, rules=broken).status is Status.PASS


@pytest.mark.parametrize(
    ("relabel", "found"),
    [
        ("{action: labeldrop, regex: 'nemo_.*'}", {"lost-by-scraping"}),
        ("{action: labeldrop, regex: pod}", set()),
    ],
)
def test_the_scrape_job_may_take_the_run_id(tmp_path: Path, relabel: str, found: set[str]) -> None:
    path = tmp_path / "prometheus.yml"
    job = f"{{job_name: c, static_configs: [{{targets: ['c:8889']}}], metric_relabel_configs: [{relabel}]}}"
    path.write_text(f"scrape_configs: [{job}]", encoding="utf-8")
    assert say(LOSS, f"{NORM}{{nemo_run_id='$run_id'}}", rules=read_rules([path])).rules() == found


def test_a_label_that_only_a_scrape_job_could_make_is_open() -> None:
    answer = say('megatron_training_loss{exported_nemo_run_id=~"$run_id"}')
    assert answer.status is Status.UNKNOWN


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


@pytest.mark.parametrize(
    ("query", "remedy"),
    [
        ('megatron_training_loss{nemo_run_id=~"$run_id",x="$y"}', "add the variable y to the dashboard"),
        (
            'megatron_training_loss{nemo_run_id=~"$runid"}',
            'write: megatron_training_loss{nemo_run_id=~"$run_id"}',
        ),
        (f"{LOSS} unless megatron_training_loss", "take the condition that excludes all series"),
        (
            'megatron_training_loss{nemo_run_id="job-$run_id"}',
            'write: megatron_training_loss{nemo_run_id=~"$run_id"}',
        ),
    ],
)
def test_what_to_type(query: str, remedy: str) -> None:
    assert remedy in say(query).one("broken-filter").remedy


def test_a_rule_is_corrected_where_it_stands(tmp_path: Path) -> None:
    rules = _rules(tmp_path, f"  - {{record: 'run:norm', expr: avg({NORM})}}\n")
    finding = say('run:norm{nemo_run_id=~"$run_id"}', rules=rules).one("label-lost")
    assert "in the rule of run:norm write by (nemo_run_id)" in finding.remedy
