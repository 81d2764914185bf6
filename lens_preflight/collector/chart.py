"""What the Helm chart of the Collector puts below the ``config`` of its values.

Source: values of the opentelemetry-collector chart, 2025 and 2026. Helm merges mappings and drops
keys whose value is null.
"""

from __future__ import annotations

from lens_preflight.documents import Mapping, Node, Scalar, read_yaml

DEFAULTS = """\
receivers:
  otlp:
    protocols:
      grpc: {endpoint: "${env:MY_POD_IP}:4317"}
      http: {endpoint: "${env:MY_POD_IP}:4318"}
  jaeger:
    protocols: {grpc: {endpoint: "${env:MY_POD_IP}:14250"}}
  zipkin: {endpoint: "${env:MY_POD_IP}:9411"}
  prometheus:
    config:
      scrape_configs:
        - {job_name: opentelemetry-collector, static_configs: [{targets: ["${env:MY_POD_IP}:8888"]}]}
processors:
  batch: {}
  memory_limiter: {check_interval: 5s, limit_percentage: 80, spike_limit_percentage: 25}
exporters:
  debug: {}
extensions:
  health_check: {endpoint: "${env:MY_POD_IP}:13133"}
service:
  extensions: [health_check]
  telemetry:
    metrics:
      readers: [{pull: {exporter: {prometheus: {host: "${env:MY_POD_IP}", port: 8888}}}}]
  pipelines:
    traces: {receivers: [otlp, jaeger, zipkin], processors: [memory_limiter, batch], exporters: [debug]}
    metrics: {receivers: [otlp, prometheus], processors: [memory_limiter, batch], exporters: [debug]}
    logs: {receivers: [otlp], processors: [memory_limiter, batch], exporters: [debug]}
"""
ORIGIN = "<defaults of the chart>"
"""The name of the file that these lines belong to."""


def over_chart(config: Node | None) -> Node | None:
    """The values of a user over the defaults of the chart."""
    (below,) = read_yaml(DEFAULTS, ORIGIN)
    return _over(below, config) if isinstance(config, Mapping) else config


def _over(below: Node, above: Node) -> Node:
    if not (isinstance(below, Mapping) and isinstance(above, Mapping)):
        return above
    entries = {key: value for key, value in below.entries.items() if not _dropped(above.entries.get(key))}
    lines = dict(below.key_lines)
    for key, value in above.entries.items():
        if key in below.entries and _dropped(value):
            continue
        entries[key] = _over(below.entries[key], value) if key in below.entries else value
        lines[key] = above.line_of(key)
    return Mapping(above.path, above.line, entries, lines)


def _dropped(node: Node | None) -> bool:
    return isinstance(node, Scalar) and node.value is None
