"""The probe dials what grpcio dials, for every spelling of an endpoint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import LINES, corpus_root
from tests.faultlab import netns


@pytest.mark.root
@pytest.mark.skipif(not netns.possible(), reason="needs root for ports and a network of its own")
def test_a_spelling_passes_exactly_when_grpcio_gets_there(tmp_path: Path) -> None:
    text = (corpus_root() / "environment" / "grpc-dial.json").read_text(encoding="utf-8")
    cases: list[dict[str, Any]] = json.loads(text)
    envs = [_env(case, str(tmp_path)) for case in cases]
    said = netns.run_inside("tests.faultlab.dialled", {"folder": str(tmp_path), "envs": envs})
    wrong = [
        f"{case['endpoint']!r} (insecure {case['INSECURE']}): {one}"
        for case, one in zip(cases, said, strict=True)
        if (one.verdict in ("pass", "warn")) is not (case["result"] == "SUCCESS") or one.verdict == "unknown"
    ]
    LINES.append(f"corpus environment/grpc-dial: {len(cases)} spellings, {len(cases) - len(wrong)} right")
    assert not wrong, "\n".join(wrong)


def _env(case: dict[str, Any], folder: str) -> dict[str, str]:
    env = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": case["endpoint"].replace("LAB", folder),
        "OTEL_EXPORTER_OTLP_TIMEOUT": "5",
    }
    return env | ({"OTEL_EXPORTER_OTLP_INSECURE": "true"} if case["INSECURE"] else {})
