"""The catalogue of variables: what is read, and what a mistyped name was meant to be."""

from __future__ import annotations

import pytest

from lens_preflight.lens.frameworks import MEGATRON, PLAIN
from lens_preflight.lens.generations import generation
from lens_preflight.lens.variables import Catalogue, Standing

CATALOGUE = Catalogue(PLAIN, generation("0.1"))


@pytest.mark.parametrize(
    ("name", "standing", "meant", "sure"),
    [
        ("NEMO_LENS_ENABLED", Standing.READ, "", False),
        ("OTEL_EXPORTER_OTLP_LOGS_CLIENT_KEY", Standing.READ, "", False),
        ("NEMO_LENS_ENABLE", Standing.UNKNOWN, "NEMO_LENS_ENABLED", True),
        ("NEMO_LENSE_ENABLED", Standing.UNKNOWN, "NEMO_LENS_ENABLED", True),
        ("NEMO_LENS_ENALBED", Standing.UNKNOWN, "NEMO_LENS_ENABLED", True),
        ("nemo_lens_enabled", Standing.UNKNOWN, "NEMO_LENS_ENABLED", True),
        ("OTEL_EXPORTER_OTLP_TRACE_ENDPOINT", Standing.UNKNOWN, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", True),
        ("OTEL_METRICS_EXPORT_INTERVAL", Standing.UNKNOWN, "OTEL_METRIC_EXPORT_INTERVAL", True),
        ("NEMO_LENS_USER", Standing.UNKNOWN, "NEMO_LENS_USER_ID", True),
        ("OTEL_PROTOCOL", Standing.UNKNOWN, "OTEL_EXPORTER_OTLP_PROTOCOL", False),
        ("OTEL_GATEWAY", Standing.UNKNOWN, "", False),
        ("OTEL_TRACES_EXPORTER", Standing.WITHOUT_EFFECT, "", False),
        ("OTEL_PYTHON_LOG_CORRELATION", Standing.FOREIGN, "", False),
        ("MEGATRON_OTEL_ENABLED", Standing.OTHER_FRAMEWORK, "NEMO_LENS_ENABLED", False),
        ("NEMO_RL_OTEL_VLLM_NATIVE_TRACING", Standing.OTHER_FRAMEWORK, "", False),
        ("NEMO_HOME", Standing.FOREIGN, "", False),
        ("PATH", Standing.FOREIGN, "", False),
        ("", Standing.FOREIGN, "", False),
    ],
)
def test_standing(name: str, standing: Standing, meant: str, sure: bool) -> None:
    found = CATALOGUE.verdict(name)
    assert (found.standing, found.meant, found.sure) == (standing, meant, sure)


def test_documented_names_of_megatron_that_nothing_reads() -> None:
    found = Catalogue(MEGATRON, generation("0.1")).verdict("MEGATRON_OTEL_RANK_STRATEGY")
    assert (found.standing, found.meant) == (Standing.UNKNOWN, "MEGATRON_OTEL_EXPORT_STRATEGY")


def test_settings_of_another_generation() -> None:
    name = "NEMO_LENS_EXPORT_STRATEGY"
    assert CATALOGUE.verdict(name).standing is Standing.READ
    assert Catalogue(PLAIN, generation("nightly")).verdict(name).standing is Standing.OTHER_GENERATION


def test_no_name_that_is_read_is_taken_for_a_slip() -> None:
    assert {CATALOGUE.verdict(name).standing for name in CATALOGUE.read} == {Standing.READ}
