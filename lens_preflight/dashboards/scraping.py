"""What becomes of training metrics between the collector's exporter and Prometheus' store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from lens_preflight.core.data import dataclass
from lens_preflight.core.errors import Undecided
from lens_preflight.core.finding import Location
from lens_preflight.dashboards.firing import seconds
from lens_preflight.dashboards.relabel import relabelled
from lens_preflight.dashboards.rules import RuleFile, ScrapeJob

RUNS = ("run-1", "f3c7", "llama3-8b_2026.11.30", "1234567")
USUAL_PORT = "8889"
"""That of the collector's prometheus exporter in its documentation."""

LOOKBACK = 300.0
"""Seconds for which Prometheus shows the last sample, unless a flag says otherwise."""


@dataclass(frozen=True)
class Endpoint:
    """One target of a job as it is asked, behind ``relabel_configs``."""

    address: str
    scheme: str
    path: str
    labels: tuple[tuple[str, str], ...] = ()

    def serves(self, port: str) -> bool:
        """Whether it asks this port."""
        return self.address.endswith(f":{port}")


@dataclass(frozen=True)
class Loss:
    """A metric that a scrape job loses, or whose run id it takes: what happens, and where."""

    metric: str
    what: str
    at: Location


@lru_cache(maxsize=64)
def endpoints(job: ScrapeJob) -> tuple[Endpoint, ...]:
    """The targets of a job that are written down and kept.

    Raises:
        Undecided: a pattern cannot be tried, so that nobody knows.
    """
    found = []
    for target in job.targets:
        written = {"__address__": target, "__scheme__": job.scheme, "__metrics_path__": job.path}
        labels = {**written, "job": job.name, **dict(job.labels)}
        behind, _ = relabelled(job.before, labels)
        if behind is not None and behind.get("__address__"):
            own = tuple((name, value) for name, value in behind.items() if not name.startswith("__"))
            scheme, path = behind.get("__scheme__", ""), behind.get("__metrics_path__", "")
            found.append(Endpoint(behind["__address__"], scheme, path, own))
    return tuple(found)


def losses(
    metrics: Iterable[str],
    files: Iterable[RuleFile],
    ports: Iterable[str] = (),
    asked: Mapping[str, frozenset[str]] | None = None,
) -> Iterator[Loss]:
    """The metrics that no job stores with their run id; ``ports`` are those of the exporters.

    ``asked`` are further labels that the panels need of a metric.

    Raises:
        Undecided: which job brings the metrics cannot be told, or what it does with them.
    """
    names = list(metrics)
    jobs = [job for file in files for job in file.scrapes or ()]
    if not any(job.relabels or job.labels or job.limits for job in jobs):
        return
    known = tuple(ports) or (USUAL_PORT,)
    sure = [job for job in jobs if _asks(job, known)]
    for metric in names:
        labels = (asked or {}).get(metric, frozenset())
        found = [_through(job, metric, labels, len(names)) for job in sure or jobs]
        lost = [loss for loss in found if loss is not None]
        if len(lost) < len(found) or not lost:
            continue
        passes = (_through(job, metric, labels, len(names)) is None for job in jobs if job.discovers)
        if not sure or any(passes):
            what = f"which scrape job brings {metric} cannot be told; one of them changes it"
            raise Undecided(what, lost[0].at)
        yield lost[0]


def _asks(job: ScrapeJob, ports: Iterable[str]) -> bool:
    return any(endpoint.serves(port) for endpoint in endpoints(job) for port in ports)


def unscraped(
    files: Iterable[RuleFile], ports: Iterable[str], encrypted: Iterable[str] = ()
) -> Iterator[tuple[Location, str, str]]:
    """The ports of exporters that no job asks, when all targets of all jobs are known, and why.

    ``encrypted`` are those of the ports that speak TLS. The port is empty when no target at all is left.
    """
    jobs = [job for file in files for job in file.scrapes or ()]
    if not jobs or any(job.discovers for job in jobs):
        return
    known = list(ports)
    left = [(job, endpoint) for job in jobs for endpoint in endpoints(job)]
    if not left and any(job.targets for job in jobs):
        yield jobs[0].at, "", "relabel_configs drop every target of every scrape job"
        return
    for port in known:
        asking = [(job, endpoint) for job, endpoint in left if endpoint.serves(port)]
        scheme = "https" if port in set(encrypted) else "http"
        if not asking:
            yield jobs[0].at, port, f"no scrape job asks port {port} of the collector's prometheus exporter"
        elif all(e.path != "/metrics" for _, e in asking):
            path = asking[0][1].path
            yield asking[0][0].at, port, f"port {port} is asked for {path}; the exporter serves /metrics only"
        elif all(e.scheme != scheme for _, e in asking):
            yield asking[0][0].at, port, f"port {port} is asked by another scheme than {scheme}"


def rare(files: Iterable[RuleFile], ports: Iterable[str]) -> Iterator[tuple[ScrapeJob, float]]:
    """Jobs that bring the metrics of exporters more seldom than Prometheus shows a sample, and the seconds."""
    known = tuple(ports) or (USUAL_PORT,)
    asking = [job for file in files for job in file.scrapes or () if _asks(job, known)]
    lengths = [seconds(job.interval) or 0.0 for job in asking]
    if asking and min(lengths) > LOOKBACK:
        yield asking[0], min(lengths)


def dropped(job: ScrapeJob, metric: str) -> bool:
    """Whether a job stores no series of a metric, whatever its labels.

    Raises:
        Undecided: a pattern cannot be tried.
    """
    labels = dict(next((e.labels for e in endpoints(job)), ()))
    stored, _ = relabelled(job.relabels, {**labels, "__name__": metric})
    return stored is None or stored.get("__name__") != metric


def _through(job: ScrapeJob, metric: str, asked: frozenset[str], samples: int) -> Loss | None:
    """What the job does to the metric of every run; None when it lets one pass."""
    limit = dict(job.limits).get("sample_limit", 0)
    if 0 < limit < samples:
        return Loss(
            metric, f"is not stored: sample_limit is {limit}, and the panels ask {samples} series", job.at
        )
    found = [_of_run(job, metric, run, asked) for run in RUNS]
    return found[0] if None not in found else None


def _of_run(job: ScrapeJob, metric: str, run: str, asked: frozenset[str]) -> Loss | None:
    labels = {**dict.fromkeys(sorted(asked), "x"), "__name__": metric, "nemo_run_id": run}
    if metric.endswith("_bucket"):
        labels["le"] = "+Inf"
    kept = next(iter(endpoints(job)), None)
    target = {"job": job.name, "instance": kept.address if kept else "target:8889", **dict(job.labels)}
    target |= dict(kept.labels) if kept else {}
    if not job.honours:
        labels = {f"exported_{name}" if name in target else name: value for name, value in labels.items()}
    stored, entry = relabelled(job.relabels, {**target, **labels})
    if stored is None:
        return Loss(metric, "is dropped", entry.at if entry is not None else job.at)
    if stored.get("__name__") != metric:
        return Loss(metric, f"is renamed to {stored.get('__name__', 'nothing')}", job.at)
    if stored.get("nemo_run_id") != run:
        return Loss(metric, "loses its nemo_run_id", job.at)
    gone = next((name for name in sorted({*asked, *(labels.keys() & {"le"})}) if name not in stored), None)
    if gone is not None:
        return Loss(metric, f"loses its {gone}", job.at)
    return _beyond(job, metric, stored)


def _beyond(job: ScrapeJob, metric: str, stored: Mapping[str, str]) -> Loss | None:
    """Limits beyond which Prometheus refuses all that a target gives."""
    sizes = {
        "label_limit": len(stored),
        "label_name_length_limit": max(len(name) for name in stored),
        "label_value_length_limit": len(metric),
    }
    for name, limit in job.limits:
        if 0 < limit < sizes.get(name, 0):
            return Loss(
                metric, f"is not stored: {name} is {limit}, and its series need {sizes[name]}", job.at
            )
    return None
