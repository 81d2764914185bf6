"""Relabelling, and what it leaves of training metrics."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lens_preflight.core.errors import Undecided
from lens_preflight.dashboards.rules import RuleFile, read_rules
from lens_preflight.dashboards.scraping import losses, rare, unscraped

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
    kept = {"action": "keep", "source_labels": ["job"], "regex": "\\pL+"}
    with pytest.raises(Undecided, match="cannot be told"):
        list(unscraped(files(tmp_path, {**EXPORTER, "relabel_configs": [kept]}), ["8889"], []))


def test_a_port_that_no_job_asks(tmp_path: Path) -> None:
    own = {"job_name": "own", "static_configs": [{"targets": ["c:8888"]}]}
    pods = {"job_name": "pods", "kubernetes_sd_configs": [{"role": "pod"}]}
    assert [port for _, port, _ in unscraped(files(tmp_path, own), ["8889"])] == ["8889"]
    assert list(unscraped(files(tmp_path, own, EXPORTER), ["8889"])) == []
    assert list(unscraped(files(tmp_path, own, pods), ["8889"])) == []
    assert list(unscraped(files(tmp_path, own), [])) == []


@pytest.mark.parametrize(
    ("changes", "encrypted", "why"),
    [
        ({}, [], ""),
        ({"metrics_path": "/foo"}, [], "asked for /foo"),
        ({"scheme": "https"}, [], "another scheme than http"),
        ({"scheme": "https"}, ["8889"], ""),
        ({}, ["8889"], "another scheme than https"),
        (
            {"relabel_configs": [{"target_label": "__address__", "replacement": "o:9"}]},
            [],
            "no scrape job asks",
        ),
        (
            {"relabel_configs": [{"target_label": "__metrics_path__", "replacement": "/x"}]},
            [],
            "asked for /x",
        ),
        (
            {"relabel_configs": [{"action": "drop", "source_labels": ["__address__"]}]},
            [],
            "drop every target",
        ),
        ({"relabel_configs": [{"action": "keep", "source_labels": ["job"], "regex": "otelcol"}]}, [], ""),
    ],
)
def test_how_an_exporter_is_asked(
    tmp_path: Path, changes: dict[str, Any], encrypted: list[str], why: str
) -> None:
    found = [told for _, _, told in unscraped(files(tmp_path, {**EXPORTER, **changes}), ["8889"], encrypted)]
    assert len(found) == bool(why) and all(why in told for told in found)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"sample_limit": 1}, "sample_limit is 1, and the panels ask 2 series"),
        ({"sample_limit": 5000}, ""),
        ({"sample_limit": "9" * 5000}, ""),
        ({"label_limit": 4}, "label_limit is 4, and its series need 5"),
        ({"label_limit": 30}, ""),
        ({"label_limit": 0}, ""),
        ({"label_name_length_limit": 5}, "label_name_length_limit is 5"),
        ({"label_value_length_limit": 5}, "label_value_length_limit is 5"),
        (
            {"metric_relabel_configs": [{"action": "labeldrop", "regex": "service_.*"}]},
            "loses its service_name",
        ),
        ({"metric_relabel_configs": [{"action": "labeldrop", "regex": "rank"}]}, ""),
    ],
)
def test_labels_and_limits(tmp_path: Path, changes: dict[str, Any], what: str) -> None:
    asked = {LOSS: frozenset({"service_name"})}
    found = [
        x.what for x in losses([LOSS, "megatron_b"], files(tmp_path, {**EXPORTER, **changes}), (), asked)
    ]
    assert (what in found[0]) if what else found == []


def test_buckets_need_their_le(tmp_path: Path) -> None:
    job = {**EXPORTER, "metric_relabel_configs": [{"action": "labeldrop", "regex": "le"}]}
    assert [x.what for x in losses([LOSS, "megatron_b_bucket"], files(tmp_path, job))] == ["loses its le"]


@pytest.mark.parametrize(("interval", "seldom"), [("1h", [3600.0]), ("5m", []), ("15s", []), ("often", [])])
def test_an_interval_beyond_the_lookback(tmp_path: Path, interval: str, seldom: list[float]) -> None:
    job = {**EXPORTER, "scrape_interval": interval}
    assert [every for _, every in rare(files(tmp_path, job), [])] == seldom
    assert list(rare(files(tmp_path, job, EXPORTER), [])) == []
    assert list(rare(files(tmp_path, job), ["1234"])) == []
