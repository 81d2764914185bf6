"""The verdict for node_exporter's textfile collector: Prometheus text, whole or not at all."""

from __future__ import annotations

import time
from pathlib import Path

from lens_preflight.gate import cache
from lens_preflight.gate.cache import Word
from lens_preflight.gate.classes import Class

NAME = "lens_preflight.prom"
WORDS = ("pass", "warn", "fail", "unknown")

_VERDICTS = {
    Word.PASS: "pass",
    Word.WARN: "warn",
    Word.FAIL_JOB: "fail",
    Word.FAIL_SHARED: "fail",
    Word.FAIL_HOST: "fail",
    Word.QUARANTINE: "fail",
    Word.UNKNOWN: "unknown",
}


def text(word: Word, cause: Class | None, seconds: float, obtained: float, *, tool_ok: bool = True) -> str:
    """All metrics of one verdict.

    ``seconds`` is what the refresh took, ``obtained`` the Unix time of the verdict. The age at the
    time of writing is for people; alerts use the time stamp, which a dead refresh cannot keep young.
    """
    age = max(time.time() - obtained, 0.0)
    return _text(_VERDICTS[word], cause, f"{seconds:.3f}", f"{obtained:.3f}", f"{age:.3f}", int(tool_ok))


def broken(stamp: str) -> str:
    """The metrics of a tool that did not come to an end; ``stamp`` is the time as text, or as sh."""
    return _text("unknown", None, "0", stamp, "0", 0)


def _text(verdict: str, cause: Class | None, seconds: str, obtained: str, age: str, tool_ok: int) -> str:
    lines = [
        *_metric(
            "verdict",
            "The verdict of the last refresh: 1 for the one that holds.",
            *((f'{{verdict="{word}"}}', str(int(word == verdict))) for word in WORDS),
        ),
        *_metric(
            "fault",
            "Where the cause of a failure lies: 1 for the class that holds.",
            *((f'{{class="{one.value}"}}', str(int(one is cause))) for one in Class),
        ),
        *_metric("verdict_timestamp_seconds", "When the verdict was obtained, in Unix time.", ("", obtained)),
        *_metric("verdict_age_seconds", "The age of the verdict when this was written.", ("", age)),
        *_metric("refresh_seconds", "How long the refresh took.", ("", seconds)),
        *_metric("tool_ok", "Whether the tool came to an end; at 0 the verdict is none.", ("", str(tool_ok))),
    ]
    return "\n".join(lines) + "\n"


def _metric(name: str, help: str, *samples: tuple[str, str]) -> list[str]:
    name = f"lens_preflight_{name}"
    head = [f"# HELP {name} {help}", f"# TYPE {name} gauge"]
    return head + [f"{name}{labels} {value}" for labels, value in samples]


def write(folder: str, content: str) -> None:
    """Put the metrics into the collector's folder; does nothing without one. Raises OSError."""
    if folder:
        cache.write(Path(folder) / NAME, content)
