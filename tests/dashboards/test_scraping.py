"""Relabelling, and what it leaves of training metrics."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lens_preflight.core.errors import Undecided
from lens_preflight.dashboards.rules import RuleFile, read_rules
from lens_preflight.dashboards.scraping import losses, unscraped

LOSS = "megatron_training_loss"
EXPORTER = {"job_name": "otelcol", "static_configs": [{"targets": ["c:8889"]}]}


def files(folder: Path, *jobs: dict[str, Any]) -> tuple[RuleFile, ...]:
    """A configuration of Prometheus with these jobs."""
    path = folder / "prometheus.yml"
    path.write_text(json.dumps({"scrape_configs": list(jobs)}), encoding="utf-8")
    return read_rules([path])


def told(folder: Path, *jobs: dict[str, Any]) -> list[str]:
    """What becomes of the loss."""
    return [loss.what for loss in losses([LOSS], files(folder, *jobs))]


@pytest.mark.parametrize(
    ("entry", "what"),
    [
        ({"action": "labeldrop", "regex": "nemo_.*"}, "loses its nemo_run_id"),
        ({"action": "labeldrop", "regex": "exported_.*|rank"}, None),
        ({"action": "labelkeep", "regex": "__name__|job|instance"}, "loses its nemo_run_id"),
        ({"action": "labelkeep", "regex": "__name__|job|nemo_.*"}, None),
        ({"action": "drop", "source_labels": ["__name__"], "regex": "megatron.*"}, "is dropped"),
        ({"action": "drop", "source_labels": ["__name__"], "regex": "go_.*"}, None),
        ({"action": "keep", "source_labels": ["__name__"], "regex": "otelcol_.*|up"}, "is dropped"),
        ({"action": "keep", "source_labels": ["job", "__name__"], "regex": "otelcol;megatron_.+"}, None),
        ({"action": "keep", "source_labels": ["nv_dl_rank"], "regex": "0"}, None),
        ({"action": "drop", "source_labels": ["nemo_run_id"], "regex": ".+"}, "is dropped"),
        ({"action": "keep", "source_labels": ["nemo_run_id"], "regex": "run-.*"}, None),
        ({"target_label": "nemo_run_id", "replacement": "x"}, "loses its nemo_run_id"),
        ({"target_label": "nemo_run_id", "source_labels": ["nemo_run_id"], "regex": "(.*)"}, None),
        ({"target_label": "nemo_run_id", "source_labels": ["a"], "regex": "(.+)"}, None),
        ({"target_label": "nemo_run_id", "source_labels": ["a"]}, "loses its nemo_run_id"),
        ({"target_label": "__name__", "replacement": "x"}, "is renamed to x"),
        (
            {"target_label": "__name__", "source_labels": ["__name__"], "replacement": "a_${1}"},
            f"is renamed to a_{LOSS}",
        ),
        ({"action": "labelmap", "regex": "nemo_(.+)", "replacement": "$1"}, None),
        ({"action": "lowercase", "source_labels": ["job"], "target_label": "job"}, None),
        ({"action": "hashmod", "source_labels": ["job"], "target_label": "shard", "modulus": 2}, None),
        ({"action": "keepequal", "source_labels": ["job"], "target_label": "instance"}, "is dropped"),
    ],
)
def test_what_an_entry_leaves(tmp_path: Path, entry: dict[str, Any], what: str | None) -> None:
    job = {**EXPORTER, "metric_relabel_configs": [entry]}
    assert told(tmp_path, job) == ([what] if what else [])


def test_labels_of_the_target_push_those_of_the_series_aside(tmp_path: Path) -> None:
    job = {**EXPORTER, "static_configs": [{"targets": ["c:8889"], "labels": {"nemo_run_id": "x"}}]}
    assert told(tmp_path, job) == ["loses its nemo_run_id"]
    assert told(tmp_path, {**job, "honor_labels": True}) == []


def test_only_the_job_of_the_exporter_counts(tmp_path: Path) -> None:
    keep = [{"action": "keep", "source_labels": ["__name__"], "regex": "DCGM_.*"}]
    gpu = {"job_name": "gpu", "static_configs": [{"targets": ["n:9400"]}], "metric_relabel_configs": keep}
    assert told(tmp_path, EXPORTER, gpu) == []
    assert told(tmp_path, {**EXPORTER, "metric_relabel_configs": keep}, gpu) == ["is dropped"]
    pods = {"job_name": "pods", "kubernetes_sd_configs": [{"role": "pod"}]}
    assert told(tmp_path, pods, gpu) == []
    with pytest.raises(Undecided, match="which scrape job"):
        told(tmp_path, gpu)
    with pytest.raises(Undecided, match="which scrape job"):
        told(tmp_path, {**EXPORTER, "metric_relabel_configs": keep}, pods)
    assert [x.what for x in losses([LOSS], files(tmp_path, gpu), ("9400",))] == ["is dropped"]


def test_a_pattern_that_cannot_be_tried_is_open(tmp_path: Path) -> None:
    entry = {"action": "labeldrop", "regex": "\\pL+"}
    with pytest.raises(Undecided, match="cannot be told"):
        told(tmp_path, {**EXPORTER, "metric_relabel_configs": [entry]})


def test_a_port_that_no_job_asks(tmp_path: Path) -> None:
    own = {"job_name": "own", "static_configs": [{"targets": ["c:8888"]}]}
    pods = {"job_name": "pods", "kubernetes_sd_configs": [{"role": "pod"}]}
    assert [port for _, port in unscraped(files(tmp_path, own), ["8889"])] == ["8889"]
    assert list(unscraped(files(tmp_path, own, EXPORTER), ["8889"])) == []
    assert list(unscraped(files(tmp_path, own, pods), ["8889"])) == []
    assert list(unscraped(files(tmp_path, own), [])) == []
