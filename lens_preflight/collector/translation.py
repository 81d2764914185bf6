"""How the Prometheus exporters of a configuration spell metric names."""

from __future__ import annotations

from lens_preflight.collector.model import CollectorConfig
from lens_preflight.core.data import dataclass


@dataclass(frozen=True)
class Translation:
    """One exporter: ``strategy`` in the words of Prometheus, and the namespace it puts in front."""

    exporter: str
    strategy: str
    namespace: str


def translations(config: CollectorConfig) -> tuple[Translation, ...]:
    """Those of the exporters that metrics of an OTLP receiver reach."""
    used = {route.end.id for route in config.routes if route.pipelines[-1].signal == "metrics"}
    found = []
    for identity, component in config.of("exporters").items():
        if identity in used and component.type in ("prometheus", "prometheusremotewrite"):
            strategy = component.text("translation_strategy") or "UnderscoreEscapingWithSuffixes"
            if component.flag("add_metric_suffixes") is False:
                strategy = "UnderscoreEscapingWithoutSuffixes"
            found.append(Translation(identity, strategy, component.text("namespace") or ""))
    return tuple(found)
