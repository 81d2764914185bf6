"""collector-alerts: who is told when the collector loses data."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.collector_alerts import collector_alerts
from lens_preflight.core.words import Status
from lens_preflight.dashboards.rules import read_rules
from tests.checks.asking import Answer, Asked, ask
from tests.collector.configs import read as read_config

SENDS = "rate(otelcol_exporter_send_failed_spans_total[5m]) > 0"
QUEUE = "otelcol_exporter_queue_size / otelcol_exporter_queue_capacity > 0.8"


def say(folder: Path, *texts: str) -> Answer:
    """What the check says of some files."""
    paths = []
    for number, text in enumerate(texts):
        path = folder / f"r{number}.yml"
        path.write_text(text, encoding="utf-8")
        paths.append(path)
    return ask(collector_alerts, Asked(rules=read_rules(paths)))


def alerts(*expressions: str, record: str = "") -> str:
    """A file of alerts, and one recording rule."""
    lines = ["groups:", "- name: g", "  rules:"]
    if record:
        lines += ["  - record: rec:x", f"    expr: '{record}'"]
    for number, expression in enumerate(expressions):
        lines += [f"  - alert: A{number}", f"    expr: '{expression}'"]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "sends",
    [
        SENDS,
        "rate(otelcol_exporter_send_failed_spans[5m]) > 0",
        'rate({__name__=~"otelcol_exporter_send_failed_.*"}[5m]) > 0',
        "otelcol_exporter_enqueue_failed_log_records_total > 0",
        "rate(otelcol_exporter_send_failed_spans__spans__total[5m]) > 0",
    ],
)
def test_names_of_all_versions_count(tmp_path: Path, sends: str) -> None:
    answer = say(tmp_path, alerts(sends, QUEUE))
    assert (answer.status, answer.reason) == (Status.PASS, "alerts on the collector: A0, A1")


def test_recording_rules_are_followed(tmp_path: Path) -> None:
    assert say(tmp_path, alerts("rec:x > 0", QUEUE, record=SENDS)).status is Status.PASS


@pytest.mark.parametrize(
    ("expressions", "missing"),
    [
        ([QUEUE], {"no-send-failure-alert"}),
        ([SENDS], {"no-queue-alert"}),
        (["up == 0"], {"no-send-failure-alert", "no-queue-alert"}),
    ],
)
def test_what_is_missing_warns(tmp_path: Path, expressions: list[str], missing: set[str]) -> None:
    answer = say(tmp_path, alerts(*expressions))
    assert (answer.status, answer.rules()) == (Status.WARN, missing)


def test_a_recording_rule_alone_tells_nobody(tmp_path: Path) -> None:
    assert "no-send-failure-alert" in say(tmp_path, alerts(QUEUE, record=SENDS)).rules()


@pytest.mark.parametrize(
    ("scrape", "told"),
    [
        ("static_configs: [{targets: ['c:8889']}]", {"not-scraped"}),
        ("static_configs: [{targets: ['c:8889', 'c:8888']}]", set()),
        ("kubernetes_sd_configs: [{role: pod}]", set()),
    ],
)
def test_prometheus_must_scrape_the_collector(tmp_path: Path, scrape: str, told: set[str]) -> None:
    config = f"scrape_configs:\n- job_name: x\n  {scrape}\n"
    assert say(tmp_path, alerts(SENDS, QUEUE), config).rules() == told


OWN = "scrape_configs:\n- job_name: x\n  static_configs: [{targets: ['c:%s']}]\n"


@pytest.mark.parametrize(
    ("metrics", "port", "told"),
    [
        ("readers: [{pull: {exporter: {prometheus: {host: 0.0.0.0, port: 18888}}}}]", "18888", set()),
        (
            "readers: [{pull: {exporter: {prometheus: {host: 0.0.0.0, port: 18888}}}}]",
            "8888",
            {"not-scraped"},
        ),
        ("address: 0.0.0.0:9999", "9999", set()),
        ("level: normal", "8888", set()),
        ("level: none", "8889", set()),
        ("readers: [{periodic: {exporter: {otlp: {endpoint: x}}}}]", "8889", set()),
    ],
)
def test_the_collector_says_where_its_own_metrics_are(
    tmp_path: Path, metrics: str, port: str, told: set[str]
) -> None:
    config = read_config(
        tmp_path, f"service:\n  telemetry:\n    metrics:\n      {metrics}\n  pipelines: {{}}\n"
    )
    paths = [tmp_path / "r.yml", tmp_path / "p.yml"]
    for path, text in zip(paths, (alerts(SENDS, QUEUE), OWN % port), strict=True):
        path.write_text(text, encoding="utf-8")
    assert ask(collector_alerts, Asked(rules=read_rules(paths), collector=config)).rules() == told


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (
            "metric_relabel_configs: [{action: drop, source_labels: [__name__], regex: 'otelcol_exporter_.*'}]",
            2,
        ),
        ("metric_relabel_configs: [{action: keep, source_labels: [__name__], regex: '.*send_failed.*'}]", 1),
        ("metric_relabel_configs: [{action: drop, source_labels: [__name__], regex: 'go_.*'}]", 0),
    ],
)
def test_what_the_scrape_job_drops_no_alert_sees(tmp_path: Path, more: str, told: int) -> None:
    answer = say(tmp_path, alerts(SENDS, QUEUE), OWN % 8888 + f"  {more}\n")
    assert [f.rule.name for f in answer.findings] == ["dropped-by-scraping"] * told


def test_a_target_that_is_moved_is_not_scraped(tmp_path: Path) -> None:
    moved = "  relabel_configs: [{target_label: __address__, replacement: 'other:9999'}]\n"
    assert say(tmp_path, alerts(SENDS, QUEUE), OWN % 8888 + moved).rules() == {"not-scraped"}


def test_a_file_that_is_no_rules_fails_with_its_line(tmp_path: Path) -> None:
    finding = say(tmp_path, "groups:\n- rules: [\n").one("unreadable")
    assert finding.at.line == 3 and "promtool check rules" in finding.remedy


def test_an_expression_that_does_not_parse_is_told(tmp_path: Path) -> None:
    assert say(tmp_path, alerts(SENDS, QUEUE, "sum(x) >")).rules() == {"bad-expression"}


@pytest.mark.parametrize(
    ("sends", "queue", "rules"),
    [
        (SENDS.replace("> 0", "< 0"), QUEUE, {"cannot-tell-anything", "no-send-failure-alert"}),
        (SENDS, QUEUE.replace("> 0.8", "> 2"), {"cannot-tell-anything", "no-queue-alert"}),
        (SENDS, QUEUE.replace(">", "> bool"), {"cannot-tell-anything", "no-queue-alert"}),
        (SENDS, f"{QUEUE} and vector(0) == 1", {"cannot-tell-anything", "no-queue-alert"}),
        (SENDS, f"{QUEUE} and on () vector(1) == 1", set()),
    ],
)
def test_an_alert_that_cannot_fire_does_not_count(
    tmp_path: Path, sends: str, queue: str, rules: set[str]
) -> None:
    assert say(tmp_path, alerts(sends, queue)).rules() == rules


@pytest.mark.parametrize(
    ("sends", "queue", "rules"),
    [
        (SENDS.replace("> 0", "== 0"), QUEUE, {"cannot-tell-anything", "no-send-failure-alert"}),
        (SENDS.replace("5m", "1s"), QUEUE, {"cannot-tell-anything", "no-send-failure-alert"}),
        ("absent(otelcol_exporter_send_failed_spans)", QUEUE, {"no-send-failure-alert"}),
        (SENDS, QUEUE.replace("> 0.8", "< 0.8"), {"cannot-tell-anything", "no-queue-alert"}),
        (SENDS, "absent(otelcol_exporter_queue_size)", {"no-queue-alert"}),
        (SENDS, f"{QUEUE} or absent(otelcol_exporter_queue_size)", set()),
    ],
)
def test_an_alert_that_fires_while_all_is_well_does_not_count(
    tmp_path: Path, sends: str, queue: str, rules: set[str]
) -> None:
    assert say(tmp_path, alerts(sends, queue)).rules() == rules


def test_an_alert_that_waits_for_a_day_is_late(tmp_path: Path) -> None:
    text = alerts(SENDS, QUEUE)
    assert say(tmp_path, text + "    for: 24h\n").rules() == {"late"}
    assert say(tmp_path, text + "    for: 30m\n").rules() == set()


def test_an_alert_beyond_our_bounds_is_neither_wrong_nor_right(tmp_path: Path) -> None:
    long = SENDS + " and up" * 500
    assert say(tmp_path, alerts(long, QUEUE)).status is Status.UNKNOWN
    assert say(tmp_path, alerts(long, QUEUE)).rules() == set()
    assert say(tmp_path, alerts(long, SENDS, QUEUE)).status is Status.PASS


@pytest.mark.parametrize("delay", ["1.5h", "5", "5m5h", "soon"])
def test_a_delay_that_prometheus_refuses_is_told(delay: str, tmp_path: Path) -> None:
    text = alerts(SENDS, QUEUE)
    assert say(tmp_path, text + "    for: 30m\n").status is Status.PASS
    assert say(tmp_path, text + f"    for: {delay}\n").rules() == {"unreadable"}
    rendered = text + "    for: '{{ .Values.patience }}'\n"
    assert say(tmp_path, rendered).status is Status.PASS
    assert say(tmp_path, rendered + f"  - {{alert: B, expr: up, for: {delay}}}\n").rules() == {
        "bad-expression"
    }


def test_a_second_document_is_not_read(tmp_path: Path) -> None:
    answer = say(tmp_path, f"{alerts(SENDS)}---\n{alerts(QUEUE)}")
    assert answer.rules() == {"unread-document", "no-queue-alert"}
    assert answer.one("unread-document").at.line == 7
    assert (
        say(tmp_path, f"namespace: a\n{alerts(SENDS)}---\nnamespace: b\n{alerts(QUEUE)}").status
        is Status.PASS
    )


@pytest.mark.parametrize("more", ["labels: {se-verity: page}", "annotations: {a.b: c}"])
def test_a_name_that_only_the_third_version_takes_warns(tmp_path: Path, more: str) -> None:
    assert say(tmp_path, f"{alerts(SENDS, QUEUE)}    {more}\n").rules() == {"name-of-version-3"}
    assert say(tmp_path, alerts(SENDS, QUEUE, record="up").replace("rec:x", "rec-x")).rules() == {
        "name-of-version-3"
    }
