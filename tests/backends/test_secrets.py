"""A backend that repeats the credentials it was sent: they are in no report."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.backends.fakes import body
from tests.backends.replay import Canned, replayed

ROOT = Path(__file__).parents[2]
FORMATS = ("json", "junit", "console")
PLANTED = {
    "LENS_PREFLIGHT_PROMETHEUS_TOKEN": "planted-t0ken-4f3a",
    "LENS_PREFLIGHT_PROMETHEUS_PASSWORD": "planted-p4ss-77aa",
    "DD_API_KEY": "planted-dd-k3y-9911",
}


@pytest.mark.parametrize("from_file", [False, True])
@pytest.mark.parametrize("place", ["error", "body"])
def test_no_credential_is_in_any_report(
    from_file: bool,
    place: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    secrets = list(PLANTED.values())
    for name, value in PLANTED.items():
        if from_file:
            (tmp_path / name).write_text(f"{value}\n")
            monkeypatch.setenv(f"{name}_FILE", str(tmp_path / name))
        else:
            monkeypatch.setenv(name, value)
    echoed = f"refused for {secrets}"
    answer = (
        body({"status": "error", "errorType": "bad_data", "error": echoed}, 400)
        if place == "error"
        else Canned(json.dumps({"message": echoed}).encode(), 403)
    )
    script = tmp_path / "train.py"
    script.write_text("from nemo.lens import setup_telemetry\n")
    words = [str(script), "--profile", "login", "--select", "backend-run-id", "--lens", "0.1", "-vv"]
    for kind in FORMATS:
        words += ["--report", f"{kind}={tmp_path / kind}"]
    with replayed("prometheus", {".*": answer}) as server:
        words += ["--backend", f"prometheus={server.url}"]
        command = [sys.executable, "-m", "lens_preflight", "check", *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    texts = [done.stdout, *((tmp_path / kind).read_text() for kind in FORMATS)]
    assert all("backend-run-id" in text for text in texts), done.stderr
    texts.append(done.stderr)
    assert not [s for s in secrets for text in texts if s in text]
