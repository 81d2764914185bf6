"""Datadog: spans by attribute, and the tags of a metric.

Sources: API documentation and clients of 2026; replayed, not run. Searches need two keys, of which
``validate`` looks at one; a key of another site is refused with 403; spans outside the retention filters
are not found after fifteen minutes.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from lens_preflight.backends.answers import items, object_of, path_in, unix
from lens_preflight.backends.backend import MARKER, RUN_ID, Backend, age, nothing_for, something_for
from lens_preflight.backends.words import Answered, Marker, Reading, Step, Word


class Datadog(Backend):
    """Spans in Datadog."""

    kind = "datadog"
    title = "Datadog"
    holds = frozenset({"traces"})
    between = 15.0

    def _reach(self) -> Reading:
        reply = self.client.get("/api/v1/validate")
        if reply.status == 403:
            raise Answered(
                Word.AUTH,
                "the API key is wrong, or belongs to another site",
                "export DD_API_KEY=<key>, and give the site: --backend NAME=https://api.<site>",
                status=403,
            )
        if object_of(reply, "valid")["valid"] is not True:
            raise Answered(Word.AUTH, "the API key is not valid", "export DD_API_KEY=<key>")
        return Reading(
            Step.REACH, Word.PARTIAL, "the API key is valid; the application key was not looked at"
        )

    def _presence(self) -> Reading:
        service = next(iter(self.scope.services), None)
        if service is None:
            raise Answered(
                Word.NO_DATA, "no service name is known to look for", "export OTEL_SERVICE_NAME=<name>"
            )
        if self.search(f"service:{_term(service)}"):
            return Reading(Step.PRESENCE, Word.OK, "the service has spans")
        text = "the service has no span in the window"
        return Reading(Step.PRESENCE, Word.NO_DATA, text, "give --send-canary, or run it again with the job")

    def _positive(self, run_id: str, marker: Marker | None) -> Reading:
        found = self.search(_query(run_id, marker))
        if not found:
            return Reading(
                Step.POSITIVE,
                Word.NOT_FOUND,
                "a search by the run id finds no span: none arrived, or no retention filter keeps them",
                f'add a retention filter "@{RUN_ID}:*", or run lens-preflight again with the job',
            )
        if any(_carried(span) != run_id for span in found):
            text = "a search by the run id returns spans of another run"
            return Reading(Step.POSITIVE, Word.WRONG_ID, text, "report this with the site")
        text = "a search by the run id finds spans that carry it"
        return Reading(Step.POSITIVE, Word.OK, text, newest=_newest(found))

    def _negative(self, run_id: str) -> Reading:
        if self.search(_query(run_id)):
            return something_for(run_id, "report this with the site")
        return nothing_for(run_id)

    def _freshness(self, run_id: str) -> Reading:
        newest = _newest(self.search(_query(run_id)))
        if newest is None:
            text = "no span of the run in the window"
            return Reading(Step.FRESHNESS, Word.STALE, text, "run lens-preflight again while the job runs")
        return age(newest, self.client.now(), self.scope.moving)

    def search(self, query: str) -> list[Any]:
        """The newest span that a query of the explorer finds; raises Answered."""
        attributes = {
            "filter": {"query": query, "from": f"now-{int(self.scope.lookback)}s", "to": "now"},
            "page": {"limit": 1},
            "sort": "-timestamp",
        }
        body = {"data": {"type": "search_request", "attributes": attributes}}
        reply = self.client.post("/api/v2/spans/events/search", body)
        if reply.status == 403:
            raise Answered(
                Word.PERMISSION,
                "the application key is wrong, or lacks the permission apm_read",
                "export DD_APP_KEY=<application key with apm_read>",
                status=403,
            )
        answer = object_of(reply, "data")
        if path_in(answer, "meta", "status") == "timeout":
            raise Answered(
                Word.INCONCLUSIVE, "the search ran into its own time limit", "run lens-preflight again"
            )
        return items(answer["data"])

    def metric_tags(self, metric: str, run_id: str) -> Reading:
        """P3 on a metric: the run id is among its tags, and may be queried by."""
        reply = self.client.get(f"/api/v2/metrics/{quote(metric, safe='')}/all-tags")
        if reply.status == 404:
            text = "Datadog does not know the metric"
            return Reading(Step.POSITIVE, Word.NO_DATA, text, "run lens-preflight again with the job")
        attributes = path_in(object_of(reply, "data"), "data", "attributes")
        wanted = _tag(f"{RUN_ID}:{run_id}")
        if wanted in map(_tag, items(path_in(attributes, "tags"))):
            return Reading(Step.POSITIVE, Word.OK, "the metric is tagged with the run id")
        remedy = "set metrics: {resource_attributes_as_tags: true} in the collector's datadog exporter"
        if wanted in map(_tag, items(path_in(attributes, "ingested_tags"))):
            text = "the run id arrives as a tag, and the metric's tag configuration drops it"
            return Reading(
                Step.POSITIVE, Word.NOT_FILTERABLE, text, f"add {RUN_ID} to the tags of the metric"
            )
        text = "the metric is not tagged with the run id"
        return Reading(Step.POSITIVE, Word.NOT_FILTERABLE, text, remedy)


def _query(run_id: str, marker: Marker | None = None) -> str:
    query = f"@{RUN_ID}:{_term(run_id)}"
    return query if marker is None else f"{query} @{MARKER}:{_term(marker.text)}"


def _term(text: str) -> str:
    """A term of the explorer's language; quotes keep all that has a meaning in it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _tag(text: Any) -> str:
    """A tag as Datadog keeps it: lower case, other signs replaced."""
    return "".join(c if c.isalnum() or c in "_-:./" else "_" for c in str(text).lower())


def _carried(span: Any) -> str | None:
    """The run id of a span: nested or flat under its attributes, or a tag."""
    attributes = path_in(span, "attributes")
    for keys in (("custom", "nemo", "run", "id"), ("custom", RUN_ID), ("attributes", RUN_ID)):
        value = path_in(attributes, *keys)
        if value is not None:
            return str(value)
    tags = [str(t) for t in items(path_in(attributes, "tags"))]
    return next((t.partition(":")[2] for t in tags if t.startswith(f"{RUN_ID}:")), None)


def _newest(spans: list[Any]) -> float | None:
    ends = [unix(path_in(span, "attributes", "end_timestamp")) for span in spans]
    return max((end for end in ends if end is not None), default=None)
