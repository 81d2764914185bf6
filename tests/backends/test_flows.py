"""Questions that take several calls: which surface, which field, how often."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from lens_preflight.backends.backend import Backend
from lens_preflight.backends.http import Client
from lens_preflight.backends.jaeger import Jaeger
from lens_preflight.backends.words import Marker, Reading, Word
from tests.backends import asking, fakes
from tests.backends.asking import BOGUS, RUN
from tests.backends.fakes import body
from tests.backends.replay import NOW, Answers, Canned, replayed

MARKER = Marker("0123456789abcdef", 77.0)


def ask(kind: str, answers: Answers, question: Callable[[Backend], Reading]) -> Reading:
    """One question to a replayed backend of a kind."""
    with replayed(kind, answers) as server:
        return question(asking.MAKERS[kind](server.client()))


def positive(kind: str, answers: Answers, run: str = RUN) -> Word:
    return ask(kind, answers, lambda b: b.positive(run)).word


def v3(run: str) -> Canned:
    attributes = [{"key": "nemo.run.id", "value": {"stringValue": run}}]
    span = {"traceId": fakes.TRACE, "endTimeUnixNano": str(int(NOW * 1e9))}
    resource = {"resource": {"attributes": attributes}, "scopeSpans": [{"spans": [span]}]}
    return body({"result": {"resourceSpans": [resource]}})


SERVICES = {"GET /api/v3/services": body({"services": ["megatron-lm"]})}
NONE = body({"error": {"httpCode": 404, "message": "No traces found"}}, 404)


def test_jaeger_takes_the_surface_that_filters() -> None:
    summaries = body({"summaries": [{"traceId": fakes.TRACE, "maxEndTimeUnixNano": str(int(NOW * 1e9))}]})
    new: Answers = {**SERVICES, "GET /api/v3/trace-summaries": summaries, "GET /api/v3/traces/.*": v3(RUN)}
    assert positive("jaeger", new) is Word.OK
    assert positive("jaeger", {**new, "GET /api/v3/traces/.*": v3("another")}) is Word.WRONG_ID
    old: Answers = {**SERVICES, "GET /api/traces": fakes.jaeger([RUN])["GET /api/traces"]}
    with replayed("jaeger", old, now=None) as server:
        assert asking.jaeger()(server.client()).positive(RUN).word is Word.OK


def test_jaeger_v3_without_a_filter_is_found_out_by_either_question() -> None:
    ignoring: Answers = {**SERVICES, "GET /api/v3/traces": v3("another")}
    assert positive("jaeger", ignoring) is Word.WRONG_ID
    assert ask("jaeger", ignoring, lambda b: b.negative(BOGUS)).word is Word.FILTER_IGNORED
    honest: Answers = {**SERVICES, "GET /api/v3/traces": NONE}
    assert ask("jaeger", honest, lambda b: b.negative(BOGUS)).word is Word.OK


def test_jaeger_is_asked_over_grpc_before_a_search_that_may_not_filter() -> None:
    ignoring: Answers = {**SERVICES, "GET /api/v3/traces": v3("another")}
    asked: list[bytes] = []

    def answer(request: bytes, _: object) -> Iterator[bytes]:
        asked.append(request)
        if RUN.encode() in request:
            data = TracesData()
            group = data.resource_spans.add()
            group.resource.attributes.add(key="nemo.run.id").value.string_value = RUN
            group.scope_spans.add().spans.add(trace_id=b"t" * 16, end_time_unix_nano=int(NOW * 1e9))
            yield data.SerializeToString()

    server = grpc.server(ThreadPoolExecutor(2))
    handler = grpc.unary_stream_rpc_method_handler(answer)
    service = grpc.method_handlers_generic_handler("jaeger.api_v3.QueryService", {"FindTraces": handler})
    server.add_generic_rpc_handlers((service,))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        with replayed("jaeger", ignoring) as http:
            backend = Jaeger("jaeger", http.client(), asking.WHAT, grpc_port=port)
            assert backend.positive(RUN).word is Word.OK
            assert backend.negative(BOGUS).word is Word.OK
            assert backend.freshness(RUN).word is Word.OK
    finally:
        server.stop(None)
    assert b"megatron-lm" in asked[0]


def test_jaeger_without_any_search_is_named() -> None:
    assert positive("jaeger", {**SERVICES}) is Word.NOT_THE_BACKEND


def test_jaeger_whose_store_cannot_search_tags_is_not_filterable() -> None:
    text = "elastic: Error 400: [nested] failed to find nested object under path [tags]"
    broken = body({"data": None, "errors": [{"code": 500, "msg": text}]}, 500)
    assert positive("jaeger", {**SERVICES, "GET /api/traces": broken}) is Word.NOT_FILTERABLE


def fields(*paths: str, kind: str = "keyword") -> Canned:
    caps = {kind: {"type": kind, "searchable": True, "aggregatable": kind == "keyword"}}
    return body({"indices": ["i"], "fields": dict.fromkeys(paths, caps)})


COUNTED = body({"count": 3, "_shards": {"total": 1, "failed": 0}})


@pytest.mark.parametrize(
    "path", ["resource.attributes.nemo.run.id", "nemo.run.id", "Resource.nemo.run.id", "labels.nemo_run_id"]
)
def test_elasticsearch_filters_by_the_field_that_is_mapped(path: str) -> None:
    def count(text: str) -> Canned:
        return COUNTED if f'"term": {{"{path}": ' in text else body({"count": 0})

    answers: Answers = {"GET .*/_field_caps": fields(path), "POST .*/_count": count}
    assert positive("elasticsearch", answers) is Word.OK


@pytest.mark.parametrize(
    ("caps", "count", "word"),
    [
        (fields("nemo.run.id", kind="text"), COUNTED, Word.NOT_FILTERABLE),
        (fields("nemo.run.id"), body({"count": 1, "timed_out": True}), Word.INCONCLUSIVE),
        (fields("nemo.run.id"), body({"count": 0, "_shards": {"failed": 1}}), Word.INCONCLUSIVE),
        (body({"indices": [], "fields": {}}), COUNTED, Word.NO_DATA),
    ],
)
def test_elasticsearch_says_when_a_count_proves_nothing(caps: Canned, count: Canned, word: Word) -> None:
    assert positive("elasticsearch", {"GET .*/_field_caps": caps, "POST .*/_count": count}) is word


def test_honeycomb_polls_until_the_result_is_complete() -> None:
    results = iter(
        [{"complete": False}] * 3 + [{"complete": True, "data": {"results": [{"data": {"COUNT": 4}}]}}]
    )
    answers: Answers = {
        "GET /1/columns/.*": body({"key_name": "nemo.run.id"}),
        "POST /1/queries/.*": body({"id": "q1"}),
        "POST /1/query_results/.*": body({"id": "r1", "complete": False}, 201),
        "GET /1/query_results/.*": lambda _: body({"id": "r1", **next(results)}),
    }
    assert positive("honeycomb", answers) is Word.OK
    assert positive("honeycomb", {**answers, "POST /1/queries/.*": body({}, 403)}) is Word.PERMISSION


def test_weave_tells_visible_from_filterable() -> None:
    call = {"attributes": {"otel_span": {"resource": {"attributes": {"nemo": {"run": {"id": RUN}}}}}}}

    def calls(text: str) -> Canned:
        return Canned(b"" if '"query"' in text else json.dumps(call).encode())

    assert positive("weave", {"POST /calls/stream_query": calls}) is Word.NOT_FILTERABLE


def test_tempo_that_matches_parts_of_ids_is_found_out() -> None:
    attribute = {"key": "nemo.run.id", "value": {"stringValue": f"{RUN}0"}}
    trace = {"startTimeUnixNano": "1", "spanSets": [{"spans": [{"attributes": [attribute]}]}]}
    assert positive("tempo", {"GET /api/search": body({"traces": [trace]})}) is Word.WRONG_ID


def test_grafana_reports_an_error_of_the_data_source() -> None:
    answers: Answers = {"POST /api/ds/query": body({"results": {"A": {"status": 500, "error": "boom"}}}, 207)}
    assert positive("grafana", answers) is Word.QUERY_ERROR


def test_datadog_compares_tags_as_it_keeps_them() -> None:
    tags = {"data": {"attributes": {"tags": ["nemo.run.id:run-a"], "ingested_tags": []}}}
    with replayed("datadog", {"GET /api/v2/metrics/.*": body(tags)}) as server:
        backend = asking.datadog(server.client())
        assert backend.metric_tags("megatron.training.loss", "Run-A").word is Word.OK  # type: ignore[attr-defined]


def canary_series(labels: dict[str, str], value: float = MARKER.value) -> Answers:
    def query(text: str) -> Canned:
        wanted = re.search(r'nemo_run_id="([^"]*)"', text)
        hit = wanted is None or labels.get("nemo_run_id") == wanted[1]
        series = [{"metric": {"__name__": "preflight_canary", **labels}, "value": [1, str(value)]}]
        return body({"status": "success", "data": {"resultType": "vector", "result": series if hit else []}})

    return {"GET /api/v1/query": query}


@pytest.mark.parametrize(
    ("answers", "word"),
    [
        (canary_series({"nemo_run_id": "preflight-canary"}), Word.OK),
        (canary_series({}), Word.NOT_FILTERABLE),
        (canary_series({"nemo_run_id": "preflight-canary"}, value=78.0), Word.NOT_FOUND),
    ],
)
def test_prometheus_looks_for_the_value_of_this_canary(answers: Answers, word: Word) -> None:
    reading = ask("prometheus", answers, lambda b: b.positive("preflight-canary", MARKER))
    assert reading.word is word
    assert reading.final is (word is Word.NOT_FILTERABLE)


def test_traces_are_asked_for_the_marker_of_this_canary() -> None:
    with replayed("jaeger", fakes.jaeger(["preflight-canary"]), now=None) as server:
        asking.jaeger()(server.client()).positive("preflight-canary", MARKER)
        assert any(f'"preflight.canary.marker": "{MARKER.text}"' in r for r in server.requests)


@pytest.mark.parametrize("kind", sorted(asking.MAKERS))
def test_the_same_question_is_sent_once_until_it_is_asked_again(kind: str) -> None:
    def make(client: Client) -> Backend:
        return asking.MAKERS[kind](client)

    with replayed(kind, {".*": Canned(b"{}", 401)}) as server:
        backend = make(server.client())
        assert backend.reach().word is Word.AUTH
        sent = len(server.requests)
        backend.reach()
        assert len(server.requests) == sent
        backend.again()
        backend.reach()
        assert len(server.requests) == 2 * sent
