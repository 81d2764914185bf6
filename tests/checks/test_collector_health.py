"""Two scrapes of a collector, and what they say."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lens_preflight.backends.telemetry import Telemetry
from lens_preflight.checks.collector_health import collector_health
from lens_preflight.core.outcome import Outcome
from lens_preflight.core.words import Status
from tests.backends.replay import Canned, replayed
from tests.making import outcome, rules

ENV = {"NEMO_LENS_ENABLED": "1"}


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """The two scrapes follow each other at once."""
    twice = Telemetry.twice
    monkeypatch.setattr(Telemetry, "twice", lambda self, _: twice(self, 0.0))


def page(**numbers: float) -> str:
    """An exposition with one exporter and one receiver; zero where nothing is said."""
    values = {
        "receiver_accepted_spans": 100,
        "receiver_refused_spans": 0,
        "exporter_sent_spans": 100,
        "exporter_send_failed_spans": 0,
        "exporter_enqueue_failed_spans": 0,
        "exporter_queue_size": 0,
        "exporter_queue_capacity": 1000,
    } | numbers
    lines = []
    for name, value in values.items():
        who = 'receiver="otlp"' if name.startswith("receiver") else 'exporter="otlp/jaeger"'
        kind = ',data_type="traces"' if "queue" in name else ""
        lines.append(f"otelcol_{name}{{{who}{kind}}} {value:g}")
    return "\n".join(lines) + "\n"


def looked(first: str, second: str | None = None) -> Outcome:
    pages: Iterator[str] = iter([first, second or first])
    answers = {"GET /metrics": lambda _: Canned(next(pages).encode(), type="text/plain")}
    with replayed("collector", answers, now=None) as server:  # type: ignore[arg-type]
        return outcome(
            collector_health, ENV, offline=False, lens="0.1", backends={"collector": f"{server.url}/metrics"}
        )


def test_room_in_the_queues_and_no_failure_passes() -> None:
    assert looked(page(), page(exporter_sent_spans=120)).status is Status.PASS


@pytest.mark.parametrize(
    ("first", "second", "rule"),
    [
        ({}, {"exporter_queue_size": 800}, "queue-saturated"),
        ({}, {"exporter_enqueue_failed_spans": 1}, "losing"),
        ({"exporter_enqueue_failed_spans": 4}, {"exporter_enqueue_failed_spans": 4}, "losing"),
        ({}, {"exporter_send_failed_spans": 3}, "failing"),
        ({}, {"receiver_refused_spans": 3}, "refusing"),
    ],
)
def test_trouble_is_named(first: dict[str, float], second: dict[str, float], rule: str) -> None:
    said = looked(page(**first), page(**second))
    assert (said.status, rules(said)) == (Status.FAIL, [rule])
    assert "otlp" in said.findings[0].finding.message


def test_an_exporter_that_never_sent_is_named() -> None:
    waiting = page(exporter_sent_spans=0, exporter_queue_size=5)
    assert rules(looked(waiting, waiting)) == ["not-sending"]


@pytest.mark.parametrize("name", ["exporter_send_failed_spans", "receiver_refused_spans"])
def test_old_failures_are_a_caution(name: str) -> None:
    before = page(**{name: 3})
    said = looked(before, before)
    assert (said.status, rules(said)) == (Status.WARN, ["failed-before"])


def test_an_exporter_that_gave_up_everything_is_named() -> None:
    dead = page(exporter_sent_spans=0, exporter_send_failed_spans=100)
    assert rules(looked(dead, dead)) == ["not-sending", "failed-before"]


def test_a_restart_between_the_scrapes_is_no_failure() -> None:
    before, after = page(exporter_send_failed_spans=30), page(exporter_send_failed_spans=0)
    assert looked(before, after).status is Status.PASS


def test_a_named_page_that_is_none_is_a_caution() -> None:
    said = looked("up 1\n")
    assert rules(said) == ["no-page"]


def test_a_guessed_page_that_is_not_there_is_no_fault() -> None:
    env = {**ENV, "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.2:4317"}
    assert outcome(collector_health, env, offline=False, lens="0.1").status is Status.SKIP
