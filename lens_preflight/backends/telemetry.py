"""A collector's own metrics and health: one scrape, two scrapes apart, and what they say.

Sources: contrib 0.135 run with default and explicit readers; change log up to 0.159. Names differ by
version and by reader (``_total``, unit suffixes, ``__spans__``), so everything is matched by its stem.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from lens_preflight.backends.answers import object_of, path_in, refuse
from lens_preflight.backends.http import Client, Reply
from lens_preflight.backends.words import Answered, Reading, Step, Word
from lens_preflight.core.data import dataclass, field

SATURATED = 0.8
"""The share of a queue from which on a short outage loses data."""

_SAMPLE = re.compile(
    r"(?P<name>[a-zA-Z_:][a-zA-Z0-9_:{}]*?)"
    r"""(?:\{(?P<labels>[a-zA-Z_][\w.]*=".*)\})?\s+"""
    r"(?P<value>\S+)(?:\s+-?\d+)?"
)
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_.]*)="((?:[^"\\]|\\.)*)"')
_SUFFIX = re.compile(r"(?:__[a-z]+_|_\{[a-z_]+\})?(?:_+(?:total|ratio|bytes|seconds_total|seconds))?")
_STEM = re.compile(
    r"otelcol_(receiver_(?:accepted|refused|failed)|exporter_(?:sent|send_failed|enqueue_failed)"
    r"|processor_(?:memory_limiter_)?refused)_(spans|metric_points|log_records)"
    r"|otelcol_exporter_queue_(size|capacity)"
)


@dataclass(frozen=True)
class Scrape:
    """The counters and gauges of one moment: (stem, component, signal) to a number.

    Stems: ``receiver_accepted``, ``receiver_refused``, ``receiver_failed``, ``exporter_sent``,
    ``exporter_send_failed``, ``exporter_enqueue_failed``, ``processor_refused``, ``queue_size``,
    ``queue_capacity``. ``at`` is the collector's clock, in Unix seconds.
    """

    values: Mapping[tuple[str, str, str], float]
    at: float = 0.0

    def of(self, stem: str) -> dict[tuple[str, str], float]:
        """Component and signal to the number, for one stem."""
        return {key[1:]: value for key, value in self.values.items() if key[0] == stem}


@dataclass(frozen=True)
class Trouble:
    """One thing that a collector's numbers say against it.

    ``kind``: queue-saturated, losing, refusing, failing, failed-before, or not-sending.
    """

    kind: str
    component: str
    signal: str
    evidence: Mapping[str, str] = field(default_factory=dict, hash=False)


class Telemetry:
    """The metrics page of one collector, usually port 8888. ``given``: somebody named it."""

    def __init__(self, name: str, client: Client, *, given: bool = True) -> None:
        self.name = name
        self.client = client
        self.given = given

    def scrape(self) -> Scrape:
        """One look; raises Answered when there is no such page."""
        reply = self.client.get("/metrics")
        refuse(reply)
        values = parse(reply.text)
        if not values:
            raise Answered(
                Word.NOT_THE_BACKEND,
                "the page holds no metric of a collector's receivers and exporters",
                "give the internal telemetry of the collector: --backend collector=http://HOST:8888",
                status=reply.status,
            )
        return Scrape(values, self.client.now())

    def twice(self, apart: float) -> tuple[Scrape, Scrape]:
        """Two looks, ``apart`` seconds from one another, less when the deadline is near."""
        first = self.scrape()
        self.client.wait(min(apart, self.client.deadline.remaining() / 3.0))
        return first, self.scrape()

    def look(self, apart: float) -> tuple[Reading, tuple[Trouble, ...]]:
        """Two looks as a reading, with the troubles that they show; never an exception."""
        try:
            found = troubles(*self.twice(apart))
        except Answered as answered:
            return answered.reading(Step.REACH), ()
        return judged(found), found


class Health:
    """The ``health_check`` extension of a collector, usually port 13133."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def reading(self) -> Reading:
        """Pipelines are running; says nothing about queues and exporters."""
        reply = self.client.get("/")
        said = "" if reply.status not in (200, 500, 503) else str(path_in(_loose(reply), "status") or "")
        if said and (reply.status != 200 or "error" in said.lower() or "not available" in said.lower()):
            text = "the collector runs, and its pipelines do not"
            return Reading(Step.REACH, Word.UNHEALTHY, text, "look into the log of the collector")
        object_of(reply, "status")
        return Reading(Step.REACH, Word.OK, "the pipelines of the collector run")


def _loose(reply: Reply) -> object:
    try:
        return reply.json()
    except Answered:
        return None


def parse(text: str) -> dict[tuple[str, str, str], float]:
    """The numbers of an exposition that matter, by stem, component and signal; summed over transports."""
    values: dict[tuple[str, str, str], float] = {}
    for name, labels, value in _samples(text):
        match = _STEM.match(name)
        if match is None or not _SUFFIX.fullmatch(name[match.end() :]):
            continue
        stem = (match[1] or f"queue_{match[3]}").replace("_memory_limiter", "")
        component = labels.get("exporter") or labels.get("receiver") or labels.get("processor") or ""
        signal = match[2] or labels.get("data_type", "")
        key = (stem, component, signal)
        values[key] = values.get(key, 0.0) + value
    return values


def _samples(text: str) -> Iterator[tuple[str, dict[str, str], float]]:
    for line in text.splitlines():
        if not line.startswith("otelcol_"):
            continue
        match = _SAMPLE.fullmatch(line.strip())
        if match is None:
            continue
        try:
            yield match["name"], dict(_LABEL.findall(match["labels"] or "")), float(match["value"])
        except ValueError:
            continue


def troubles(first: Scrape, second: Scrape) -> tuple[Trouble, ...]:
    """What two scrapes say, worst first; a counter that went down was reset by a restart."""
    found = [*_queues(second), *_losses(first, second), *_silence(first, second)]
    order = ("losing", "queue-saturated", "not-sending", "failing", "refusing", "failed-before")
    return tuple(sorted(found, key=lambda t: (order.index(t.kind), t.component, t.signal)))


def _queues(scrape: Scrape) -> Iterator[Trouble]:
    capacities = scrape.of("queue_capacity")
    for (component, signal), size in scrape.of("queue_size").items():
        capacity = capacities.get((component, signal), 0.0)
        if capacity > 0 and size / capacity >= SATURATED:
            share = f"{size:g} of {capacity:g} ({100 * size / capacity:.0f} %)"
            yield Trouble("queue-saturated", component, signal, {"queue": share})


def _losses(first: Scrape, second: Scrape) -> Iterator[Trouble]:
    kinds = {
        "exporter_enqueue_failed": ("losing", "losing"),
        "exporter_send_failed": ("failing", "failed-before"),
        "receiver_refused": ("refusing", "failed-before"),
        "receiver_failed": ("refusing", "failed-before"),
        "processor_refused": ("refusing", "failed-before"),
    }
    for stem, (rising, standing) in kinds.items():
        before = first.of(stem)
        for key, value in second.of(stem).items():
            more = value - before.get(key, value)
            kind = rising if more > 0 else standing
            if value > 0:
                evidence = {"in all": f"{value:g}", "between the scrapes": f"{max(more, 0.0):g}"}
                yield Trouble(kind, *key, evidence)


_SIGNALS = {"traces": "spans", "metrics": "metric_points", "logs": "log_records"}


def _silence(first: Scrape, second: Scrape) -> Iterator[Trouble]:
    """Something is accepted and waits or fails, and nothing has ever been sent."""
    accepted: dict[str, float] = {}
    for (_, signal), value in second.of("receiver_accepted").items():
        accepted[signal] = accepted.get(signal, 0.0) + value
    before, sent = first.of("queue_size"), second.of("exporter_sent")
    idle: dict[tuple[str, str], str] = {}
    for (component, kind), size in second.of("queue_size").items():
        if size > 0 and before.get((component, kind), 0.0) > 0:
            idle[component, _SIGNALS.get(kind, kind)] = f"{size:g} waiting"
    for key, failed in second.of("exporter_send_failed").items():
        if failed > 0:
            idle[key] = f"{failed:g} given up"
    for (component, signal), what in idle.items():
        if not sent.get((component, signal)) and accepted.get(signal, 0.0) > 0:
            evidence = {"accepted": f"{accepted[signal]:g}", "sent": "0", "instead": what}
            yield Trouble("not-sending", component, signal, evidence)


def judged(found: tuple[Trouble, ...]) -> Reading:
    """Troubles as the reading of one step."""
    bad = [t for t in found if t.kind != "failed-before"]
    if bad:
        named = ", ".join(dict.fromkeys(f"{t.kind} ({t.component})" for t in bad))
        text = f"the collector is losing data, or about to: {named}"
        return Reading(Step.REACH, Word.UNHEALTHY, text, "look at the exporters that are named")
    if found:
        text = "queues have room and nothing fails now; something failed or was refused before"
        return Reading(Step.REACH, Word.FAILED_BEFORE, text, "look into the log of the collector")
    return Reading(Step.REACH, Word.OK, "queues have room, and nothing fails")
