"""Manifests: one launch for each pod template, with the environment that the pods have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from lens_preflight.core.words import Spread, State
from lens_preflight.jobs.kubernetes import MAX_DOCUMENTS
from lens_preflight.jobs.model import JobModel
from tests.jobs.making import job, only

CONTAINER: dict[str, Any] = {
    "name": "t",
    "image": "i:1",
    "command": ["torchrun", "--nproc_per_node=8", "train.py"],
}


def manifest(folder: Path, *documents: dict[str, Any]) -> JobModel:
    return job(folder, yaml.safe_dump_all(documents), name="job.yaml", submit="kubectl apply -f job.yaml")


def plain(kind: str = "Job", container: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    pod = {"containers": [{**CONTAINER, **(container or {})}]}
    return {"apiVersion": "batch/v1", "kind": kind, "spec": {**spec, "template": {"spec": pod}}}


def test_values_references_and_duplicates(tmp_path: Path) -> None:
    env = [
        {"name": "A", "value": "1"},
        {"name": "B", "value": "x-$(A)-$$(A)-$(LATER)"},
        {"name": "LATER", "value": "2"},
        {"name": "A", "value": "3"},
        {"name": "EMPTY"},
        {"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {"name": "SPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}},
        {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
        {"name": "C", "valueFrom": {"configMapKeyRef": {"name": "cm", "key": "c"}}},
    ]
    maps = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cm"}, "data": {"c": "here"}}
    found = only(manifest(tmp_path, maps, plain(container={"env": env}))).env
    assert (found["A"].value, found["B"].value, found["EMPTY"].value) == ("3", "x-1-$(A)-$(LATER)", "")
    assert (found["POD"].spread, found["SPACE"].spread) == (Spread.NODE, Spread.JOB)
    assert (found["TOKEN"].state, found["C"].value) == (State.PROVIDED, "here")
    assert found["SLURM_JOB_ID"].state is State.UNSET


def test_a_whole_config_map(tmp_path: Path) -> None:
    maps = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cm"}, "data": {"A": "1"}}
    source = [{"configMapRef": {"name": "cm"}, "prefix": "X_"}]
    assert only(manifest(tmp_path, maps, plain(container={"envFrom": source}))).env["X_A"].value == "1"
    launch = only(manifest(tmp_path, plain(container={"envFrom": source})))
    assert launch.env["NEMO_LENS_ENABLED"].state is State.UNKNOWN


@pytest.mark.parametrize(
    ("spec", "command", "nodes", "world"),
    [
        ({}, ["torchrun", "--nproc_per_node=8", "t.py"], 1, 8),
        ({"completionMode": "Indexed", "completions": 2, "parallelism": 2},
         ["bash", "-c", "torchrun --nnodes=2 --nproc_per_node=8 --node_rank=$JOB_COMPLETION_INDEX t.py"], 2, 16),
        ({"parallelism": 2}, ["python", "t.py"], 2, 1),
        ({}, ["python", "t.py"], 1, 1),
    ],
)  # fmt: skip
def test_counts_of_a_job(
    tmp_path: Path, spec: dict[str, Any], command: list[str], nodes: int, world: int
) -> None:
    launch = only(manifest(tmp_path, plain(container={"command": command}, **spec)))
    assert (launch.nodes, launch.world_size) == (nodes, world)


def test_counts_of_a_pytorchjob(tmp_path: Path) -> None:
    def replica(count: int) -> dict[str, Any]:
        return {"replicas": count, "template": {"spec": {"containers": [CONTAINER]}}}

    spec = {"nprocPerNode": "8", "pytorchReplicaSpecs": {"Master": replica(1), "Worker": replica(3)}}
    model = manifest(tmp_path, {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "spec": spec})
    assert [(one.nodes, one.world_size, one.replicas) for one in model.launches] == [(4, 32, 1), (4, 32, 3)]
    assert [one.chain[0] for one in model.launches] == ["PyTorchJob/Master", "PyTorchJob/Worker"]


def test_counts_of_a_trainjob(tmp_path: Path) -> None:
    trainer = {"image": "i", "numNodes": 2, "numProcPerNode": 4, "command": ["torchrun", "t.py"],
               "env": [{"name": "A", "value": "1"}]}  # fmt: skip
    spec = {"runtimeRef": {"name": "torch"}, "trainer": trainer}
    launch = only(
        manifest(tmp_path, {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "spec": spec})
    )
    assert (launch.nodes, launch.world_size, launch.env["A"].value) == (2, 8, "1")


def test_a_script_in_the_manifest_has_its_own_lines(tmp_path: Path) -> None:
    text = (
        "apiVersion: batch/v1\nkind: Job\nspec:\n  template:\n    spec:\n      containers:\n      - image: i\n"
        "        command: [bash, -c]\n        args:\n        - |\n          export A=1\n          python train.py\n"
    )
    launch = only(job(tmp_path, text, name="job.yaml", submit=None))
    assert (launch.at.line, launch.env["A"].value, launch.env["A"].location.line) == (12, "1", 11)


def test_mounts_workdir_and_grace(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "train.py").write_text("")
    pod = {
        "terminationGracePeriodSeconds": 90,
        "volumes": [{"name": "v", "hostPath": {"path": "code"}}],
        "containers": [{**CONTAINER, "workingDir": "/w", "volumeMounts": [{"name": "v", "mountPath": "/w"}]}],
    }
    spec = {"template": {"spec": pod}}
    launch = only(manifest(tmp_path, {"apiVersion": "batch/v1", "kind": "Job", "spec": spec}))
    assert launch.program_file == str(tmp_path / "code" / "train.py") and launch.grace == 90


GPU = {"resources": {"limits": {"nvidia.com/gpu": 8}}}


@pytest.mark.parametrize(
    ("container", "sidecar", "programs"),
    [
        ({}, {"args": ["--config=/etc/otel/config.yaml"]}, ["train.py"]),
        (GPU, {"command": ["/otelcol-custom", "--config=/c.yaml"]}, ["train.py"]),
        (GPU, {"command": ["/opt/agent", "run"], **GPU}, ["train.py", None]),
        ({}, {"command": ["/opt/agent", "run"]}, ["train.py", None]),
        ({"command": ["/opt/train"], **GPU}, {"command": ["python", "exporter.py"]}, [None, "exporter.py"]),
    ],
)
def test_what_runs_beside_the_training_in_its_pod(
    tmp_path: Path, container: dict[str, Any], sidecar: dict[str, Any], programs: list[str | None]
) -> None:
    """An opaque program without a GPU, beside a training with one, is a service; else nobody can tell."""
    pod = {"containers": [{**CONTAINER, **container}, {"name": "o", "image": "agent:1", **sidecar}]}
    model = manifest(tmp_path, {"apiVersion": "batch/v1", "kind": "Job", "spec": {"template": {"spec": pod}}})
    assert [one.program for one in model.launches] == programs


def test_options_alone_are_for_the_entry_point_of_the_image(tmp_path: Path) -> None:
    container = {"name": "t", "image": "i:1", "args": ["--epochs=3"]}
    pod = {"containers": [container]}
    launch = only(
        manifest(tmp_path, {"apiVersion": "batch/v1", "kind": "Job", "spec": {"template": {"spec": pod}}})
    )
    assert launch.program is None and "entry point" in launch.opaque_program


def test_sidecars_are_no_launches(tmp_path: Path) -> None:
    pod = {"containers": [CONTAINER, {"name": "o", "image": "otel/collector:1"}]}
    model = manifest(tmp_path, {"apiVersion": "batch/v1", "kind": "Job", "spec": {"template": {"spec": pod}}})
    assert only(model).container is not None and only(model).container.sidecars == ("otel/collector:1",)  # type: ignore[union-attr]


def test_an_entry_point_of_the_image(tmp_path: Path) -> None:
    document = plain()
    del document["spec"]["template"]["spec"]["containers"][0]["command"]
    assert "entry point" in only(manifest(tmp_path, document)).opaque_program


@pytest.mark.parametrize(
    "text",
    [
        "apiVersion: v1\nkind: Job\n",
        "apiVersion: v1\nkind: Job\nspec: 7\n",
        "apiVersion: v1\nkind: Job\nspec: {template: {spec: {containers: [1, {image: i, env: x, command: y}]}}}\n",
        "apiVersion: v1\nkind: List\nitems: [{kind: Job}, 3]\n",
        "apiVersion: v1\nkind: PyTorchJob\nspec: {pytorchReplicaSpecs: {Master: {replicas: many}}}\n",
        "apiVersion: v1\nkind: Job\nspec: {\n",
        "apiVersion: v1\nkind: Job\nx: " + "[" * 2000 + "]" * 2000 + "\n",
        "apiVersion: v1\nkind: Job\nspec: &a\n  template: *a\n",
    ],
)  # fmt: skip
def test_broken_manifests(tmp_path: Path, text: str) -> None:
    model = job(tmp_path, text, name="job.yaml", submit=None)
    assert model.kind == "kubernetes"


def test_a_stream_of_documents_is_not_judged_by_its_beginning(tmp_path: Path) -> None:
    others = [{"apiVersion": "v1", "kind": "Service", "spec": {}}] * MAX_DOCUMENTS
    model = manifest(tmp_path, *others, plain())
    assert not model.launches and f"more than {MAX_DOCUMENTS}" in model.unread
    assert only(manifest(tmp_path, *others[1:], plain())).program == "train.py"


def test_a_manifest_may_be_json(tmp_path: Path) -> None:
    model = job(tmp_path, json.dumps(plain()), name="job.json", submit=None)
    assert model.kind == "kubernetes" and only(model).program == "train.py"
