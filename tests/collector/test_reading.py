"""Configurations in their wrappers, and several as one."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from lens_preflight.collector import read_collector
from lens_preflight.core.errors import InputError
from tests.collector.configs import GOOD, read


def shifted(text: str, columns: int) -> str:
    """The text further to the right."""
    return textwrap.indent(text, " " * columns)


WRAPPED = {
    "plain": GOOD,
    "operator": "kind: OpenTelemetryCollector\nspec:\n  config:\n" + shifted(GOOD, 4),
    "operator as text": "kind: OpenTelemetryCollector\nspec:\n  config: |\n" + shifted(GOOD, 4),
    "configmap": "kind: ConfigMap\ndata:\n  relay.yaml: |\n" + shifted(GOOD, 4),
    "helm": "mode: deployment\nconfig:\n" + shifted(GOOD, 2),
    "helm dependency": "collector:\n  config:\n" + shifted(GOOD, 4),
    "second document": "a: 1\n---\n" + GOOD,
    "list": "kind: List\nitems:\n  - kind: ConfigMap\n    data:\n      relay.yaml: |\n" + shifted(GOOD, 8),
}


@pytest.mark.parametrize("how", WRAPPED)
def test_wrappers_are_taken_off_and_lines_stay_right(tmp_path: Path, how: str) -> None:
    config = read(tmp_path, WRAPPED[how])
    assert config.failure is None
    assert {p.id for p in config.pipelines} >= {"traces", "metrics"}
    exporter = config.find("exporters", "otlphttp/second")
    assert exporter is not None and exporter.at.line is not None
    assert "otlphttp/second:" in WRAPPED[how].splitlines()[exporter.at.line - 1]


def test_the_values_of_a_chart_stand_over_its_defaults(tmp_path: Path) -> None:
    values = """\
        image: {tag: 0.146.0}
        config:
          receivers: {jaeger: null, zipkin: null}
          exporters: {otlp/store: {endpoint: "store:4317"}}
          service:
            pipelines:
              traces: {receivers: [otlp], exporters: [otlp/store]}
              logs: null
        """
    config = read(tmp_path, values)
    assert sorted(config.of("receivers")) == ["otlp", "prometheus"]
    assert [p.id for p in config.pipelines] == ["traces", "metrics"]
    assert [r.id for r in config.pipelines[0].processors] == ["memory_limiter", "batch"]
    assert config.pipelines[0].at.line == 7
    alone = read(tmp_path, "alternateConfig: {exporters: {debug: {}}}\n")
    assert (sorted(alone.of("receivers")), sorted(alone.of("exporters"))) == ([], ["debug"])


def test_the_image_tells_the_version(tmp_path: Path) -> None:
    operator = (
        "kind: OpenTelemetryCollector\nspec:\n  image: otel/x:0.99.0\n  replicas: 3\n  config:\n"
    ) + shifted(GOOD, 4)
    config = read(tmp_path, operator)
    assert (config.version, config.deployment.replicas, config.deployment.operator) == ((0, 99), 3, True)
    compose = "services:\n  c:\n    image: otel/opentelemetry-collector-contrib:latest\n"
    both = read(tmp_path, GOOD, compose)
    assert (both.version, both.deployment.tag) == ((0, 146), "latest")


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ('otelcol.receiver.otlp "in" {\n  grpc { }\n}\n', "alloy"),
        ("ROTEL_OTLP_EXPORTER_ENDPOINT=http://x\n", "rotel"),
        ("distributor: {}\nstorage: {}\nmetrics_generator: {}\n", "tempo"),
    ],
)
def test_other_languages_are_told_apart(tmp_path: Path, text: str, dialect: str) -> None:
    assert read(tmp_path, text).dialect == dialect


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("receivers:\n  otlp: {}\n  otlp: {}\n", 3),
        ("a: [\n", 2),
        ("", 1),
        ("foo: bar\n", 1),
        ("receivers: &a [*a]\n", 1),
    ],
)
def test_what_is_no_configuration_says_where(tmp_path: Path, text: str, line: int) -> None:
    failure = read(tmp_path, text).failure
    assert failure is not None and failure.at.line == line


def test_several_files_merge_maps_and_replace_lists(tmp_path: Path) -> None:
    second = """\
        processors:
          batch: {timeout: 9s}
        service:
          pipelines:
            traces: {processors: [batch]}
            logs: {receivers: [otlp], exporters: [otlphttp/second]}
        """
    config = read(tmp_path, GOOD, second)
    assert [p.id for p in config.pipelines] == ["traces", "metrics", "logs"]
    assert [r.id for r in config.pipelines[0].processors] == ["batch"]
    batch = config.find("processors", "batch")
    assert batch is not None and batch.text("timeout") == "9s" and batch.text("send_batch_size") == "512"
    assert config.pipelines[2].at.what.endswith("c1.yaml")


def test_a_null_in_a_later_file_wipes_a_section(tmp_path: Path) -> None:
    assert read(tmp_path, GOOD, "processors:\n").of("processors") == {}


def test_a_path_that_does_not_exist_is_the_users_to_correct(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.yaml"):
        read_collector([tmp_path / "none.yaml"])
