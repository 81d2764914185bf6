"""The survey: all that the libraries say, facts that are open kept apart."""

from __future__ import annotations

from lens_preflight.core.variable import Environment, Variable
from lens_preflight.core.words import State
from lens_preflight.lens.config import LensConfig
from lens_preflight.lens.frameworks import PLAIN
from lens_preflight.lens.generations import generation
from lens_preflight.lens.survey import Survey
from lens_preflight.otel.files import AllThere
from lens_preflight.otel.view import OtelView

X = "OTEL_EXPORTER_OTLP_"


def survey(env: dict[str, str], *more: Variable) -> Survey:
    environment = Environment.of(env).over(more)
    lens = generation("0.1")
    return LensConfig(environment, PLAIN, lens).survey(OtelView(environment, lens, AllThere()))


def test_a_good_environment_is_silent() -> None:
    found = survey({f"{X}ENDPOINT": "http://c:4317"})
    assert (found.failures, found.remarks, found.losses, found.unknown) == ([], [], [], [])


def test_each_failure_is_told_once() -> None:
    found = survey({f"{X}TIMEOUT": "x", "OTEL_METRIC_EXPORT_INTERVAL": "x", "NEMO_LENS_ENABLED": "x"})
    assert [f.variable for f in found.failures] == [
        "NEMO_LENS_ENABLED",
        f"{X}TIMEOUT",
        "OTEL_METRIC_EXPORT_INTERVAL",
    ]


def test_a_failure_does_not_hide_what_else_is_odd_about_an_exporter() -> None:
    found = survey({f"{X}TIMEOUT": "x", f"{X}ENDPOINT": "http://c:4317/v1/traces", f"{X}INSECURE": "1"})
    assert {r.code for r in found.remarks} == {"path-dropped", "insecure-word"}


def test_headers_that_are_not_known_do_not_hide_a_wrong_endpoint() -> None:
    token = Variable(f"{X}HEADERS", State.UNKNOWN, reason="who submits")
    found = survey({f"{X}ENDPOINT": "http:c:4317"}, token)
    assert [signal for signal, _ in found.losses] == ["traces", "metrics"]
    assert any("HEADERS" in u.reason for u in found.unknown)


def test_signals_that_are_off_are_not_asked() -> None:
    off = {"NEMO_LENS_METRICS_ENABLED": "0", "OTEL_METRIC_EXPORT_INTERVAL": "x"}
    assert survey(off).failures == []


def test_words_about_metrics_that_are_replaced() -> None:
    found = survey({f"{X}METRICS_TEMPORALITY_PREFERENCE": "delt", "OTEL_METRIC_EXPORT_TIMEOUT": "30s"})
    assert [r.code for r in found.remarks] == ["metric-word", "metric-word"]
