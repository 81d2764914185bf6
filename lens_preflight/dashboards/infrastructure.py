"""Metrics of the infrastructure, told by how their names begin."""

from __future__ import annotations

EXEMPT = (
    "dcgm_",
    "nvidia_",
    "gpu_",
    "node_",
    "system_",
    "otelcol_",
    "process_",
    "go_",
    "container_",
    "kube_",
    "machine_",
    "slurm_",
    "prometheus_",
    "scrape_",
    "alertmanager_",
    "grafana_",
    "jaeger_",
    "tempo_",
    "loki_",
    "up",
)
"""What metrics of the infrastructure begin with; their exporters know nothing of runs."""


def exempt(metric: str) -> bool:
    """Whether a metric belongs to the infrastructure."""
    name = metric.lower()
    return any(name == prefix or (prefix.endswith("_") and name.startswith(prefix)) for prefix in EXEMPT)
