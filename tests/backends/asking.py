"""How a recorded answer is asked for: the question of our client that makes that request."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from lens_preflight.backends.backend import Backend
from lens_preflight.backends.datadog import Datadog
from lens_preflight.backends.elasticsearch import Elasticsearch
from lens_preflight.backends.grafana import Grafana
from lens_preflight.backends.honeycomb import Honeycomb, counted
from lens_preflight.backends.http import Client
from lens_preflight.backends.jaeger import Jaeger
from lens_preflight.backends.kibana import Kibana
from lens_preflight.backends.prometheus import Prometheus
from lens_preflight.backends.telemetry import Health, Telemetry
from lens_preflight.backends.tempo import Tempo
from lens_preflight.backends.weave import Weave
from lens_preflight.backends.words import Answered, Reading, Scope, Step, Word
from lens_preflight.core.words import Status
from tests.backends.recorded import Recorded
from tests.backends.replay import Answers, Canned, replayed

RUN = "llama3-pretrain-a"
BOGUS = "preflight-bogus-0b0b0b0b"
WHAT = Scope(services=("megatron-lm",), metrics=("megatron.training.loss",))

WORST = (Status.FAIL, Status.ERROR, Status.UNKNOWN, Status.WARN, Status.PASS)


Question = Callable[[Client, Recorded, Step | None], Reading]


def _steps(make: Callable[[Client], Backend], *fallback: Step) -> Question:
    """Ask the steps that are named, else the fallback; the worst counts."""

    def ask(client: Client, case: Recorded, step: Step | None) -> Reading:
        backend = make(client)
        asked: dict[Step, Callable[[], Reading]] = {
            Step.REACH: backend.reach,
            Step.PRESENCE: backend.presence,
            Step.POSITIVE: lambda: backend.positive(RUN),
            Step.NEGATIVE: lambda: backend.negative(BOGUS),
            Step.FRESHNESS: lambda: backend.freshness(RUN),
        }
        readings = [asked[s]() for s in ((step,) if step else fallback)]
        return min(readings, key=lambda r: WORST.index(r.status))

    return ask


def _call(make: Callable[[Client], Backend], question: Callable[..., Reading]) -> Question:
    """Ask one call of a client for what it alone says."""

    def ask(client: Client, case: Recorded, step: Step | None) -> Reading:
        if step is Step.NEGATIVE:
            return _steps(make, step)(client, case, step)
        backend = make(client)
        return backend.ask(step or Step.POSITIVE, lambda: question(backend))

    return ask


def jaeger(surface: str | None = None) -> Callable[[Client], Backend]:
    def make(client: Client) -> Backend:
        return Jaeger("jaeger", client, WHAT, surface)

    return make


def prometheus(client: Client) -> Backend:
    return Prometheus("prometheus", client, WHAT)


def grafana(client: Client) -> Backend:
    return Grafana("grafana", client, WHAT, source="prometheus")


def tempo(client: Client) -> Backend:
    return Tempo("tempo", client, WHAT)


def elasticsearch(client: Client) -> Backend:
    return Elasticsearch("es", client, WHAT, "nemo-traces")


def kibana(client: Client) -> Backend:
    return Kibana("kibana", client, WHAT)


def honeycomb(client: Client) -> Backend:
    return Honeycomb("honeycomb", client, WHAT)


def datadog(client: Client) -> Backend:
    return Datadog("datadog", client, WHAT)


def weave(client: Client) -> Backend:
    return Weave("weave", client, WHAT, "ENT/PROJ")


MAKERS: dict[str, Callable[[Client], Backend]] = {
    "jaeger": jaeger(),
    "prometheus": prometheus,
    "grafana": grafana,
    "tempo": tempo,
    "elasticsearch": elasticsearch,
    "kibana": kibana,
    "honeycomb": honeycomb,
    "datadog": datadog,
    "weave": weave,
}

METRIC = "megatron_training_loss"


def _raw(backend: Prometheus) -> Reading:
    """A query of somebody's own: an error of the engine is what is wanted to be seen."""
    found = backend.query(f"sum({METRIC})")
    return Reading(Step.POSITIVE, Word.OK if found else Word.NOT_FOUND, "a query")


def _rules(backend: Prometheus) -> Reading:
    """Rules of a server are judged like rules of a file."""
    from tests.backends.rules_case import judged_rules

    return judged_rules(backend.rules())


def _collector(client: Client, case: Recorded, step: Step | None) -> Reading:
    try:
        if "metrics" in case.request:
            return Telemetry("collector", client).look(0.0)[0]
        return Health(client).reading()
    except Answered as answered:
        return answered.reading(Step.REACH)


_P1, _P2, _P3, _P4, _P5 = Step.REACH, Step.PRESENCE, Step.POSITIVE, Step.NEGATIVE, Step.FRESHNESS

QUESTIONS: dict[str, tuple[tuple[str, str, Question], ...]] = {
    "jaeger": (
        (r"GET /api/services", "GET /api/services", _steps(jaeger(), _P1, _P2)),
        (r"GET /api/v3/services", "GET /api/v3/services", _steps(jaeger(), _P1, _P2)),
        (r"GET /api/traces", "GET /api/traces", _steps(jaeger("v1"), _P3)),
        (
            r"GET /api/v3/trace-summaries",
            "GET /api/v3/trace-summaries",
            _steps(jaeger("summaries"), _P3),
        ),
        (r"GET /api/v3/traces", "GET /api/v3/traces", _steps(jaeger("v3"), _P3)),
    ),
    "prometheus": (
        (r".*buildinfo", "GET /api/v1/status/buildinfo", _steps(prometheus, _P1)),
        (
            r".*values\?match",
            "GET /api/v1/label/nemo_run_id/values",
            _call(prometheus, lambda b: b.listed(METRIC, RUN)),
        ),
        (r".*/values", "GET /api/v1/label/nemo_run_id/values", _steps(prometheus, _P2)),
        (r".*/rules", "GET /api/v1/rules", _call(prometheus, _rules)),
        (r".*count by \(__name__\)", "GET /api/v1/query", _call(prometheus, lambda b: b.families(RUN))),
        (r".*time\(\)", "GET /api/v1/query", _call(prometheus, lambda b: b.age(RUN, METRIC))),
        (r'.*\{nemo_run_id="bogus"', "GET /api/v1/query", _steps(prometheus, _P4)),
        (r'.*\{nemo_run_id="', "GET /api/v1/query", _call(prometheus, lambda b: b.series(METRIC, RUN))),
        (r".*query=", "GET /api/v1/query", _call(prometheus, _raw)),
    ),
    "grafana": (
        (r".*/uid/.*/health", "GET .*/health", _call(grafana, lambda b: b.source_health("prometheus"))),
        (r".*/health", "GET .*/health", _call(grafana, lambda b: b.health())),
        (r".*/api/org", "GET /api/org", _call(grafana, lambda b: b.organisation())),
        (r".*/api/datasources", "GET /api/datasources", _call(grafana, lambda b: b.sources())),
        (
            r".*/api/dashboards",
            "GET /api/dashboards/.*",
            _call(grafana, lambda b: b.dashboard_reading("x")),
        ),
        (r".*/api/search", "GET /api/search", _call(grafana, lambda b: b.search("x"))),
        (r".*/ds/query.*bogus", "POST /api/ds/query", _steps(grafana, _P4)),
        (r".*/ds/query", "POST /api/ds/query", _call(grafana, lambda b: b.panel("sum(x)", RUN))),
    ),
    "tempo": (
        (r".*/search/tag", "GET /api/v2/search/tag/.*", _steps(tempo, _P2)),
        (r"(.*/api/search.*bogus)", "GET /api/search", _steps(tempo, _P4)),
        (r"(.*/api/search|q=)", "GET /api/search", _steps(tempo, _P3)),
    ),
    "elasticsearch": (
        (r".*_count", "POST .*/_count", _steps(elasticsearch, _P3)),
        (r".*_field_caps", "GET .*/_field_caps", _steps(elasticsearch, _P2)),
        (r".*_search", "POST .*/_search", _steps(elasticsearch, _P5)),
        (r"GET /", "GET /", _steps(elasticsearch, _P1)),
    ),
    "kibana": (
        (r".*data_views", "GET /api/data_views", _steps(kibana, _P1, _P2)),
        (r".*_find", "GET /api/saved_objects/_find", _steps(kibana, _P1, _P2)),
        (r".*/api/status", "GET /api/status", _call(kibana, lambda b: b.status())),
    ),
    "honeycomb": (
        (r".*/1/auth", "GET /1/auth", _steps(honeycomb, _P1)),
        (r".*/columns", "GET /1/columns/.*", _steps(honeycomb, _P2)),
        (
            r"GET .*/query_results",
            "GET /1/query_results/.*",
            _call(honeycomb, lambda b: counted(b.result("r1", polls=1))),
        ),
        (r"POST .*/quer", "POST /1/quer.*", _steps(honeycomb, _P3)),
    ),
    "datadog": (
        (r".*/validate", "GET /api/v1/validate", _steps(datadog, _P1)),
        (r".*/spans", "POST /api/v2/spans/events/search", _steps(datadog, _P3)),
        (
            r".*all-tags",
            "GET /api/v2/metrics/.*",
            _call(datadog, lambda b: b.metric_tags("megatron.training.loss", RUN)),
        ),
    ),
    "weave": (
        (r".*query_stats", "POST /calls/query_stats", _steps(weave, _P1, _P2)),
        (r".*stream_query", "POST /calls/stream_query", _steps(weave, _P3)),
    ),
    "collector": ((r".*", "GET .*", _collector),),
}
"""Per kind: which requests are meant, what the server answers with the recorded body, and the question."""


def companions(kind: str, request: str) -> Answers:
    """Good answers to the calls around the recorded one."""
    text = json.dumps
    if kind == "elasticsearch":
        caps = {"keyword": {"type": "keyword", "searchable": True, "aggregatable": True}}
        body = {"indices": ["nemo-traces"], "fields": {"resource.attributes.nemo.run.id": caps}}
        return {"GET .*/_field_caps": Canned(text(body).encode())}
    if kind == "jaeger":
        run = {"key": "nemo.run.id", "value": {"stringValue": RUN}}
        spans = [{"traceId": "4bf92f3577b34da6a3ce929d0e0e4736", "spanId": "00f067aa0ba902b7"}]
        whole = {"resource": {"attributes": [run]}, "scopeSpans": [{"spans": spans}]}
        trace: Answers = {
            "GET /api/v3/traces/.*": Canned(text({"result": {"resourceSpans": [whole]}}).encode())
        }
        services = {"GET /api/v3/services": Canned(text({"services": ["megatron-lm"]}).encode())}
        return trace if "services" in request else {**trace, **services}
    if kind == "honeycomb":
        result = {"id": "r1", "complete": True, "data": {"results": [{"data": {"COUNT": 1}}]}}
        return {
            "GET /1/columns/.*": Canned(text({"key_name": "nemo.run.id"}).encode()),
            "POST /1/queries/.*": Canned(text({"id": "q1"}).encode()),
            "POST /1/query_results/.*": Canned(text({"id": "r1", "complete": False}).encode(), 201),
            "GET /1/query_results/.*": Canned(text(result).encode()),
        }
    return {}


def read(case: Recorded) -> Reading:
    """What our client makes of a recorded answer."""
    kinds = [case.kind] if case.kind else list(MAKERS)
    readings = [r for kind in kinds for r in _read_as(kind, case)]
    return min(readings, key=lambda r: WORST.index(r.status))


def _read_as(kind: str, case: Recorded) -> Iterator[Reading]:
    pattern, question = _question(kind, case.request)
    answers: Answers = {pattern: case.canned}
    answers.update((k, v) for k, v in companions(kind, case.request).items() if k != pattern)
    with replayed(kind, answers) as server:
        for step in case.steps or (None,):
            yield question(server.client(), case, step)


def _question(kind: str, request: str) -> tuple[str, Question]:
    """What the server answers with the recorded body, and the question; any request: the first one."""
    if not request.startswith("any"):
        for words, pattern, question in QUESTIONS[kind]:
            if re.match(words, request):
                return pattern, question
    return ".*", _steps(MAKERS[kind], Step.REACH)
