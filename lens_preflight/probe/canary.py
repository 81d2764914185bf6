"""One span and one gauge, sent through the job's own endpoint settings, to be looked for afterwards.

They are built here and not by the SDK, so that no sampler can drop them. The run id is always the same,
so that canaries do not fill the list of runs; a span attribute and the value of the gauge are unlike
those of every other canary.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lens_preflight.core.data import dataclass
from lens_preflight.core.deadline import Deadline
from lens_preflight.core.variable import Environment
from lens_preflight.probe import otlp
from lens_preflight.probe.client import ClientProcess, request
from lens_preflight.probe.prober import client_variables
from lens_preflight.probe.replies import Judged, judge_grpc, judge_http

if TYPE_CHECKING:
    from lens_preflight.otel.exporter import Exporter

RUN_ID = "preflight-canary"
SPAN = "preflight.canary"
GAUGE = "preflight.canary"
MARKER = "preflight.canary.marker"
MAX_SECONDS = 15.0
"""Seconds that one signal may take to be sent."""


@dataclass(frozen=True)
class Sent:
    """One signal of a canary: ``taken`` when an OTLP server said that it took it."""

    signal: str
    taken: bool
    text: str


@dataclass(frozen=True)
class Canary:
    """A canary on its way. ``marker`` is the text of the span attribute, ``value`` that of the gauge;
    ``at`` is when it left, in Unix seconds by this host's clock.
    """

    marker: str
    value: float
    sent: tuple[Sent, ...]
    at: float

    def taken(self, signal: str) -> bool:
        """True when a server took the signal."""
        return any(s.taken for s in self.sent if s.signal == signal)

    def refusal(self, signal: str) -> str:
        """What was said instead, empty when it was taken or not sent."""
        said = [s.text for s in self.sent if s.signal == signal]
        return "" if not said or self.taken(signal) else said[0]


def send(
    exporters: Sequence[Exporter],
    env: Environment,
    resource: Mapping[str, Any],
    deadline: Deadline,
) -> Canary:
    """Send a new canary through each exporter (of traces and metrics; others are left out).

    ``resource`` holds the job's own resource attributes; the run id is replaced.
    """
    marker, value = secrets.token_hex(16), float(secrets.randbelow(1 << 40) + 1)
    at = time.time()
    client = ClientProcess(client_variables(env))
    try:
        sent = tuple(
            _send(client, one, payload(one.signal, marker, value, resource, at), deadline)
            for one in exporters
            if one.signal in ("traces", "metrics")
        )
    finally:
        client.close()
    return Canary(marker, value, sent, at)


def _send(client: ClientProcess, exporter: Exporter, body: bytes, deadline: Deadline) -> Sent:
    signal = exporter.signal
    if exporter.transport == "console":
        return Sent(signal, False, "the exporter prints to standard output and sends nothing")
    seconds = min(exporter.timeout, deadline.remaining(MAX_SECONDS))
    if seconds <= 0:
        return Sent(signal, False, "no time is left to send it")
    pending = client.send(request(exporter, seconds, body))
    answer = pending.wait(seconds + 1.0) or pending.give_up()
    if answer.code:
        judged = judge_grpc(signal, answer)
    elif answer.status is not None:
        judged = judge_http(signal, answer)
    else:
        judged = Judged("no-answer", "the endpoint gives no answer")
    taken = judged.code in ("ok", "nonstandard-success")
    return Sent(signal, taken, "a server took it" if taken else judged.text)


def payload(signal: str, marker: str, value: float, resource: Mapping[str, Any], at: float) -> bytes:
    """A serialized Export request with one span or one gauge point; ``at`` in Unix seconds."""
    message: Any = otlp.request_type(signal)()
    group = (message.resource_spans if signal == "traces" else message.resource_metrics).add()
    for key, text in {**resource, "nemo.run.id": RUN_ID}.items():
        _attribute(group.resource.attributes, key, text)
    nanoseconds = int(at * 1e9)
    if signal == "traces":
        scope = group.scope_spans.add()
        span = scope.spans.add(
            trace_id=secrets.token_bytes(16),
            span_id=secrets.token_bytes(8),
            name=SPAN,
            kind=1,
            flags=1,
            start_time_unix_nano=nanoseconds,
            end_time_unix_nano=nanoseconds + 1_000_000,
        )
        _attribute(span.attributes, MARKER, marker)
    else:
        scope = group.scope_metrics.add()
        metric = scope.metrics.add(name=GAUGE, description="Sent by lens-preflight to be found again")
        metric.gauge.data_points.add(as_double=value, time_unix_nano=nanoseconds)
    scope.scope.name = "lens-preflight"
    return bytes(message.SerializeToString())


def _attribute(attributes: Any, key: str, value: Any) -> None:
    pair = attributes.add(key=key)
    if isinstance(value, bool):
        pair.value.bool_value = value
    elif isinstance(value, int):
        pair.value.int_value = value
    else:
        pair.value.string_value = str(value)
