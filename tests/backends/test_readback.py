"""A canary is sent through the real clients, and looked for until it is found."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from lens_preflight.backends import Marker, read_back
from lens_preflight.backends.words import Word
from lens_preflight.checks.backend_run_id import backend_run_id
from lens_preflight.core.deadline import Deadline
from lens_preflight.core.outcome import Outcome
from lens_preflight.core.variable import Environment
from lens_preflight.core.words import Status
from lens_preflight.lens.generations import generation
from lens_preflight.otel.exporter import exporter
from lens_preflight.otel.files import MadeUpFiles
from lens_preflight.probe.canary import MARKER, RUN_ID, Canary, send
from lens_preflight.probe.sink.server import Sink
from tests.backends import asking, fakes
from tests.backends.replay import Answers, Canned, replayed
from tests.making import outcome, record, rules, subject


def sent(variables: Mapping[str, str]) -> Canary:
    env = Environment.of(variables)
    exporters = [exporter(env, s, generation("0.1"), MadeUpFiles()) for s in ("traces", "metrics")]
    return send(exporters, env, {"service.name": "megatron-lm"}, Deadline.after(20))


@pytest.mark.parametrize("protocol", ["grpc", "http/protobuf"])
@pytest.mark.parametrize("compression", ["", "gzip"])
def test_one_span_and_one_gauge_arrive_past_every_sampler(protocol: str, compression: str) -> None:
    with Sink() as sink:
        variables = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": sink.grpc_url if protocol == "grpc" else sink.http_url,
            "OTEL_EXPORTER_OTLP_PROTOCOL": protocol,
            "OTEL_TRACES_SAMPLER": "always_off",
        }
        canary = sent(variables | ({"OTEL_EXPORTER_OTLP_COMPRESSION": compression} if compression else {}))
        (span,) = sink.store.records("traces", RUN_ID)
        (gauge,) = sink.store.records("metrics", RUN_ID)
    assert canary.taken("traces")
    assert canary.taken("metrics")
    assert span.attributes == {MARKER: canary.marker}
    assert span.resource["service.name"] == "megatron-lm"
    assert gauge.item.gauge.data_points[0].as_double == canary.value


def test_two_canaries_are_unlike() -> None:
    with Sink() as sink:
        variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": sink.grpc_url}
        one, other = sent(variables), sent(variables)
    assert one.marker != other.marker
    assert one.value != other.value


def test_a_refusal_is_kept_with_its_reason() -> None:
    canary = sent(
        {
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9",
            "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
        }
    )
    assert not canary.taken("traces")
    assert canary.refusal("traces")


def test_a_canary_that_comes_late_is_waited_for() -> None:
    empty: list[object] = [{"data": [], "errors": None}] * 3
    late = fakes.jaeger([RUN_ID])["GET /api/traces"]
    assert callable(late)

    def search(text: str) -> Canned:
        return fakes.body(empty.pop()) if empty else late(text)

    answers: Answers = {**fakes.jaeger(), "GET /api/traces": search}
    with replayed("jaeger", answers, now=None) as server:
        found = read_back(asking.jaeger()(server.client()), RUN_ID, Marker("m", 1.0))
    assert found.reading.word is Word.OK
    assert found.tries == 4


def test_credentials_that_are_refused_are_not_asked_again() -> None:
    with replayed("jaeger", {".*": Canned(b"{}", 401)}) as server:
        found = read_back(asking.jaeger()(server.client()), RUN_ID, Marker("m", 1.0))
    assert (found.reading.word, found.tries) == (Word.AUTH, 1)


def test_a_canary_that_never_comes_ends_with_the_time() -> None:
    with replayed("jaeger", fakes.jaeger(), now=None) as server:
        found = read_back(asking.jaeger()(server.client(seconds=2.5)), RUN_ID, Marker("m", 1.0))
    assert found.reading.word is Word.NOT_FOUND


def judged(answers: Answers, kind: str = "jaeger", **inputs: object) -> Outcome:
    with Sink() as sink, replayed(kind, answers, now=None) as server:
        env = {"NEMO_LENS_ENABLED": "1", "OTEL_EXPORTER_OTLP_ENDPOINT": sink.grpc_url}
        inputs = {"offline": False, "lens": "0.1", "canary": True, **inputs}
        return outcome(backend_run_id, env, backends={kind: server.url}, **inputs)


def test_a_canary_that_is_found_passes() -> None:
    said = judged(fakes.jaeger([RUN_ID]))
    assert said.status is Status.PASS
    assert "seconds" in said.evidence


def test_a_canary_does_not_excuse_a_filter_that_is_ignored() -> None:
    assert rules(judged(fakes.jaeger([RUN_ID], ignores_filter=True))) == ["filter-ignored"]


def test_an_endpoint_that_refuses_the_canary_is_named() -> None:
    with replayed("jaeger", fakes.jaeger([RUN_ID]), now=None) as server:
        env = {"NEMO_LENS_ENABLED": "1", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}
        said = outcome(
            backend_run_id, env, offline=False, lens="0.1", canary=True, backends={"jaeger": server.url}
        )
    assert rules(said) == ["canary-refused"]


COLLECTOR = """
receivers: {otlp: {protocols: {grpc: {endpoint: 127.0.0.1:4317}}}}
processors: {PROCESSOR: {}}
exporters: {otlp: {endpoint: jaeger:4317}}
service: {pipelines: {traces: {receivers: [otlp], processors: [PROCESSOR], exporters: [otlp]}}}
"""


@pytest.mark.parametrize(
    ("processor", "status"),
    [
        ("batch", Status.FAIL),
        ("tail_sampling/keep", Status.UNKNOWN),
        ("probabilistic_sampler", Status.UNKNOWN),
    ],
)
def test_a_sampler_of_the_collector_may_have_dropped_the_canary(
    processor: str, status: Status, tmp_path: Path
) -> None:
    config = tmp_path / "collector.yaml"
    config.write_text(COLLECTOR.replace("PROCESSOR", processor))
    with Sink() as sink, replayed("jaeger", fakes.jaeger(), now=None) as server:
        env = {"NEMO_LENS_ENABLED": "1", "OTEL_EXPORTER_OTLP_ENDPOINT": sink.grpc_url}
        what = subject(
            env,
            offline=False,
            lens="0.1",
            canary=True,
            backends={"jaeger": server.url},
            collector=(str(config),),
        )
        (said,) = record([backend_run_id], what, deadline=Deadline.after(6)).results
    assert said.status is status, said
    if status is Status.UNKNOWN:
        assert processor in said.reason
    else:
        assert rules(said) == ["never-found"]
