"""Small collector configurations for tests."""

from __future__ import annotations

import textwrap
from pathlib import Path

from lens_preflight.collector import read_collector
from lens_preflight.collector.model import CollectorConfig

GOOD = """\
receivers:
  otlp:
    protocols:
      grpc: {endpoint: 0.0.0.0:4317, max_recv_msg_size_mib: 16}
      http: {endpoint: 0.0.0.0:4318}
processors:
  memory_limiter: {check_interval: 1s, limit_mib: 2000, spike_limit_mib: 400}
  batch: {send_batch_size: 512, send_batch_max_size: 1024, timeout: 2s}
exporters:
  otlp/store:
    endpoint: store.example.invalid:4317
    tls: {ca_file: /etc/ca.pem}
    sending_queue: {queue_size: 2000, storage: file_storage/q}
    retry_on_failure: {max_elapsed_time: 0}
  otlphttp/second:
    endpoint: https://second.example.invalid
    sending_queue: {queue_size: 2000, storage: file_storage/q}
    retry_on_failure: {max_elapsed_time: 0}
  prometheus:
    endpoint: 0.0.0.0:8889
    resource_to_telemetry_conversion: {enabled: true}
extensions:
  health_check: {endpoint: 0.0.0.0:13133}
  file_storage/q: {directory: /var/lib/otelcol/q}
service:
  extensions: [health_check, file_storage/q]
  telemetry:
    metrics:
      level: normal
      readers: [{pull: {exporter: {prometheus: {host: 0.0.0.0, port: 8888}}}}]
  pipelines:
    traces:
      receivers: [otlp]
      processors: [memory_limiter, batch]
      exporters: [otlp/store, otlphttp/second]
    metrics:
      receivers: [otlp]
      processors: [memory_limiter, batch]
      exporters: [prometheus, otlphttp/second]
"""


def read(folder: Path, *texts: str) -> CollectorConfig:
    """The configuration that some texts make together."""
    paths = []
    for number, text in enumerate(texts):
        path = folder / f"c{number}.yaml"
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        paths.append(path)
    return read_collector(paths)


def edited(old: str, new: str, text: str = GOOD) -> str:
    """The good configuration with one text replaced, which must be there."""
    assert old in text
    return text.replace(old, new, 1)


def processor(name: str, body: str, signal: str = "traces", text: str = GOOD) -> str:
    """The good configuration with one more processor behind the limiter of a signal's pipeline."""
    text = edited("processors:\n", f"processors:\n  {name}: {body}\n", text)
    head, _, tail = text.rpartition(f"    {signal}:\n")
    return (
        head
        + f"    {signal}:\n"
        + tail.replace("[memory_limiter, batch]", f"[memory_limiter, {name}, batch]", 1)
    )
