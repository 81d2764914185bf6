"""dashboard-panels: what it says beyond the corpus."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lens_preflight.checks.dashboard_panels import dashboard_panels
from lens_preflight.core.words import Status
from lens_preflight.dashboards.model import Dashboard
from lens_preflight.dashboards.rules import read_rules
from lens_preflight.settings import Settings
from tests.checks.asking import Answer, Asked, ask
from tests.collector.configs import edited
from tests.collector.configs import read as read_config
from tests.dashboards.boards import classic, panel, read

STEP = (
    "histogram_quantile(0.9, sum by (le) (rate(megatron_training_step_duration_ms_milliseconds_bucket[5m])))"
)
PANELS = (
    panel(1, "Step", STEP),
    panel(2, "Loss", "megatron_training_loss"),
    panel(3, "Rate", "megatron_training_throughput_tflops"),
    panel(4, "Norm", "megatron_training_grad_norm"),
)


def say(*boards: Dashboard, **more: Any) -> Answer:
    """What the check says of some dashboards."""
    return ask(dashboard_panels, Asked(dashboards=boards, **more))


def launched(framework: str) -> tuple[Any, ...]:
    """Launches of one framework."""
    return (SimpleNamespace(framework=SimpleNamespace(id=framework)),)


def test_families_may_be_spread_over_dashboards() -> None:
    first, second = read(classic(*PANELS[:2])), read(classic(*PANELS[2:]))
    assert say(first).status is Status.FAIL
    assert say(first, second).status is Status.PASS
    overview = read(classic(panel(1, "GPU", "DCGM_FI_DEV_GPU_UTIL")))
    assert say(overview, read(classic(*PANELS))).status is Status.PASS


def test_a_missing_family_comes_with_its_query() -> None:
    finding = say(read(classic(*PANELS[:3]))).one("family-missing")
    assert finding.message == "no visible panel shows the gradient norm"
    assert finding.remedy == (
        'add a panel with this query: megatron_training_grad_norm{nemo_run_id=~"$run_id"}'
    )


def test_a_title_that_lies_is_named() -> None:
    board = read(classic(*PANELS[:3], panel(4, "Gradient norm", "megatron_training_learning_rate")))
    assert 'panel 4 "Gradient norm" is called so' in say(board).one("family-missing").message


@pytest.mark.parametrize(
    ("framework", "missing"),
    [
        ("nemo-rl", {"loss", "throughput", "gradient norm"}),
        ("nemo-gym", {"step duration"}),
        ("plain", {"loss", "throughput", "gradient norm", "step duration"}),
    ],
)
def test_what_is_asked_for_depends_on_the_framework(framework: str, missing: set[str]) -> None:
    answer = say(read(classic(panel(1, "x", "my_metric"))), launches=launched(framework))
    assert {
        f.message.partition(" the ")[2] for f in answer.findings if f.rule.name == "family-missing"
    } == missing


def test_metrics_of_another_framework_are_empty_panels() -> None:
    assert say(read(classic(*PANELS)), launches=launched("megatron")).status is Status.PASS
    assert say(read(classic(*PANELS)), launches=launched("nemo-gym")).status is Status.FAIL


def test_the_settings_name_metrics_of_ones_own_and_what_does_not_apply() -> None:
    own = {"loss": ("my.loss",), "step_duration": (), "throughput": (), "grad_norm": ()}
    board = read(classic(panel(1, "x", "my_loss")))
    answer = say(board, settings=Settings(families=own))
    assert answer.status is Status.PASS
    assert "not applicable: step duration, throughput, gradient norm" in answer.reason


def test_a_family_in_doubt_is_unknown_and_one_without_any_is_missing() -> None:
    library = {"id": 9, "title": "Gradient norm", "libraryPanel": {"uid": "u"}}
    doubt = say(read(classic(*PANELS[:3], library)))
    assert doubt.status is Status.UNKNOWN and doubt.at is not None
    both = say(read(classic(*PANELS[:2], library)))
    assert both.status is Status.FAIL and "throughput" in both.one("family-missing").message


def test_an_unknown_panel_type_is_no_proof_and_no_harm() -> None:
    plugin = {"id": 9, "type": "acme-orbit-panel", "title": "Orbit"}
    assert say(read(classic(*PANELS, plugin))).status is Status.PASS
    plugin["title"] = "Gradient norm"
    assert say(read(classic(*PANELS[:3], plugin))).status is Status.UNKNOWN


def test_a_query_that_does_not_parse_is_no_proof() -> None:
    board = read(classic(*PANELS[:3], panel(4, "x", "sum(megatron_training_grad_norm[5m] smoothed")))
    answer = say(board)
    assert answer.status is Status.UNKNOWN and "does not parse" in answer.reason


@pytest.mark.parametrize(
    ("exporter", "query", "status"),
    [
        ("", "megatron_training_step_duration_ms_bucket", Status.WARN),
        ("add_metric_suffixes: false", "megatron_training_step_duration_ms_bucket", Status.PASS),
        ("add_metric_suffixes: false", "megatron_training_step_duration_ms_milliseconds_bucket", Status.WARN),
        ("namespace: site", "site_megatron_training_step_duration_ms_milliseconds_bucket", Status.PASS),
    ],
)
def test_the_collector_decides_how_names_are_spelled(
    tmp_path: Path, exporter: str, query: str, status: Status
) -> None:
    key = "    resource_to_telemetry_conversion"
    config = read_config(tmp_path, edited(key, f"    {exporter or 'send_timestamps: false'}\n{key}"))
    step = panel(1, "Step", f"histogram_quantile(0.9, sum by (le) (rate({query}[5m])))")
    front = "site_" if query.startswith("site_") else ""
    others = json.loads(json.dumps(PANELS[1:]).replace("megatron_", f"{front}megatron_"))
    assert say(read(classic(step, *others)), collector=config).status is status


def test_a_name_that_no_exporter_makes_is_told_with_the_right_one() -> None:
    wrong = panel(5, "x", "rate(megatron_training_step_duration_ms_seconds_sum[5m])")
    finding = say(read(classic(*PANELS, wrong))).one("metric-name")
    assert finding.remedy == "write megatron_training_step_duration_ms_milliseconds_sum"


def test_units_are_compared_unless_the_query_computes() -> None:
    seconds = {"fieldConfig": {"defaults": {"unit": "s"}}}
    assert say(read(classic(panel(1, "Step", STEP, **seconds), *PANELS[1:]))).rules() == {"unit-mismatch"}
    converted = panel(1, "Step", f"{STEP} / 1000", **seconds)
    assert say(read(classic(converted, *PANELS[1:]))).rules() == set()


@pytest.mark.parametrize(
    ("uid", "inputs", "rule"),
    [
        ("${DS}", [{"name": "DS"}], "datasource-placeholder"),
        ("${DS}", [], "datasource-undeclared"),
        ("main", [], "datasource-fixed"),
    ],
)
def test_a_data_source_that_may_not_resolve(uid: str, inputs: list[dict[str, str]], rule: str) -> None:
    board = classic(*PANELS, __inputs=inputs)
    board["panels"][1]["datasource"] = {"type": "prometheus", "uid": uid}
    answer = say(read(board))
    assert answer.rules() == {rule}
    assert uid in answer.findings[0].message


@pytest.mark.parametrize(
    "source", [None, "-- Mixed --", "$source", {"type": "prometheus", "uid": ("[[source]]")}]
)
def test_a_data_source_that_resolves(source: Any) -> None:
    board = classic(*PANELS)
    board["panels"][1]["datasource"] = source
    assert say(read(board)).status is Status.PASS


def test_old_span_names_are_told() -> None:
    old = {"refId": "A", "queryType": "traceql", "query": '{ name = "megatron.train_step" }'}
    found = say(read(classic(*PANELS, panel(5, "x", old)))).one("stale-span-name")
    assert found.remedy == "write megatron.train.iteration"


def test_the_source_of_a_dashboard_may_hold_what_is_missing() -> None:
    source = read("local x = 1; {}", "b.jsonnet")
    alone = say(source)
    assert alone.status is Status.UNKNOWN and "not-evaluated" in alone.rules()
    assert say(read(classic(*PANELS[:3])), source).status is Status.UNKNOWN
    assert say(read(classic(*PANELS)), source).status is Status.PASS


def test_a_broken_file_fails_with_its_line() -> None:
    finding = say(read('{"panels": [1 2]}')).one("unreadable")
    assert (finding.at.what, finding.at.line) == ("board.json", 1)


def test_a_namespace_of_the_exporter_stands_in_front_of_every_name(tmp_path: Path) -> None:
    key = "    resource_to_telemetry_conversion"
    config = read_config(tmp_path, edited(key, f"    namespace: site\n{key}"))
    answer = say(read(classic(*PANELS)), collector=config)
    assert answer.rules() == {"family-missing", "metric-name"}
    assert any(f.remedy == "write site_megatron_training_loss" for f in answer.findings)
    assert say(read(classic(*PANELS))).status is Status.PASS
    foreign = json.loads(json.dumps(PANELS).replace("megatron_", "x_megatron_"))
    plain = read_config(tmp_path, edited(key, key))
    assert say(read(classic(*foreign))).status is Status.PASS
    assert say(read(classic(*foreign)), collector=plain).status is Status.FAIL


def test_an_exporter_that_nobody_scrapes(tmp_path: Path) -> None:
    key = "    resource_to_telemetry_conversion"
    config = read_config(tmp_path, edited(key, key))
    path = tmp_path / "prometheus.yml"
    job = "scrape_configs: [{job_name: c, static_configs: [{targets: ['c:%s']}]}]"
    told = []
    for port in ("8888", "8889"):
        path.write_text(job % port, encoding="utf-8")
        told.append(say(read(classic(*PANELS)), collector=config, rules=read_rules([path])).rules())
    assert told == [{"not-scraped"}, set()]


LOKI = {"type": "loki", "uid": "logs"}


def test_promql_that_is_sent_to_another_data_source_shows_nothing() -> None:
    board = classic(*PANELS)
    board["templating"]["list"][0]["query"] = "loki"
    answer = say(read(board))
    assert answer.rules() == {"wrong-language", "family-missing"}
    assert "a query of Prometheus is sent to loki" in answer.findings[-1].message
    fixed = say(read(classic(*PANELS[:3], {**PANELS[3], "datasource": LOKI})))
    assert fixed.rules() == {"wrong-language", "family-missing", "datasource-fixed"}


@pytest.mark.parametrize("plugin", ["", "prometheus", "a-store-that-nobody-knows"])
def test_the_type_beside_a_data_source_does_not_count(plugin: str) -> None:
    board = classic(*({**p, "datasource": {"type": "loki", "uid": "${source}"}} for p in PANELS))
    board["templating"]["list"][0]["query"] = plugin
    assert say(read(board)).status is (Status.PASS if plugin == "prometheus" else Status.FAIL)


def test_a_query_for_logs_is_no_fault() -> None:
    logs = {"refId": "A", "expr": '{job="train"} |= "loss"'}
    assert say(read(classic(*PANELS, panel(5, "Logs", logs, datasource=LOKI)))).rules() == {
        "datasource-fixed"
    }


def test_a_query_without_a_result_is_told_with_its_reason() -> None:
    board = read(classic(*PANELS[:3], panel(4, "Norm", "megatron_training_grad_norm[5m]")))
    answer = say(board)
    assert answer.rules() == {"no-result", "family-missing"}
    assert "is a range vector" in answer.one("no-result").message
    at_once = {"refId": "A", "expr": "megatron_training_grad_norm[5m]", "instant": True}
    assert say(read(classic(*PANELS[:3], panel(4, "Norm", at_once)))).status is Status.PASS
    at_once["range"] = True
    assert "no-result" in say(read(classic(*PANELS[:3], panel(4, "Norm", at_once)))).rules()


def test_the_buckets_of_a_gauge_are_a_wrong_name() -> None:
    board = read(classic(*PANELS[:3], panel(4, "Norm", "megatron_training_grad_norm_bucket")))
    assert say(board).one("metric-name").remedy == "write megatron_training_grad_norm"
