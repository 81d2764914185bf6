"""Elasticsearch and OpenSearch: field capabilities first, then exact counts.

Sources: documentation of Elasticsearch 9 and OpenSearch; replayed, not run. A filter on a field that is
not mapped finds nothing and is no error, so the mapping decides before any count.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from lens_preflight.backends.answers import object_of, path_in, refuse
from lens_preflight.backends.backend import MARKER, RUN_ID, Backend, age, nothing_for, something_for
from lens_preflight.backends.http import Client, Reply
from lens_preflight.backends.words import Answered, Marker, Reading, Scope, Step, Word
from lens_preflight.core.data import dataclass

INDEX = "nemo-*,traces-*"
"""What is searched when the URL names no index: NeMo Lens' own, and the data streams of OTel mode."""

PATHS = (
    f"resource.attributes.{RUN_ID}",
    RUN_ID,
    f"Resource.{RUN_ID}",
    "labels.nemo_run_id",
    "resource.attributes.nemo@run@id",
)
"""Where the exporter's mapping modes, APM and Data Prepper put the id, the commonest first."""

_MAPPING = (
    "have the collector write to a data stream traces-*.otel-*, whose template maps the id as a keyword"
)


@dataclass(frozen=True)
class Field:
    """The field to filter by; ``tokens`` says that its parent is full text, which KQL matches in parts."""

    path: str
    tokens: bool = False


class Elasticsearch(Backend):
    """Spans or metrics in an index or data stream."""

    kind = "elasticsearch"
    title = "Elasticsearch"
    holds = frozenset({"traces"})

    def __init__(self, name: str, client: Client, scope: Scope, index: str = INDEX) -> None:
        super().__init__(name, client, scope)
        self._index = quote(index, safe="*,.-_")
        self._found: Field | None = None

    def _reach(self) -> Reading:
        answer = object_of(self.client.get("/"), "version")
        evidence = {
            "version": str(path_in(answer, "version", "number")),
            "distribution": str(path_in(answer, "version", "distribution") or "elasticsearch"),
        }
        return Reading(Step.REACH, Word.OK, "it answers, and takes the credentials", evidence=evidence)

    def _presence(self) -> Reading:
        return self.mapping()

    def mapping(self) -> Reading:
        """Whether the id is mapped so that a term can find it."""
        field = self.field()
        evidence = {"field": field.path}
        if field.tokens:
            text = "the run id is full text with an exact sub-field: KQL on the text matches parts of ids"
            remedy = f"filter by {field.path} in dashboards and searches; or {_MAPPING}"
            return Reading(Step.PRESENCE, Word.KEYWORD_ONLY, text, remedy, evidence=evidence)
        return Reading(Step.PRESENCE, Word.OK, "the run id is mapped for exact filters", evidence=evidence)

    def field(self) -> Field:
        """The field to filter by; raises Answered when there is none."""
        if self._found is None:
            fields = ",".join(["*nemo.run.id*", "labels.nemo_run_id", "resource.attributes.nemo@run@id"])
            params = {
                "fields": fields,
                "ignore_unavailable": "true",
                "allow_no_indices": "false",
                "expand_wildcards": "open",
            }
            reply = self.client.get(f"/{self._index}/_field_caps", params)
            _index_there(reply)
            answer = object_of(reply, "fields")
            if "indices" in answer and not answer["indices"]:
                raise _no_index()
            self._found = _choose(answer["fields"])
        return self._found

    def _positive(self, run_id: str, marker: Marker | None) -> Reading:
        found = self.count(self.field(), run_id, marker)
        return counted(found)

    def count(self, field: Field, run_id: str, marker: Marker | None = None) -> int:
        """How many documents of the window carry the id; raises Answered."""
        filters: list[dict[str, Any]] = [
            {"term": {field.path: run_id}},
            {"range": {"@timestamp": {"gte": f"now-{int(self.scope.lookback)}s"}}},
        ]
        if marker is not None:
            filters.append({"multi_match": {"query": marker.text, "fields": [f"*{MARKER}"], "lenient": True}})
        reply = self.client.post(f"/{self._index}/_count", {"query": {"bool": {"filter": filters}}})
        return int(_complete(reply, "count")["count"])

    def _negative(self, run_id: str) -> Reading:
        if self.count(self.field(), run_id):
            return something_for(run_id, _MAPPING)
        return nothing_for(run_id)

    def _freshness(self, run_id: str) -> Reading:
        query = {"bool": {"filter": [{"term": {self.field().path: run_id}}]}}
        body = {"size": 0, "query": query, "aggs": {"newest": {"max": {"field": "@timestamp"}}}}
        answer = _complete(self.client.post(f"/{self._index}/_search", body), "aggregations")
        milliseconds = path_in(answer, "aggregations", "newest", "value")
        if not isinstance(milliseconds, int | float):
            text = "no document of the run is there"
            return Reading(Step.FRESHNESS, Word.NO_DATA, text, "run lens-preflight again while the job runs")
        return age(milliseconds / 1e3, self.client.now(), self.scope.moving)


def counted(found: int) -> Reading:
    """P3 from the number of hits."""
    if found:
        text = "an exact filter by the run id finds documents"
        return Reading(Step.POSITIVE, Word.OK, text, evidence={"documents": str(found)})
    text = "an exact filter by the run id finds nothing"
    remedy = "give --send-canary, or run lens-preflight again with the job"
    return Reading(Step.POSITIVE, Word.NOT_FOUND, text, remedy)


def _choose(fields: Any) -> Field:
    """The first place with an exact field; a full text without one cannot be filtered exactly."""
    for path in (*PATHS, *sorted(p for p in fields if p.endswith(RUN_ID))):
        kinds = fields.get(path) or {}
        if any(_exact(kind) for kind in kinds.values()):
            return Field(path)
        if any(_exact(kind) for kind in (fields.get(f"{path}.keyword") or {}).values()):
            return Field(f"{path}.keyword", tokens=True)
    if any(kinds for kinds in fields.values()):
        text = "the run id is mapped as full text only, so that no filter is exact"
    else:
        text = "the run id is not mapped in this index: a filter by it finds nothing, without an error"
    raise Answered(Word.NOT_FILTERABLE, text, _MAPPING)


def _exact(kind: Any) -> bool:
    return bool(kind.get("searchable", True)) and kind.get("type") in (
        "keyword",
        "wildcard",
        "constant_keyword",
        "flattened",
    )


def _index_there(reply: Reply) -> None:
    if reply.status == 404 and b"index_not_found" in reply.body:
        raise _no_index()
    if reply.status == 400 and path_in(_loose(reply), "error", "type") is not None:
        raise Answered(
            Word.INTERNAL,
            "it calls our request malformed",
            "report this with the versions of lens-preflight and of the backend",
            status=400,
        )


def _no_index() -> Answered:
    return Answered(
        Word.NO_DATA,
        "there is no such index yet",
        "name the index at the end of the URL: --backend NAME=http://HOST:9200/INDEX",
        status=404,
    )


def _loose(reply: Reply) -> Any:
    try:
        return reply.json()
    except Answered:
        return None


def _complete(reply: Reply, *keys: str) -> dict[str, Any]:
    """An answer that all shards took part in; raises Answered."""
    _index_there(reply)
    refuse(reply)
    answer = object_of(reply, *keys)
    failed = path_in(answer, "_shards", "failed")
    if answer.get("timed_out") or (isinstance(failed, int) and failed > 0):
        text = "not all shards answered, so that the count is not complete"
        raise Answered(Word.INCONCLUSIVE, text, "ask those who run it about the health of the index")
    return answer
