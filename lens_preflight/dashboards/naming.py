"""Metric names on their way from OpenTelemetry to Prometheus and other stores.

The rules are those of ``prometheus/otlptranslator`` (July 2026), which the Collector's Prometheus
exporters and Prometheus' own OTLP receiver share.
"""

from __future__ import annotations

import enum
import re
from functools import lru_cache

_UNITS = {
    "d": "days", "h": "hours", "min": "minutes", "s": "seconds", "ms": "milliseconds",
    "us": "microseconds", "ns": "nanoseconds", "By": "bytes", "KiBy": "kibibytes", "MiBy": "mebibytes",
    "GiBy": "gibibytes", "TiBy": "tibibytes", "KBy": "kilobytes", "MBy": "megabytes", "GBy": "gigabytes",
    "TBy": "terabytes", "m": "meters", "V": "volts", "A": "amperes", "J": "joules", "W": "watts",
    "g": "grams", "Cel": "celsius", "Hz": "hertz", "1": "", "%": "percent",
}  # fmt: skip
_PER = {"s": "second", "m": "minute", "h": "hour", "d": "day", "w": "week", "mo": "month", "y": "year"}
_TAIL = re.compile(
    r"_(bucket|sum|count|total|ratio|milliseconds|seconds|per_second|created|info|avg|p[0-9]{1,3}|max|min)$"
)


class Strategy(enum.Enum):
    """How a store spells names: the values of Prometheus' ``translation_strategy``."""

    SUFFIXES = "UnderscoreEscapingWithSuffixes"
    NO_SUFFIXES = "UnderscoreEscapingWithoutSuffixes"
    UTF8_SUFFIXES = "NoUTF8EscapingWithSuffixes"
    UNTOUCHED = "NoTranslation"


def prometheus_name(
    name: str,
    unit: str = "",
    kind: str = "gauge",
    strategy: Strategy = Strategy.SUFFIXES,
    namespace: str = "",
) -> str:
    """The family name of an instrument, without ``_bucket``, ``_sum`` and ``_count``.

    ``kind`` is gauge, counter, histogram or updown; ``unit`` as given to the instrument (UCUM).
    """
    if strategy in (Strategy.UTF8_SUFFIXES, Strategy.UNTOUCHED):
        prefix = f"{namespace}_" if namespace else ""
        return prefix + (_dotted(name, unit, kind) if strategy is Strategy.UTF8_SUFFIXES else name)
    if strategy is Strategy.NO_SUFFIXES:
        plain = "_".join(part for part in re.split(r"[^A-Za-z0-9_:]+", name) if part)
        return f"{namespace}_{plain}" if namespace else _no_leading_digit(plain)
    tokens = [token for token in re.split(r"[^A-Za-z0-9:]+", name) if token]
    main, per = (_clean(part) for part in _unit_words(unit))
    per = "" if per == "per_" else per.rstrip("_")
    main = "" if main in tokens else main
    per = "" if per in tokens else per
    tokens += [word for word in (main.rstrip("_") if per else main, per) if word]
    if kind == "counter":
        tokens = [token for token in tokens if token != "total"] + ["total"]
    if unit == "1" and kind == "gauge":
        tokens = [token for token in tokens if token != "ratio"] + ["ratio"]
    return _no_leading_digit("_".join([namespace, *tokens] if namespace else tokens))


def _dotted(name: str, unit: str, kind: str) -> str:
    """The name with its dots, and the suffixes appended."""
    main, per = _unit_words(unit)
    ends = []
    if unit == "1" and kind == "gauge":
        name = re.sub(r".ratio$", "", name)
        ends = ["ratio"]
    if kind == "counter":
        name = re.sub(r".total$", "", name)
        ends = ["total", *ends]
    if per:
        name = re.sub(rf".{re.escape(per)}$", "", name)
        ends = [per, *ends]
    if main and not name.endswith(main):
        name += f"_{main}"
    return "_".join([name, *ends])


def _unit_words(unit: str) -> tuple[str, str]:
    """The words of a unit before and behind its slash; text in braces is no unit."""
    main, _, per = (part.strip() for part in unit.partition("/"))
    first = "" if not main or set(main) & set("{}") else _UNITS.get(main, main)
    second = "" if not per or set(per) & set("{}") else "per_" + _PER.get(per, per)
    return first, second


def _clean(word: str) -> str:
    return re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9:]", "_", word)).lstrip("_")


def _no_leading_digit(name: str) -> str:
    return f"_{name}" if name[:1].isdigit() else name


@lru_cache(maxsize=4096)
def stem(name: str) -> str:
    """What all spellings of one metric have in common: lower case, underscores, no suffixes."""
    flat = re.sub(r"_+", "_", re.sub(r"[^a-z0-9]", "_", name.lower())).strip("_")
    while True:
        shorter = _TAIL.sub("", flat)
        if shorter == flat or not shorter:
            return flat
        flat = shorter


def part(name: str) -> str:
    """Which part of a histogram a series is: bucket, sum, count, or empty."""
    for ending in ("bucket", "sum", "count"):
        if name.endswith((f"_{ending}", f".{ending}")):
            return ending
    return ""
