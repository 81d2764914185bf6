"""Honeycomb: a column for the run id, and counts where the plan has the query API.

Sources: API documentation of 2026; replayed, not run. ``last_written`` of the column is the cheap
freshness; it is the newest of all runs.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from lens_preflight.backends.answers import object_of, path_in, unix
from lens_preflight.backends.backend import MARKER, RUN_ID, Backend, age, nothing_for, something_for
from lens_preflight.backends.http import Client, Reply
from lens_preflight.backends.words import Answered, Marker, Reading, Scope, Step, Word

EVERYWHERE = "__all__"
"""The data set that stands for the whole environment."""

MAX_POLLS = 8


class Honeycomb(Backend):
    """Events in a Honeycomb data set."""

    kind = "honeycomb"
    title = "Honeycomb"
    holds = frozenset({"traces"})
    between = 15.0

    def __init__(self, name: str, client: Client, scope: Scope, dataset: str = "") -> None:
        super().__init__(name, client, scope)
        self._dataset = quote(dataset or next(iter(scope.services), EVERYWHERE), safe="")

    def _reach(self) -> Reading:
        answer = object_of(self.client.get("/1/auth"), "api_key_access")
        access = answer["api_key_access"]
        evidence = {"environment": str(path_in(answer, "environment", "slug") or "classic")}
        missing = [name for name in ("columns", "queries") if not access.get(name)]
        if len(missing) == 2:
            raise Answered(
                Word.PERMISSION,
                "the key can send events and not query them",
                'export HONEYCOMB_API_KEY=<a configuration key with "Manage Queries and Columns">',
            )
        return Reading(Step.REACH, Word.OK, "it answers, and takes the key", evidence=evidence)

    def _presence(self) -> Reading:
        return self.column()[0]

    def column(self) -> tuple[Reading, float | None]:
        """The column of the run id, and when it was last written, in Unix seconds."""
        reply = self.client.get(f"/1/columns/{self._dataset}", {"key_name": RUN_ID})
        if reply.status == 404 and b'"error"' in reply.body:
            raise Answered(
                Word.NOT_FILTERABLE,
                "the data set has no column for the run id: no event with it has ever arrived",
                "give --send-canary; name another data set at the end of the URL: --backend NAME=URL/DATASET",
                status=404,
            )
        answer = object_of(reply, "key_name")
        newest = unix(answer.get("last_written"))
        evidence = {"last written": str(answer.get("last_written"))}
        text = "the data set has a column for the run id"
        return Reading(Step.PRESENCE, Word.OK, text, newest=newest, evidence=evidence), newest

    def _positive(self, run_id: str, marker: Marker | None) -> Reading:
        self.column()
        return counted(self.count(run_id, marker))

    def _negative(self, run_id: str) -> Reading:
        if self.count(run_id):
            return something_for(run_id, "report this with the data set")
        return nothing_for(run_id)

    def count(self, run_id: str, marker: Marker | None = None) -> int:
        """How many events of the window carry the id; raises Answered."""
        filters: list[dict[str, Any]] = [{"column": RUN_ID, "op": "=", "value": run_id}]
        if marker is not None:
            filters.append({"column": MARKER, "op": "=", "value": marker.text})
        query = {
            "calculations": [{"op": "COUNT"}],
            "filters": filters,
            "filter_combination": "AND",
            "time_range": int(self.scope.lookback),
        }
        made = self.client.post(f"/1/queries/{self._dataset}", query)
        _in_plan(made)
        body = {"query_id": object_of(made, "id")["id"], "disable_series": True, "limit": 1}
        started = self.client.post(f"/1/query_results/{self._dataset}", body)
        _in_plan(started)
        return self.result(str(object_of(started, "id")["id"]))

    def result(self, result_id: str, polls: int = MAX_POLLS) -> int:
        """The count of a query result, asked for until it is complete; raises Answered."""
        for _ in range(polls):
            reply = self.client.get(f"/1/query_results/{self._dataset}/{quote(result_id, safe='')}")
            answer = object_of(reply, "complete")
            if answer["complete"]:
                return int(path_in(answer, "data", "results", 0, "data", "COUNT") or 0)
            self.client.wait(0.5)
        text = "the query is still running"
        raise Answered(Word.POLL, text, "give --timeout more seconds, then run lens-preflight again")

    def _freshness(self, run_id: str) -> Reading:
        _, newest = self.column()
        if newest is None:
            raise Answered(Word.INCONCLUSIVE, "the column does not tell when it was last written")
        return age(newest, self.client.now(), self.scope.moving)


def counted(found: int) -> Reading:
    """P3 from the number of events."""
    if found:
        text = "a query that filters by the run id counts events"
        return Reading(Step.POSITIVE, Word.OK, text, evidence={"events": str(found)})
    text = "a query that filters by the run id counts nothing"
    remedy = "give --send-canary, or run lens-preflight again with the job"
    return Reading(Step.POSITIVE, Word.NOT_FOUND, text, remedy)


def _in_plan(reply: Reply) -> None:
    """The query API is for one plan only; an unknown column is 422."""
    if reply.status in (403, 404):
        raise Answered(
            Word.PERMISSION,
            "the key, or the plan, has no query API: the column exists, a filter cannot be proven",
            'give the key the permission "Manage Queries and Columns", or look at the column in the UI',
            status=reply.status,
        )
    if reply.status == 422:
        text = "the query names a column that the data set does not have"
        raise Answered(Word.NOT_FILTERABLE, text, "give --send-canary", status=422)
