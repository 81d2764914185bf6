"""What becomes of training metrics between the collector's exporter and Prometheus' store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lens_preflight.core.data import dataclass
from lens_preflight.core.errors import Undecided
from lens_preflight.core.finding import Location
from lens_preflight.dashboards.relabel import relabelled
from lens_preflight.dashboards.rules import RuleFile, ScrapeJob

RUNS = ("run-1", "f3c7", "llama3-8b_2026.11.30", "1234567")
USUAL_PORT = "8889"
"""That of the collector's prometheus exporter in its documentation."""


@dataclass(frozen=True)
class Loss:
    """A metric that a scrape job loses, or whose run id it takes: what happens, and where."""

    metric: str
    what: str
    at: Location


def losses(metrics: Iterable[str], files: Iterable[RuleFile], ports: Iterable[str] = ()) -> Iterator[Loss]:
    """The metrics that no job stores with their run id; ``ports`` are those of the exporters.

    Raises:
        Undecided: which job brings the metrics cannot be told, or what it does with them.
    """
    jobs = [job for file in files for job in file.scrapes or ()]
    if not any(job.relabels or job.labels for job in jobs):
        return
    known = tuple(f":{port}" for port in ports) or (f":{USUAL_PORT}",)
    sure = [job for job in jobs if any(target.endswith(known) for target in job.targets)]
    for metric in metrics:
        found = [_through(job, metric) for job in sure or jobs]
        lost = [loss for loss in found if loss is not None]
        if len(lost) < len(found) or not lost:
            continue
        if not sure or any(job.discovers and _through(job, metric) is None for job in jobs):
            what = f"which scrape job brings {metric} cannot be told; one of them changes it"
            raise Undecided(what, lost[0].at)
        yield lost[0]


def unscraped(files: Iterable[RuleFile], ports: Iterable[str]) -> Iterator[tuple[Location, str]]:
    """The ports of exporters that no job asks, when all targets of all jobs are known."""
    jobs = [job for file in files for job in file.scrapes or ()]
    if not jobs or any(job.discovers for job in jobs):
        return
    asked = [target for job in jobs for target in job.targets]
    missing = [port for port in ports if not any(target.endswith(f":{port}") for target in asked)]
    yield from ((jobs[0].at, port) for port in missing)


def _through(job: ScrapeJob, metric: str) -> Loss | None:
    """What the job does to the metric of every run; None when it lets one pass."""
    found = [_of_run(job, metric, run) for run in RUNS]
    return found[0] if None not in found else None


def _of_run(job: ScrapeJob, metric: str, run: str) -> Loss | None:
    labels = {"__name__": metric, "nemo_run_id": run}
    target = {"job": job.name, "instance": next(iter(job.targets), "target:8889"), **dict(job.labels)}
    if not job.honours:
        labels = {f"exported_{name}" if name in target else name: value for name, value in labels.items()}
    stored, entry = relabelled(job.relabels, {**target, **labels})
    if stored is None:
        return Loss(metric, "is dropped", entry.at if entry is not None else job.at)
    if stored.get("__name__") != metric:
        return Loss(metric, f"is renamed to {stored.get('__name__', 'nothing')}", job.at)
    if stored.get("nemo_run_id") != run:
        return Loss(metric, "loses its nemo_run_id", job.at)
    return None
