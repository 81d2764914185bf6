"""One real service on this machine: started, waited for until it answers, ended by its process id."""

from __future__ import annotations

import contextlib
import http.client
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

READY = 60.0
"""Seconds that a service may take to come up on a busy machine."""

_PAUSE = threading.Event()


def free_port() -> int:
    """A loopback port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as held:
        return int(held.getsockname()[1])


def until(true: Callable[[], bool], seconds: float, what: str) -> None:
    """Look again and again until it is true; AssertionError with ``what`` when the time is up."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds:g} s: {what}")
        _PAUSE.wait(0.1)


def answers(port: int, path: str, status: int = 200) -> bool:
    """Whether a loopback port answers GET ``path`` with ``status``."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == status
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


@contextmanager
def running(
    words: Sequence[str],
    folder: Path,
    ready: Callable[[], bool],
    environ: Mapping[str, str] | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """A service while the block runs; its output is in ``folder/log``."""
    log = folder / "log"
    with log.open("wb") as out:
        process = subprocess.Popen(words, cwd=folder, stdout=out, stderr=subprocess.STDOUT, env=environ)
    try:
        until(lambda: process.poll() is not None or ready(), READY, f"{Path(words[0]).name} answers")
        if process.poll() is not None:
            text = log.read_text(errors="replace")[-2000:]
            raise AssertionError(f"{Path(words[0]).name} ended with {process.returncode}:\n{text}")
        yield process
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
        if process.poll() is None:
            process.kill()
            process.wait()
