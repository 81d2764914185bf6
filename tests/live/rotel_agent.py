"""A real collector (rotel, from its wheel) on free ports, which hands on what it gets to a sink."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sysconfig
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

START = 15.0
"""Seconds that it may take to listen."""


def binary() -> Path | None:
    """The program of the wheel, None when it is not installed."""
    spec = importlib.util.find_spec("rotel")
    path = Path(spec.origin).parent / "rotel-agent" if spec is not None and spec.origin else None
    return path if path is not None and path.exists() else None


def lacking() -> str:
    """Why it cannot run here, empty when it can."""
    program = binary()
    if program is None:
        return "rotel is not installed"
    done = subprocess.run([program, "version"], env=_environment(), capture_output=True, check=False)
    return "" if done.returncode == 0 else "rotel does not run here"


def _environment() -> dict[str, str]:
    """It links the shared library of the Python that it was built for."""
    return {"PATH": os.environ.get("PATH", ""), "LD_LIBRARY_PATH": str(sysconfig.get_config_var("LIBDIR"))}


@contextmanager
def rotel(to: str) -> Iterator[tuple[int, int]]:
    """Its gRPC and HTTP ports; it exports to the OTLP/gRPC endpoint ``to``."""
    grpc, http = _free(), _free()
    program = binary()
    assert program is not None
    process = subprocess.Popen(
        [
            *(program, "start", "--exporter", "otlp", "--batch-timeout", "50ms"),
            *("--otlp-grpc-endpoint", f"127.0.0.1:{grpc}", "--otlp-http-endpoint", f"127.0.0.1:{http}"),
            *("--otlp-exporter-protocol", "grpc", "--otlp-exporter-endpoint", to),
        ],
        env=_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for port in (grpc, http):
            _wait_for(port, process)
        yield grpc, http
    finally:
        process.kill()
        process.wait()


def _free() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    pause = threading.Event()
    for _ in range(int(START / 0.1)):
        assert process.poll() is None, "rotel ended at once"
        with socket.socket() as sock:
            if sock.connect_ex(("127.0.0.1", port)) == 0:
                return
        pause.wait(0.1)
    raise AssertionError("rotel does not listen")
