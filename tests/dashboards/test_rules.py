"""Files of rules, in their forms."""

from __future__ import annotations

import shutil
import subprocess
import textwrap
from pathlib import Path

import pytest

from lens_preflight.dashboards.rules import read_rules

PLAIN = """\
groups:
  - name: g
    rules:
      - record: a:b
        expr: sum(x)
      - alert: A
        expr: >-
          a:b > 1
"""


def write(folder: Path, text: str, name: str = "r.yml") -> Path:
    """A file with a text."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (PLAIN, [5, 8]),
        ("kind: PrometheusRule\nspec:\n" + textwrap.indent(PLAIN, "  "), [7, 10]),
        ("kind: ConfigMap\ndata:\n  r.yml: |\n" + textwrap.indent(PLAIN, "    "), [8, 11]),
        (
            "kind: List\nitems:\n  - kind: PrometheusRule\n    spec:\n" + textwrap.indent(PLAIN, "      "),
            [9, 12],
        ),
        ("additionalPrometheusRulesMap:\n  x:\n" + textwrap.indent(PLAIN, "    "), [7, 10]),
    ],
)
def test_rules_are_found_in_their_wrappers(tmp_path: Path, text: str, lines: list[int]) -> None:
    (file,) = read_rules([write(tmp_path, text)])
    assert [(r.kind, r.name, r.text) for r in file.rules] == [
        ("record", "a:b", "sum(x)"),
        ("alert", "A", "a:b > 1"),
    ]
    assert [r.at.line for r in file.rules] == lines


def test_the_answer_of_the_api_and_rules_of_grafana(tmp_path: Path) -> None:
    api = '{"data": {"groups": [{"rules": [{"type": "recording", "name": "a:b", "query": "sum(x)"}]}]}}'
    grafana = "groups:\n- rules:\n  - title: T\n    data:\n    - model: {expr: 'rate(x[$__rate_interval])'}\n"
    one, two = read_rules([write(tmp_path, api, "a.json"), write(tmp_path, grafana, "b.yml")])
    assert [(r.kind, r.name) for r in (*one.rules, *two.rules)] == [("record", "a:b"), ("alert", "T")]
    assert two.rules[0].query.error == ""


def test_a_configuration_of_prometheus(tmp_path: Path) -> None:
    text = """\
scrape_configs:
  - job_name: otel
    static_configs: [{targets: ["c:8888", "c:8889"]}]
  - job_name: pods
    kubernetes_sd_configs: [{role: pod}]
otlp:
  promote_resource_attributes: [service.name]
"""
    (file,) = read_rules([write(tmp_path, text)])
    assert file.scrapes is not None
    assert [(j.name, j.targets, j.discovers) for j in file.scrapes] == [
        ("otel", ("c:8888", "c:8889"), False),
        ("pods", (), True),
    ]
    assert file.promotes_run_id is False


@pytest.mark.parametrize(
    ("text", "line"), [("groups:\n- a: 1\n  a: 2\n", 3), ("a: [\n", 2), ("just: text\n", 1), ("", 1)]
)
def test_what_holds_no_rules_says_where(tmp_path: Path, text: str, line: int) -> None:
    (file,) = read_rules([write(tmp_path, text)])
    assert file.failure is not None and file.failure.at.line == line


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ("{record: a, alert: b, expr: up}", "both record and alert"),
        ("{record: a, exprs: x, expr: up}", "unknown key exprs"),
        ("{record: a}", "no expr"),
        ("{record: a, expr: avg(up}", "a ( that is not closed"),
        ("{record: a, expr: avg(up))}", "a ) too many"),
        ("{alert: a, expr: 'up{job=\"x}'}", "a quote that is not closed"),
        ("{expr: up}", "neither record nor alert"),
        ("{alert: '', expr: up}", "neither record nor alert"),
        ("text", "neither record nor alert"),
        ("{alert: a, expr: up, for: 5}", "the for of a, 5, is no duration"),
        ("{alert: a, expr: up, for: 30m1h}", "is no duration"),
        ("{alert: a, expr: up, for: [5m]}", "is no duration"),
        ("{alert: a, expr: up, keep_firing_for: abc}", "the keep_firing_for of a, abc"),
        ("{record: a, expr: up, for: 5m}", "records, and has for"),
        ("{record: a, expr: up, annotations: {b: c}}", "records, and has annotations"),
        ("{record: 'a{b}', expr: up}", "has braces"),
        ("{alert: a, expr: up, labels: [b]}", "the labels of a are no mapping"),
        ("{alert: a, expr: up, labels: {b: [c]}}", "b among the labels of a is no text"),
        ("{alert: a, expr: up, labels: {__name__: c}}", "cannot have __name__"),
        ("{alert: a, expr: up, annotations: {'': c}}", "cannot have an empty name"),
        ("{alert: a, expr: up, annotations: {s: '{{ $value'}}", "the template s of a has {{ without }}"),
        ("{alert: a, expr: up, labels: {s: '{{ $valeu }}'}}", "names the variable $valeu"),
    ],
)
def test_what_prometheus_refuses(tmp_path: Path, rule: str, reason: str) -> None:
    path = write(tmp_path, f"groups:\n- name: g\n  rules:\n  - {rule}\n")
    (file,) = read_rules([path])
    assert file.failure is not None and reason in file.failure.reason and file.failure.at.line == 4
    tool = shutil.which("promtool")
    if tool is not None:
        assert subprocess.run([tool, "check", "rules", str(path)], capture_output=True).returncode != 0


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("groups:\n- name: g\n- name: g\n", 3, "g of a group is repeated"),
        ("groups:\n- rules:\n  - {alert: a, expr: up}\n", 2, "a group has no name"),
        ("groups:\n- name: g\n  interval: 5\n", 3, "the interval of group g, 5, is no duration"),
        ("groups:\n- name: g\n  limit: many\n", 3, "the limit of the group g is no number"),
        ("groups:\n- name: g\n  every: 5m\n", 3, "the group g has the unknown key every"),
        ("groups:\n- name: g\n  rules: {a: b}\n", 3, "the rules of the group g are no list"),
        ("groups:\n- g\n", 2, "a group is no mapping"),
        ("groups:\n- name: g\nversion: 2\n", 3, "the key version stands beside groups"),
    ],
)
def test_what_prometheus_refuses_of_groups(tmp_path: Path, text: str, line: int, reason: str) -> None:
    path = write(tmp_path, text)
    (file,) = read_rules([path])
    assert file.failure is not None and reason in file.failure.reason and file.failure.at.line == line
    tool = shutil.which("promtool")
    if tool is not None:
        assert subprocess.run([tool, "check", "rules", str(path)], capture_output=True).returncode != 0


STRANGE = "  rules:\n  - {alert: A, expr: up == 0, for: 1.5h, annotations: {s: '{{ $value | foo }}'}}\n"


@pytest.mark.parametrize(
    "text",
    [
        f"groups:\n- name: '{{{{ .Values.name }}}}'\n  interval: 5\n{STRANGE}",
        f"groups:\n- name: g\n{STRANGE}  - {{alert: B, expr: up, annotations: {{s: '{{% raw %}}'}}}}\n",
        f"groups:\n- name: g\n{STRANGE}  - {{alert: B, expr: up, annotations: {{s: '{{{{`{{{{ x }}}}`}}}}'}}}}\n",
        f"groups:\n- name: g\n  concurrency: 2\n{STRANGE}",
        "apiVersion: 1\ngroups:\n- name: g\n  folder: f\n  interval: 5\n  rules: [{title: T, data: []}]\n",
    ],
)
def test_what_another_program_reads_or_renders_is_not_refused(tmp_path: Path, text: str) -> None:
    (file,) = read_rules([write(tmp_path, text)])
    assert file.failure is None


def test_a_file_within_a_config_map_is_refused_as_one_of_its_own(tmp_path: Path) -> None:
    one = "kind: ConfigMap\ndata:\n  a.yml: |\n    groups:\n    - name: g\n"
    twice = one + "  b.yml: |\n    groups:\n    - name: g\n"
    beside = one + "    other: 1\n"
    assert read_rules([write(tmp_path, twice)])[0].failure is None
    (file,) = read_rules([write(tmp_path, beside)])
    assert file.failure is not None and "other stands beside groups" in file.failure.reason


def test_what_prometheus_takes(tmp_path: Path) -> None:
    text = """\
groups:
- name: g
  labels: {team: a}
  rules:
  - {record: "a:b", expr: 'label_replace(up, "x", "(", "y", "`[")', labels: {site: b}}
  - {alert: A, expr: "up == 0 # not (", for: 5m, keep_firing_for: 1m, annotations: {summary: s}}
"""
    (file,) = read_rules([write(tmp_path, text)])
    assert file.failure is None
    assert [(r.labels, r.delay) for r in file.rules] == [
        ((("team", "a"), ("site", "b")), ""),
        ((("team", "a"),), "5m"),
    ]
