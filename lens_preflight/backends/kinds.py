"""The kinds of backends: what people call them, and where they usually live."""

from __future__ import annotations

import re

from lens_preflight.core.data import dataclass


@dataclass(frozen=True)
class Kind:
    """One kind. ``words`` stand in the names that people give, ``hosts`` in the addresses of vendors."""

    id: str
    words: tuple[str, ...]
    hosts: tuple[str, ...] = ()
    example: str = ""


KINDS = (
    Kind("jaeger", ("jaeger",), example="http://HOST:16686"),
    Kind(
        "prometheus",
        ("prometheus", "prom", "mimir", "thanos", "victoriametrics", "vm", "cortex"),
        example="http://HOST:9090",
    ),
    Kind("grafana", ("grafana",), (".grafana.net",), example="http://HOST:3000"),
    Kind("tempo", ("tempo",), example="http://HOST:3200"),
    Kind("elasticsearch", ("elasticsearch", "opensearch", "elastic", "es"), example="http://HOST:9200/INDEX"),
    Kind("kibana", ("kibana",), example="http://HOST:5601"),
    Kind("honeycomb", ("honeycomb",), (".honeycomb.io",), example="https://api.honeycomb.io"),
    Kind(
        "datadog",
        ("datadog", "dd"),
        (".datadoghq.com", ".datadoghq.eu", ".ddog-gov.com"),
        example="https://api.datadoghq.com",
    ),
    Kind("weave", ("weave", "wandb"), (".wandb.ai", ".wandb.io"), "https://trace.wandb.ai/ENTITY/PROJECT"),
    Kind("collector", ("collector", "otelcol"), example="http://HOST:8888"),
)


def kind_of(name: str, host: str) -> Kind | None:
    """The kind that a name says (``jaeger``, ``prod-jaeger``, ``jaeger2``), else the host; None otherwise."""
    parts = [part.rstrip("0123456789") for part in re.split(r"[^a-z0-9]+", name.lower())]
    for kind in KINDS:
        if any(part in kind.words for part in parts):
            return kind
    for kind in KINDS:
        if any(f".{host.lower()}".endswith(end) for end in kind.hosts):
            return kind
    return None
