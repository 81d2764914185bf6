"""The real collector starts on what we pass, and refuses what we call unable to start."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from lens_preflight.checks.collector_config import collector_config
from lens_preflight.checks.collector_start import start_findings
from lens_preflight.collector import read_collector
from lens_preflight.core.words import Severity, Status
from tests.corpus import corpus_root
from tests.live.stack.daemon import free_port, until
from tests.live.stack.services import program
from tests.making import outcome

pytestmark = pytest.mark.live

ENV = {
    "NEMO_LENS_ENABLED": "1",
    "NEMO_LENS_LOGS_ENABLED": "1",
    "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4317",
}
READY = "Everything is ready"
FILES = sorted(p for name in ("collector", "collector-own") for p in (corpus_root() / name).glob("*.y*ml"))


def placed(text: str, folder: Path) -> str:
    """The configuration with its files in a folder of the test, and with free ports on loopback."""
    for name in re.findall(r"(?:ca_file|cert_file|key_file): *(/\S+)", text):
        path = folder / name.strip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(certificate())
        text = text.replace(name, str(path))
    for name in re.findall(r"directory: *(/\S+)", text):
        path = folder / name.strip("/")
        path.mkdir(parents=True, exist_ok=True)
        text = re.sub(rf"(directory: *){re.escape(name)}(?=\s)", rf"\g<1>{path}", text)
    text = re.sub(r"\b(?:0\.0\.0\.0|127\.0\.0\.1|localhost):\d+", lambda _: f"127.0.0.1:{free_port()}", text)
    return re.sub(r"(\bport: *)\d+", lambda m: f"{m[1]}{free_port()}", text)


def certificate() -> str:
    """A self-signed certificate in PEM."""
    import datetime

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    now = datetime.datetime.now(datetime.timezone.utc)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    return made.public_bytes(serialization.Encoding.PEM).decode()


def starts(text: str, folder: Path) -> tuple[bool, str]:
    """Whether the real collector comes up with a configuration, and the end of its log."""
    file, log = folder / "config.yaml", folder / "log"
    file.write_text(placed(text, folder))
    names = re.findall(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}", text)
    environ = {**os.environ, **dict.fromkeys(names, "planted")}
    with log.open("wb") as out:
        words = [program("collector"), "--config", str(file)]
        process = subprocess.Popen(words, cwd=folder, env=environ, stdout=out, stderr=subprocess.STDOUT)
    try:
        until(
            lambda: process.poll() is not None or READY in log.read_text(errors="replace"),
            60,
            "the collector is ready or ends",
        )
        return process.poll() is None, log.read_text(errors="replace")[-1500:]
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_the_real_collector_agrees(path: Path, tmp_path: Path) -> None:
    said = outcome(
        collector_config, ENV, offline=True, lens="0.2", topology="gateway", collector=(str(path),)
    )
    config = read_collector([path])
    if config.pipelines and "\nservice:" not in f"\n{path.read_text()}":
        pytest.skip("the configuration is wrapped in something else")
    blocked = config.failure is not None or any(
        f.severity is Severity.BLOCKER for f in start_findings(config)
    )
    up, log = starts(path.read_text(), tmp_path)
    lacks = re.search(r'unknown type: "(\w+)"', log)
    if lacks and not blocked:
        pytest.skip(f"the collector was built without {lacks[1]}")
    if said.status in (Status.PASS, Status.WARN):
        assert up, log
    if blocked:
        assert not up, f"{said.findings}\n{log}"
