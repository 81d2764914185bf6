"""backup-sink: distinct places, not exporters."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.backup_sink import backup_sink
from lens_preflight.core.words import Status
from tests.checks.asking import Answer, Asked, ask
from tests.collector.configs import GOOD, edited, read

ONE = "[otlphttp/second]"
SINGLE = GOOD.replace("[otlp/store, otlphttp/second]", ONE).replace("[prometheus, otlphttp/second]", ONE)


def say(folder: Path, text: str) -> Answer:
    """What the check says of a configuration."""
    return ask(backup_sink, Asked(collector=read(folder, text)))


def test_two_places_for_each_signal(tmp_path: Path) -> None:
    answer = say(tmp_path, GOOD)
    assert (answer.status, answer.rules(), answer.reason) == (Status.PASS, set(), "3 distinct sinks")


def test_a_signal_with_one_place_is_a_note(tmp_path: Path) -> None:
    answer = say(tmp_path, edited("[otlp/store, otlphttp/second]", ONE))
    assert (answer.status, answer.rules()) == (Status.PASS, {"one-sink-for-signal"})


def test_one_place_for_everything_warns_at_the_exporter(tmp_path: Path) -> None:
    answer = say(tmp_path, SINGLE)
    finding = answer.one("one-sink")
    assert (
        answer.status is Status.WARN
        and finding.at.line == SINGLE[: SINGLE.index("  otlphttp/second:")].count("\n") + 1
    )


@pytest.mark.parametrize(
    "second",
    [
        "debug: {}",
        "nop: {}",
        "otlp/again: {endpoint: second.example.invalid:4317}",
        ("otlphttp/b: {endpoint: 'https://second.example.invalid:4318'}"),
    ],
)
def test_what_is_no_second_place(tmp_path: Path, second: str) -> None:
    name = second.partition(":")[0]
    text = edited(("exporters:\n"), f"exporters:\n  {second}\n", SINGLE).replace(
        ONE, f"[otlphttp/second, {name}]"
    )
    assert say(tmp_path, text).status is Status.WARN


def test_files_are_one_disk(tmp_path: Path) -> None:
    text = edited("exporters:\n", "exporters:\n  file/a: {path: /a}\n  file/b: {path: /b}\n", SINGLE)
    assert say(tmp_path, text.replace(ONE, "[file/a, file/b]")).status is Status.WARN


def test_places_behind_a_connector_count(tmp_path: Path) -> None:
    text = edited("exporters: [otlphttp/second]", "exporters: [forward]", SINGLE)
    text += (
        "    traces/b: {receivers: [forward], exporters: [otlp/store, otlphttp/second]}\nconnectors: "
        "{forward: }\n"
    )
    assert say(tmp_path, text).status is Status.PASS


def test_a_file_that_cannot_be_read_is_anothers_business(tmp_path: Path) -> None:
    assert say(tmp_path, "a: [").status is Status.SKIP
