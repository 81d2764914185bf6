"""Expressions that give nothing whatever is stored, with promtool as the witness."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from lens_preflight.dashboards.families import Catalogue, near_misses, spellings
from lens_preflight.dashboards.promql import read_promql
from lens_preflight.dashboards.results import drawn

RATE = "rate(h_bucket[5m])"
NOTHING = [
    (f"histogram_quantile(95, {RATE})", "the quantile 95, and 1 is the whole: write 0.95"),
    (f"histogram_quantile(-1, {RATE})", "the quantile -1, and 1 is the whole"),
    ("histogram_quantile(0.95, sum by (le, r) (rate(h_sum[5m])))", "h_sum, which has no buckets"),
    ("histogram_quantile(0.95, rate(h_count[5m]))", "h_count, which has no buckets"),
    ('histogram_quantile(0.95, rate(h_bucket{le="1000"}[5m]))', 'le="1000"'),
    ('histogram_quantile(0.95, rate(h_bucket{le!~".Inf"}[5m]))', 'le!~".Inf"'),
    ("rate(h_count[1s])", "looks back 1 s by rate"),
    ("increase(h_count[1m:2m])", "one sample per range for increase"),
    ("quantile(95, m_loss)", "the quantile 95"),
    ("quantile_over_time(95, m_loss[5m])", "the quantile 95"),
    ("topk(0, m_loss)", "asks topk for 0 series"),
    ("m_loss / topk(0, m_loss)", "asks topk for 0 series"),
    ("m_loss and rate(m_loss[1s])", "looks back 1 s"),
]
SOMETHING = [
    f"histogram_quantile(0.95, {RATE})",
    f"histogram_quantile(1, {RATE})",
    'histogram_quantile(0.95, rate(h_bucket{le=~"1000|.Inf"}[5m]))',
    'histogram_quantile(0.95, rate(h_bucket{le="1000"}[5m]) or '
    'label_replace(rate(h_count[5m]), "le", "+Inf", "", ""))',
    "rate(h_count[30s])",
    "topk(1, m_loss)",
    "m_loss or topk(0, m_norm)",
]


@pytest.mark.parametrize(
    ("text", "why"), [*NOTHING, *((text, "") for text in SOMETHING)], ids=lambda text: text or "something"
)
def test_what_gives_nothing_says_why(tmp_path: Path, text: str, why: str) -> None:
    query = read_promql(text)
    assert query.error == "" and query.uses
    told = [use.empty for use in query.uses]
    assert all(why in one and one for one in told) if why else not all(told)
    if shutil.which("promtool") is not None:
        assert (_promtool(tmp_path, text) in ("nil", "+Inf", "-Inf", "NaN")) is bool(why)


def _promtool(folder: Path, text: str) -> str:
    """The value that promtool finds; it is told to expect another one."""
    series = {
        'h_bucket{le="1000",r="a"}': "0+1x40",
        'h_bucket{le="+Inf",r="a"}': "0+2x40",
        'h_sum{r="a"}': "0+900x40",
        'h_count{r="a"}': "0+2x40",
        'm_loss{r="a"}': "2+0x40",
        'm_norm{r="a"}': "3+0x40",
    }
    asked = {"expr": text, "eval_time": "10m", "exp_samples": [{"labels": "x", "value": 12345}]}
    case = {
        "interval": "15s",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "promql_expr_test": [asked],
    }
    (folder / "t.yml").write_text(json.dumps({"tests": [case]}), encoding="utf-8")
    done = subprocess.run(
        ["promtool", "test", "rules", str(folder / "t.yml")], capture_output=True, text=True, check=False
    )
    return next(line.split()[-1] for line in done.stderr.splitlines() if "got:" in line)


@pytest.mark.parametrize("text", ["m_loss[5m]", "(m_loss[5m])", "m_loss[5m:1m]", "m_loss[5m] offset 1h"])
def test_a_range_vector_is_no_graph(text: str) -> None:
    query = read_promql(text)
    assert query.ranges and not query.uses[0].empty
    assert "is a range vector" in drawn(query).uses[0].empty
    assert not drawn(read_promql(f"avg_over_time({text})")).uses[0].empty


def test_a_gauge_has_no_buckets() -> None:
    catalogue = Catalogue()
    for name in ("megatron_training_loss_bucket", "mine_megatron_training_loss_sum"):
        assert spellings(name, catalogue) == ()
        assert [m.name for m in near_misses("megatron_training_loss_bucket", catalogue)] == [
            "megatron.training.loss"
        ]
    assert spellings("megatron_training_step_duration_ms_milliseconds_bucket", catalogue)


@pytest.mark.parametrize(
    ("text", "nothing"),
    [
        ("m_loss unless m_norm", True),
        ('m_loss{r="a"} unless m_norm', True),
        ('m_loss unless m_norm{r="a"}', False),
        ("m_loss unless on (r) m_done", False),
        ("m_loss unless done_at", False),
        ("m_loss unless m_norm > 5", False),
        ("sum by (r) (m_loss) unless m_norm", False),
    ],
)
def test_unless_takes_away_what_has_the_same_labels(text: str, nothing: bool) -> None:
    assert ("nothing" in read_promql(text).uses[0].within) is nothing
