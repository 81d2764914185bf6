"""What every test gets: a clean environment, no network beyond this machine, corpus lines at the end."""

from __future__ import annotations

import os
import socket
from collections.abc import Generator, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.corpus import LINES

settings.register_profile("no timing", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("no timing")


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the corpus lines, whether or not their tests passed."""
    for line in LINES:
        terminalreporter.write_line(line)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand the corpus lines of a worker process to the one that prints."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["corpus_lines"] = list(LINES)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Take over the corpus lines of a worker process."""
    LINES.extend(getattr(node, "workeroutput", {}).get("corpus_lines", []))


MAY_BE_MISSING = (
    "PREFLIGHT_",  # a checkout that is judged by path
    "no checkout",
    "npm install",  # a second reader of a report that another reader has read
    "the edit is for",
    "the shell that submits",
    "the configuration is wrapped",
    "the collector was built without",
    "no atheris",  # wheels for few interpreters
    *(("the corpus has no", "this corpus has no") if os.environ.get("PREFLIGHT_CASES") else ()),
)
"""Reasons to skip that say nothing about this machine."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """With PREFLIGHT_DEMAND_ALL a test that something here is missing for has failed."""
    report = yield
    if os.environ.get("PREFLIGHT_DEMAND_ALL") and report.skipped and isinstance(report.longrepr, tuple):
        reason = str(report.longrepr[2]).removeprefix("Skipped: ")
        if not reason.startswith(MAY_BE_MISSING):
            report.outcome = "failed"
            report.longrepr = f"skipped, and nothing may be missing: {reason}"
    return report


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the caller's telemetry, proxy, colour or scheduler settings reaches a test."""
    prefixes = ("OTEL_", "NEMO_", "MEGATRON_", "SLURM_", "SBATCH_", "GRPC_", "LENS_", "GITHUB_")
    exact = {"CI", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "NETRC", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"}
    for name in list(os.environ):
        if name.startswith(prefixes) or name in exact or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)


@pytest.fixture(autouse=True)
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A connection from this process to an address that is not this machine's is a bug."""
    real = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            host = str(address[0])
            local = host.startswith(("127.", "::1", "::ffff:127.", "10.0.2.", "192.0.2.", "0.0.0.0"))
            if not (local or host in ("localhost", "", "::")):
                raise AssertionError(f"a test tried to reach {host}")
        return real(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
    yield
