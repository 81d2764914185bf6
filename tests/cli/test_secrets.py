"""Planted secrets never come out: every command, every format, the highest verbosity."""

from __future__ import annotations

import base64
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.cli.running import run

TOKEN = "canary-Tok3n/with+signs=="
PASSWORD = "canary-pa55w0rd!"
NETRC = "canary-netrc-9f8e7d"
BACKEND = "canary-backend-77"
SECRETS = {
    "token": TOKEN,
    "token quoted": quote(TOKEN, safe=""),
    "password": PASSWORD,
    "password quoted": quote(PASSWORD, safe=""),
    "netrc": NETRC,
    "netrc pair": base64.b64encode(f"me:{NETRC}".encode()).decode(),
    "url pair": base64.b64encode(f"user:{PASSWORD}".encode()).decode(),
    "backend": BACKEND,
}


@pytest.fixture
def redirecting() -> Iterator[str]:
    """A port that answers every request with a redirect that repeats what it was asked with."""
    import threading

    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                head = connection.recv(65_536).decode("latin-1")
                given = [x for x in head.splitlines() if x.lower().startswith(("authorization", "x-token"))]
                body = " ".join(given).encode("latin-1")
                reply = b"HTTP/1.1 302 Found\r\nLocation: http://user:%s@other/login\r\n" % PASSWORD.encode()
                connection.sendall(reply + b"Content-Length: %d\r\n\r\n" % len(body) + body)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield f"127.0.0.1:{listener.getsockname()[1]}"
    listener.close()


def environment(folder: Path, host: str) -> dict[str, str]:
    (folder / ".netrc").write_text(f"machine 127.0.0.1 login me password {NETRC}\n")
    return {
        "HOME": str(folder),
        "NEMO_LENS_ENABLED": "1",
        "NEMO_LENS_RUN_ID": "r",
        "NEMO_LENS_USR_ID": f"Bearer {TOKEN}",
        "OTEL_TRACES_SAMPLER": "always_onn",
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://user:{quote(PASSWORD, safe='')}@{host}",
        "OTEL_EXPORTER_OTLP_HEADERS": f"x-token={quote(TOKEN, safe='')},api-key={TOKEN}",
        "OTEL_EXPORTER_OTLP_TRACES_HEADERS": f'authorization=Bearer {TOKEN};"',
        "OTEL_EXPORTER_OTLP_TIMEOUT": f"{TOKEN}",
    }


def leaked(text: str) -> list[str]:
    return [name for name, secret in SECRETS.items() if secret in text]


@pytest.mark.parametrize("extra", [(), ("--set", "OTEL_EXPORTER_OTLP_TIMEOUT=3")], ids=["broken", "sent"])
def test_no_secret_in_any_report(tmp_path: Path, redirecting: str, extra: tuple[str, ...]) -> None:
    reports = ("--report", "json=r.json", "--report", "junit=r.xml", "--report", "console=-")
    words = ("check", "--profile", "node", "-vv", "--color", "always", *reports, *extra)
    secret_option = ("--backend", f"jaeger=http://user:{BACKEND}@127.0.0.1:9")
    done = run(*words, *secret_option, env=environment(tmp_path, redirecting), cwd=tmp_path)
    assert done.returncode in (1, 3), done.stderr
    texts = [done.stdout, done.stderr, *((tmp_path / n).read_text() for n in ("r.json", "r.xml"))]
    assert not [leaked(text) for text in texts if leaked(text)]
    assert all(texts[:1] + texts[2:]), "a report is empty"


@pytest.mark.parametrize(
    "words",
    [
        ("env",),
        ("env", "--json"),
        ("probe",),
        ("probe", "--json"),
        ("probe", "-v"),
        ("check", "--set", f"X={TOKEN}", "--select", f"{BACKEND}"),
        ("check", "--config", "missing.toml"),
    ],
)
def test_no_secret_in_other_commands(tmp_path: Path, redirecting: str, words: tuple[str, ...]) -> None:
    done = run(*words, env=environment(tmp_path, redirecting), cwd=tmp_path)
    found = leaked(done.stdout + done.stderr)
    assert [name for name in found if not (name == "backend" and "--select" in words)] == []


def test_a_crash_prints_no_value(tmp_path: Path) -> None:
    """An exception that carries a secret leaves as its kind and place only."""
    import subprocess
    import sys

    from tests.cli.running import environment as plain

    code = (
        "from lens_preflight.cli.exits import leave\n"
        f"def crash():\n    raise RuntimeError({TOKEN!r})\n"
        "leave(crash)"
    )
    done = subprocess.run([sys.executable, "-c", code], env=plain(), capture_output=True, text=True)
    assert done.returncode == 3
    assert "RuntimeError" in done.stderr
    assert TOKEN not in done.stderr
