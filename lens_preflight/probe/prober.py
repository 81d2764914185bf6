"""One probe per distinct way to send, shared by all launches and signals that send that way."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from lens_preflight.core.data import dataclass, field, replace
from lens_preflight.core.deadline import Deadline
from lens_preflight.core.variable import Environment, Variable
from lens_preflight.core.words import State
from lens_preflight.probe.client import ClientProcess, Pending
from lens_preflight.probe.model import ProbeResult, Verdict
from lens_preflight.probe.probe import Probe
from lens_preflight.probe.way import way

if TYPE_CHECKING:
    from lens_preflight.otel.exporter import Exporter
    from lens_preflight.otel.files import Files

PAUSE = 1.0
"""Seconds between two tries while waiting for an endpoint."""

MARGIN = 0.75
"""Seconds before the deadline of the run at which probes end, so that their answers still count."""

CLIENT_VARIABLES = (
    *("HOME", "NETRC", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "REQUEST_METHOD"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "OPENSSL_CONF"),
    *("RES_OPTIONS", "LOCALDOMAIN", "HOSTALIASES"),
)
"""What requests, grpcio and the libraries below them read, besides proxies and GRPC_ variables."""

ROOTS = "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"

MAY_COME = ("dns-failed", "refused", "syn-dropped", "unreachable", "reset", "hung", "closed-without-reply",
            "bad-gateway", "unavailable", "gateway-timeout", "slow-server", "proxy-down")  # fmt: skip
"""Causes that a starting collector may still remove."""


@dataclass
class _Slot:
    """A result that is being made; others wait for it."""

    done: threading.Event = field(default_factory=threading.Event)
    result: ProbeResult | None = None


def demand(transport: str) -> None:
    """Raise ModuleNotFoundError when the client library of a transport is not installed here."""
    from importlib.util import find_spec

    name = {"http": "requests", "grpc": "grpc"}.get(transport)
    if name is not None and find_spec(name) is None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)


class Prober:
    """Probes endpoints within one deadline; safe to use from several threads.

    ``files`` is the host's file system. ``wait``: seconds to keep trying an endpoint that does not
    answer before judging it. Call ``close`` at the end.
    """

    def __init__(self, deadline: Deadline, files: Files, *, wait: float = 0.0) -> None:
        self._deadline = Deadline(deadline.at - min(MARGIN, deadline.remaining() / 5))
        self._files = files
        self._until = self._deadline.within(wait)
        self._lock = threading.Lock()
        self._slots: dict[object, _Slot] = {}
        self._clients: dict[tuple[tuple[str, str], ...], ClientProcess] = {}

    def result(self, exporter: Exporter, env: Environment | None = None) -> ProbeResult:
        """What became of one empty Export; the same exporter is sent only once.

        ``env`` is the environment of the job: the real client reads proxy, resolver and trust
        variables from it; without it only what ``exporter`` says is used.

        Raises:
            ModuleNotFoundError: the library that the exporter uses is not installed here.
        """
        demand(exporter.transport)
        variables = client_variables(env) if env is not None else _proxy_variables(exporter)
        key = (_way(exporter), tuple(sorted(variables.items())))
        with self._lock:
            slot = self._slots.get(key)
            mine = slot is None
            if slot is None:
                slot = self._slots[key] = _Slot()
        if mine:
            try:
                slot.result = self._probe(exporter, variables, env)
            finally:
                slot.done.set()
        slot.done.wait(min(self._deadline.remaining() + 5.0, threading.TIMEOUT_MAX))
        if slot.result is None:
            raise RuntimeError("the probe of this endpoint broke in another thread")
        found = slot.result
        sent = way(exporter, env) if env is not None else None
        evidence = {**found.evidence, sent.key: sent.text} if sent is not None else found.evidence
        return replace(found, exporter=exporter, evidence=evidence)

    def _probe(
        self, exporter: Exporter, variables: Mapping[str, str], env: Environment | None
    ) -> ProbeResult:
        def send(request: dict[str, Any], native: bool) -> Pending:
            extra = {"GRPC_DNS_RESOLVER": "native"} if native else {}
            return self._client({**variables, **extra}).send(request)

        probe = Probe(exporter, self._files, self._deadline, send, variables.get(ROOTS), env)
        result = probe.run()
        pause = threading.Event()
        while result.verdict is Verdict.FAIL and result.code in MAY_COME and not self._until.passed:
            pause.wait(self._until.remaining(PAUSE))
            result = probe.run()
        return result

    def _client(self, variables: Mapping[str, str]) -> ClientProcess:
        key = tuple(sorted(variables.items()))
        with self._lock:
            client = self._clients.get(key)
            if client is None or client.ended:
                client = self._clients[key] = ClientProcess(variables)
            return client

    def close(self) -> None:
        """End the client processes; results stay."""
        with self._lock:
            clients = list(self._clients.values())
            self._clients.clear()
        for client in clients:
            client.close()


def _way(exporter: Exporter) -> tuple[object, ...]:
    """What makes two exporters one: all but the places where their settings are written."""
    values = ((f.name, getattr(exporter, f.name)) for f in fields(exporter))
    return tuple((name, v.name if isinstance(v, Variable) else v) for name, v in values if name != "remarks")


def client_variables(env: Environment) -> dict[str, str]:
    """The variables of the job that its OTLP clients read by themselves, as far as they are known."""
    return {
        v.name: v.value
        for v in env
        if v.state is State.VALUE
        and v.value is not None
        and "\0" not in v.value
        and (v.name in CLIENT_VARIABLES or v.name.startswith("GRPC_") or v.name.lower().endswith("_proxy"))
    }


def _proxy_variables(exporter: Exporter) -> dict[str, str]:
    url = exporter.proxy.url
    return {} if url is None else {"grpc_proxy": url, "http_proxy": url, "https_proxy": url}
