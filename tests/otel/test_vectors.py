"""The models against what the real libraries made of the environments of the corpus."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lens_preflight.core.variable import Environment
from lens_preflight.lens.generations import generation
from lens_preflight.otel.dial import dial
from lens_preflight.otel.exporter import exporter
from lens_preflight.otel.files import MadeUpFiles
from tests.corpus import LINES, corpus_root
from tests.otel.vectors import Vector, comparable, corpus, expected, said


def test_vectors() -> None:
    """Every compared field of every vector."""
    wrong: list[str] = []
    vectors = [Vector.of(raw) for raw in corpus()["vectors"]]
    for vector in vectors:
        want, have = comparable(expected(vector)), said(vector)
        if want != have:
            wrong.append(f"{vector.id}: expected {want}, said {have}")
    right = len(vectors) - len(wrong)
    tail = f", {len(wrong)} wrong" if wrong else ""
    LINES.append(f"corpus environment: {len(vectors)} vectors, {right} right{tail}")
    assert not wrong, "\n".join(wrong)


def _reaches(case: dict[str, Any]) -> bool:
    """Whether a plaintext server on 127.0.0.1, ::1 and a socket is reached, without asking names."""
    texts = {"OTEL_EXPORTER_OTLP_ENDPOINT": case["endpoint"].replace("LAB", "/lab")}
    if case["INSECURE"]:
        texts["OTEL_EXPORTER_OTLP_INSECURE"] = "true"
    found = exporter(Environment.of(texts), "traces", generation("0.1"), MadeUpFiles())
    here = ("localhost", "127.0.0.1", "::1", "::ffff:127.0.0.1", "0.0.0.0")
    places = dial(found.target).places
    meant = [
        p for p in places if p.path.endswith("/lab/o.sock") or (p.port == 4317 and p.host.lower() in here)
    ]
    return found.insecure and bool(meant)


def test_grpc_spellings() -> None:
    """Which spellings of a gRPC endpoint reach the server."""
    path = corpus_root() / "environment" / "grpc-dial.json"
    if not path.exists():
        pytest.skip("this corpus has no gRPC spellings")
    cases = json.loads(path.read_text())
    wrong = [case["endpoint"] for case in cases if _reaches(case) is not (case["result"] == "SUCCESS")]
    assert not wrong
