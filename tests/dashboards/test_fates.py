"""What becomes of the run id in an expression; Prometheus itself is asked too, where promtool is there."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from lens_preflight.dashboards.fates import Fate, fate_of

NORM = "megatron_training_grad_norm"
RUNS = ("run-1", "f3c7")
MEASURED = [
    ("{m}", Fate.KEPT),
    ("avg({m})", Fate.GONE),
    ("avg by (nemo_run_id) ({m})", Fate.KEPT),
    ("avg by (job, instance) ({m})", Fate.GONE),
    ("avg without (nemo_run_id) ({m})", Fate.GONE),
    ("avg without (instance) ({m})", Fate.KEPT),
    ("avg by (exported_nemo_run_id) ({m})", Fate.GONE),
    ("topk(9, {m})", Fate.KEPT),
    ("quantile by (nemo_run_id) (0.5, {m})", Fate.KEPT),
    ('count_values("nemo_run_id", {m})', Fate.FIXED),
    ("max_over_time({m}[5m])", Fate.KEPT),
    ("clamp_max({m}, 10)", Fate.KEPT),
    ("-({m})", Fate.KEPT),
    ("{m} ^ 2", Fate.KEPT),
    ("time() - timestamp({m})", Fate.KEPT),
    ("absent({m})", Fate.GONE),
    ("{m} * on (job, instance) group_left (nemo_run_id) target_info", Fate.KEPT),
    ("avg by (nemo_run_id) ({m} * on (job, instance) group_left (nemo_run_id) target_info)", Fate.KEPT),
    ("{m} * on (job, instance) group_left () target_info", Fate.KEPT),
    ("{m} * on (job, instance) group_left (nemo_run_id) up", Fate.GONE),
    ("{m} * on (job, instance) target_info", Fate.GONE),
    ("{m} / scalar(max(up))", Fate.KEPT),
    ("{m} / on () group_left () count(up)", Fate.KEPT),
    ("sum by (nemo_run_id) ({m}) / ignoring (nemo_run_id) group_left () sum(up)", Fate.KEPT),
    ("sum by (nemo_run_id) ({m}) / sum(up)", Fate.GONE),
    ("sum({m}) / sum({m})", Fate.GONE),
    ("{m} / up", Fate.GONE),
    ("{m} / on (instance) up", Fate.GONE),
    ("up * on (instance) group_right () {m}", Fate.KEPT),
    ("up * on (instance) group_left (nemo_run_id) {m}", Fate.KEPT),
    ("{m} unless on (instance) (up == 0)", Fate.KEPT),
    ("{m} and on (instance) (up == 1)", Fate.KEPT),
    ("{m} or vector(0)", Fate.KEPT),
    ("vector(0) or {m}", Fate.KEPT),
    ("{m} > bool 1", Fate.KEPT),
    ('{m}{nemo_run_id="run-1"}', Fate.FIXED),
    ('{m}{nemo_run_id=""}', Fate.GONE),
    ('{m}{nemo_run_id!=""}', Fate.KEPT),
    ('label_replace({m}, "nemo_run_id", "", "nemo_run_id", ".*")', Fate.GONE),
    ('label_replace({m}, "nemo_run_id", "all", "", "")', Fate.FIXED),
    ('label_replace({m}, "nemo_run_id", "all", "nemo_run_id", "no-such")', Fate.KEPT),
    ('label_replace({m}, "nemo_run_id", "$1-x", "nemo_run_id", "(.*)")', Fate.FIXED),
    ('label_replace({m}, "other", "$1", "nemo_run_id", "(.*)")', Fate.KEPT),
    (
        'label_replace(avg by (instance) ({m}), "nemo_run_id", "$1", "instance", "(.*)-rank[0-9]+")',
        Fate.KEPT,
    ),
    ('label_join(avg by (nemo_run_id) ({m}), "nemo_run_id", "", "nemo_run_id")', Fate.KEPT),
    ('label_join({m}, "nemo_run_id", "-", "nemo_run_id", "job")', Fate.FIXED),
]


@pytest.mark.parametrize(("expression", "fate"), MEASURED)
def test_the_label_of_the_result(expression: str, fate: Fate) -> None:
    assert fate_of(expression.replace("{m}", NORM), "nemo_run_id", lambda use: None) is fate


@pytest.mark.parametrize(
    ("expression", "label", "fate"),
    [
        (NORM, "nemo.run.id", Fate.GONE),
        ('{"megatron.training.grad_norm"}', "nemo.run.id", Fate.KEPT),
        ('{"megatron.training.grad_norm"}', "nemo_run_id", Fate.GONE),
        (NORM, "exported_nemo_run_id", Fate.UNKNOWN),
        (f'label_replace({NORM}, "nemo_run_id", "$1", "job", "(.*)")', "nemo_run_id", Fate.UNKNOWN),
        (f'{NORM}{{nemo_run_id=~"\\\\pL+"}}', "nemo_run_id", Fate.UNKNOWN),
        ("avg(", "nemo_run_id", Fate.UNKNOWN),
        ("1", "nemo_run_id", Fate.GONE),
        (f"info(avg by (job, instance) ({NORM}))", "nemo_run_id", Fate.KEPT),
    ],
)
def test_what_prometheus_is_not_asked(expression: str, label: str, fate: Fate) -> None:
    assert fate_of(expression, label, lambda use: None) is fate


def test_prometheus_agrees(tmp_path: Path) -> None:
    tool = shutil.which("promtool")
    if tool is None:
        pytest.skip("promtool is not installed: apt-get install prometheus")
    series = []
    for instance, run in ((f"{run}-rank{rank}", run) for run in RUNS for rank in range(2)):
        series.append({"series": f'up{{job="t",instance="{instance}"}}', "values": "1x10"})
        for name in (NORM, "target_info"):
            labels = f'job="t",instance="{instance}",nemo_run_id="{run}"'
            series.append({"series": f"{name}{{{labels}}}", "values": "2x10"})
    rules = [{"record": f"r:{n}", "expr": e.replace("{m}", NORM)} for n, (e, _) in enumerate(MEASURED)]
    asked = [
        {"expr": f"r:{n}", "eval_time": "5m", "exp_samples": [{"labels": "nothing_so", "value": 9}]}
        for n in range(len(MEASURED))
    ]
    (tmp_path / "r.yml").write_text(json.dumps({"groups": [{"name": "g", "rules": rules}]}), encoding="utf-8")
    trial = {"interval": "1m", "input_series": series, "promql_expr_test": asked}
    text = json.dumps({"rule_files": ["r.yml"], "evaluation_interval": "1m", "tests": [trial]})
    (tmp_path / "t.yml").write_text(text, encoding="utf-8")
    done = subprocess.run([tool, "test", "rules", "t.yml"], cwd=tmp_path, capture_output=True, text=True)
    answers = re.findall(r"got:(.*)", done.stdout + done.stderr)
    assert len(answers) == len(MEASURED)
    assert [_fate(answer) for answer in answers] == [fate for _, fate in MEASURED]


def _fate(answer: str) -> Fate:
    runs = {(re.search(r'nemo_run_id="([^"]*)"', one) or [""])[0] for one in re.findall(r"\{[^}]*\}", answer)}
    if runs >= {f'nemo_run_id="{run}"' for run in RUNS}:
        return Fate.KEPT
    return Fate.FIXED if runs - {""} else Fate.GONE
