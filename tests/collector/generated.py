"""Collector configurations of any size, for tests and for measuring."""

from __future__ import annotations

from tests.collector.configs import GOOD

_EXPORTER = """\
  otlp/tenant{n}:
    endpoint: tenant{n}.example.invalid:4317
    tls: {{ca_file: /etc/ca.pem}}
    headers:
      authorization: ${{env:TENANT_{n}_TOKEN}}
    sending_queue:
      queue_size: 2000
      storage: file_storage/q
    retry_on_failure:
      max_elapsed_time: 0
"""
_FILTER = """\
  filter/tenant{n}:
    error_mode: ignore
    traces:
      span:
        - 'resource.attributes["tenant"] != "tenant{n}"'
"""
_PIPELINE = """\
    traces/tenant{n}:
      receivers: [otlp]
      processors: [memory_limiter, filter/tenant{n}, batch]
      exporters: [otlp/tenant{n}, otlphttp/second]
"""
LINES_PER_TENANT = sum(part.count("\n") for part in (_EXPORTER, _FILTER, _PIPELINE))


def collector(lines: int) -> str:
    """A sound configuration of about so many lines: one pipeline, filter and exporter per tenant."""
    tenants = range(max(1, (lines - GOOD.count("\n")) // LINES_PER_TENANT))
    text = GOOD.replace("exporters:\n", "exporters:\n" + "".join(_EXPORTER.format(n=n) for n in tenants), 1)
    text = text.replace("processors:\n", "processors:\n" + "".join(_FILTER.format(n=n) for n in tenants), 1)
    return text + "".join(_PIPELINE.format(n=n) for n in tenants)
