"""W&B Weave: calls by the resource in their OpenTelemetry dump.

Sources: the trace server's ingest code and request models of 2026; replayed, not run. Only span
attributes become call attributes; whether a server filters by the dump is not documented, so that a
run which is only visible is told from one that can be filtered by.
"""

from __future__ import annotations

import json
from typing import Any

from lens_preflight.backends.answers import object_of, path_in, refuse, unix
from lens_preflight.backends.backend import MARKER, RUN_ID, Backend, age, nothing_for, something_for
from lens_preflight.backends.http import Client, Reply
from lens_preflight.backends.words import Answered, Marker, Reading, Scope, Step, Word
from lens_preflight.core.numbers import json_integer

FIELD = f"attributes.otel_span.resource.attributes.{RUN_ID}"
_MARKER = f"attributes.otel_span.attributes.{MARKER}"
_COPY = (
    "have the collector copy the id: transform processor, "
    'set(span.attributes["nemo.run.id"], resource.attributes["nemo.run.id"])'
)
NEWEST = 50
"""Calls looked through when the filter finds nothing."""


class Weave(Backend):
    """Calls of a Weave project, ``ENTITY/PROJECT``."""

    kind = "weave"
    title = "W&B Weave"
    holds = frozenset({"traces"})
    between = 5.0

    def __init__(self, name: str, client: Client, scope: Scope, project: str) -> None:
        super().__init__(name, client, scope)
        self._project = project

    def _reach(self) -> Reading:
        calls = self.stats()
        return Reading(
            Step.REACH,
            Word.OK,
            "it answers, takes the key and knows the project",
            evidence={"calls": str(calls)},
        )

    def _presence(self) -> Reading:
        if self.stats():
            return Reading(Step.PRESENCE, Word.OK, "the project has calls")
        text = "the project has no call yet"
        return Reading(Step.PRESENCE, Word.NO_DATA, text, "give --send-canary, or run it again with the job")

    def stats(self) -> int:
        """The number of calls of the project; raises Answered."""
        reply = self.client.post("/calls/query_stats", {"project_id": self._project})
        if reply.status == 404 and not reply.html:
            raise Answered(
                Word.ABSENT,
                "there is no such project, or not for this key",
                "name it at the end of the URL: --backend NAME=https://trace.wandb.ai/ENTITY/PROJECT",
                status=404,
            )
        _ours(reply)
        return int(object_of(reply, "count")["count"])

    def _positive(self, run_id: str, marker: Marker | None) -> Reading:
        found = self.filtered(run_id, marker)
        if found:
            if any(_run_id(call) != run_id for call in found):
                text = "the filter by the run id returns calls of another run"
                return Reading(Step.POSITIVE, Word.WRONG_ID, text, _COPY)
            text = "the filter by the run id finds a call that carries it"
            return Reading(Step.POSITIVE, Word.OK, text, newest=_newest(found))
        if any(_run_id(call) == run_id for call in self.calls(limit=NEWEST)):
            text = "the run is visible among the newest calls, and the server's filter does not find it"
            return Reading(Step.POSITIVE, Word.NOT_FILTERABLE, text, _COPY, final=True)
        text = "the filter by the run id finds no call"
        remedy = "give --send-canary, or run lens-preflight again with the job"
        return Reading(Step.POSITIVE, Word.NOT_FOUND, text, remedy)

    def _negative(self, run_id: str) -> Reading:
        if self.filtered(run_id):
            return something_for(run_id, _COPY)
        return nothing_for(run_id)

    def _freshness(self, run_id: str) -> Reading:
        newest = _newest(self.filtered(run_id))
        if newest is None:
            text = "no call of the run is there"
            return Reading(Step.FRESHNESS, Word.STALE, text, "run lens-preflight again while the job runs")
        return age(newest, self.client.now(), self.scope.moving)

    def filtered(self, run_id: str, marker: Marker | None = None) -> list[Any]:
        """The newest call that the server's own filter finds; raises Answered."""
        conditions = [_equals(FIELD, run_id)]
        if marker is not None:
            conditions.append(_equals(_MARKER, marker.text))
        expression = conditions[0] if len(conditions) == 1 else {"$and": conditions}
        return self.calls(limit=1, query={"$expr": expression})

    def calls(self, *, limit: int, query: dict[str, Any] | None = None) -> list[Any]:
        """The newest calls, one JSON object per line; raises Answered."""
        body: dict[str, Any] = {
            "project_id": self._project,
            "limit": limit,
            "sort_by": [{"field": "started_at", "direction": "desc"}],
            "columns": ["id", "trace_id", "started_at", "attributes"],
        }
        reply = self.client.post("/calls/stream_query", body | ({"query": query} if query else {}))
        _ours(reply)
        refuse(reply)
        try:
            return [
                json.loads(line, parse_int=json_integer) for line in reply.text.split("\n") if line.strip()
            ]
        except ValueError:
            raise Answered(
                Word.MALFORMED, "the answer is not one JSON object per line, or is cut short"
            ) from None


def _equals(field: str, value: str) -> dict[str, Any]:
    return {"$eq": [{"$getField": field}, {"$literal": value}]}


def _ours(reply: Reply) -> None:
    """The request models take no unknown key: 422 is a fault of ours."""
    if reply.status == 422:
        text = "it calls our request malformed"
        remedy = "report this with the versions of lens-preflight and of the server"
        raise Answered(Word.INTERNAL, text, remedy, status=422)


def _run_id(call: Any) -> str | None:
    attributes = path_in(call, "attributes", "otel_span", "resource", "attributes")
    for value in (path_in(attributes, "nemo", "run", "id"), path_in(attributes, RUN_ID)):
        if value is not None:
            return str(value)
    own = path_in(call, "attributes", "nemo", "run", "id")
    return None if own is None else str(own)


def _newest(calls: list[Any]) -> float | None:
    starts = [unix(path_in(call, "started_at")) for call in calls]
    return max((start for start in starts if start is not None), default=None)
