"""Whether Prometheus stores the collector's own metrics, as collector-alerts judges it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks import collector_alerts_rules as rules
from lens_preflight.core.finding import Finding, Location

if TYPE_CHECKING:
    from lens_preflight.collector.model import CollectorConfig
    from lens_preflight.dashboards.rules import RuleFile, ScrapeJob

USUAL_PORT = "8888"
NEEDED = (
    ("otelcol_exporter_send_failed_spans", "otelcol_exporter_send_failed_spans_total"),
    ("otelcol_exporter_queue_size",),
)
"""Metrics in the spellings of all versions: of each one must be stored."""


def own_ports(config: CollectorConfig | None) -> tuple[str, ...]:
    """The ports on which a collector serves its own metrics; empty when it serves none, or at an unknown one."""
    if config is None or config.failure is not None or config.root is None:
        return (USUAL_PORT,)
    metrics = config.root.get("service", "telemetry", "metrics")
    if metrics is None or (metrics.get("readers") is None and metrics.get("address") is None):
        return () if metrics is not None and metrics.text("level") == "none" else (USUAL_PORT,)
    pulled = [r.text("pull", "exporter", "prometheus", "port") for r in metrics.children("readers")]
    old = (metrics.text("address") or "").rpartition(":")[2]
    return tuple(dict.fromkeys(port for port in (*pulled, old) if port and port.isdecimal()))


def scraped(files: Iterable[RuleFile], config: CollectorConfig | None) -> Iterator[Finding]:
    """What a configuration of Prometheus among the files does for the alerts.

    Raises:
        Undecided: what a scrape job drops cannot be told.
    """
    from lens_preflight.dashboards.scraping import dropped, endpoints

    seen = [file for file in files if file.scrapes is not None]
    jobs = [job for file in seen for job in file.scrapes or ()]
    ports = own_ports(config)
    if not seen or not ports or any(job.discovers for job in jobs):
        return
    asking = [job for job in jobs if any(e.serves(port) for e in endpoints(job) for port in ports)]
    if not asking:
        yield Finding(
            rules.NOT_SCRAPED,
            f"no scrape job asks the collector's port {' or '.join(ports)}",
            jobs[0].at if jobs else Location.file(seen[0].path, 1),
            remedy=f"add: - {{job_name: otelcol, static_configs: [{{targets: ['otel-collector:{ports[0]}']}}]}}",
        )
        return
    for names in NEEDED:
        if all(dropped(job, name) for job in asking for name in names):
            yield _lost(asking[0], names[0])


def _lost(job: ScrapeJob, name: str) -> Finding:
    return Finding(
        rules.DROPPED,
        f"{name} is dropped by the scrape job {job.name}",
        job.at,
        remedy="leave otelcol_exporter_.* alone in metric_relabel_configs",
    )
