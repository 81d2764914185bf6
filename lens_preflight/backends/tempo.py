"""Tempo: search by TraceQL.

Sources: Grafana Tempo's documentation of August 2026; replayed, not run. Without start and end only the
newest traces are searched; results have no order; versions before 2.0 match substrings, so that every hit
is looked at.
"""

from __future__ import annotations

from typing import Any

from lens_preflight.backends.answers import items, malformed, object_of, path_in, refuse
from lens_preflight.backends.backend import MARKER, RUN_ID, Backend, age, nothing_for, something_for
from lens_preflight.backends.http import Reply
from lens_preflight.backends.prometheus_api import shown
from lens_preflight.backends.words import Answered, Marker, Reading, Step, Word

_TAG = f"resource.{RUN_ID}"


class Tempo(Backend):
    """Traces in Tempo."""

    kind = "tempo"
    title = "Tempo"
    holds = frozenset({"traces"})
    between = 3.0

    def _reach(self) -> Reading:
        self.run_ids()
        return Reading(Step.REACH, Word.OK, "it answers a search")

    def _presence(self) -> Reading:
        found = self.run_ids()
        if not found:
            text = "no trace with a run id on its resource is there yet"
            remedy = "give --send-canary, or run lens-preflight again with the job"
            return Reading(Step.PRESENCE, Word.NO_DATA, text, remedy)
        text = "traces carry a run id on their resource"
        return Reading(Step.PRESENCE, Word.OK, text, evidence={"run ids": str(len(found))})

    def run_ids(self) -> tuple[str, ...]:
        """The run ids of the window; raises Answered."""
        reply = self.client.get(f"/api/v2/search/tag/{_TAG}/values", {"q": "{}", **self._window()})
        _refused(reply)
        values = items(object_of(reply).get("tagValues"))
        return tuple(str(path_in(v, "value")) for v in values)

    def _positive(self, run_id: str, marker: Marker | None) -> Reading:
        found = self.search(run_id, marker)
        if not found:
            text = "the filter by the run id finds no trace"
            remedy = "give --send-canary, or run lens-preflight again with the job"
            return Reading(Step.POSITIVE, Word.NOT_FOUND, text, remedy)
        carried = {i for trace in found for i in _ids(trace)}
        if carried - {run_id}:
            text = "the filter by the run id returns traces of another run"
            return Reading(
                Step.POSITIVE, Word.WRONG_ID, text, "update Tempo to 2.0 or newer, which has TraceQL"
            )
        text = "the filter by the run id finds a trace"
        return Reading(Step.POSITIVE, Word.OK, text, newest=_newest(found))

    def search(
        self, run_id: str, marker: Marker | None = None, lookback: float | None = None
    ) -> list[dict[str, Any]]:
        """The first trace of a run; raises Answered.

        The id is selected, so that the answer itself shows what it carries.
        """
        conditions = [f"{_TAG} = {_quoted(run_id)}"]
        if marker is not None:
            conditions.append(f"span.{MARKER} = {_quoted(marker.text)}")
        query = f"{{ {' && '.join(conditions)} }} | select({_TAG})"
        reply = self.client.get("/api/search", {"q": query, "limit": "1", **self._window(lookback)})
        _refused(reply)
        answer = object_of(reply)
        if "traces" not in answer and "metrics" not in answer:  # old versions leave an empty list out
            raise malformed()
        return items(answer.get("traces"))

    def _negative(self, run_id: str) -> Reading:
        if self.search(run_id):
            return something_for(run_id, "update Tempo to 2.0 or newer, which has TraceQL")
        return nothing_for(run_id)

    def _freshness(self, run_id: str) -> Reading:
        found = self.search(run_id, lookback=self.scope.moving) or self.search(run_id)
        newest = _newest(found)
        if newest is None:
            text = "no trace of the run in the window"
            return Reading(Step.FRESHNESS, Word.STALE, text, "run lens-preflight again while the job runs")
        return age(newest, self.client.now(), self.scope.moving)

    def _window(self, lookback: float | None = None) -> dict[str, str]:
        now = self.client.now()
        return {"start": str(int(now - (lookback or self.scope.lookback))), "end": str(int(now + 60.0))}


def _refused(reply: Reply) -> None:
    """A TraceQL error is text with 400; so is a window that is longer than allowed."""
    text = reply.text
    if reply.status == 400 and not reply.html:
        if "range specified by start and end" in text:
            said = "the window of the search is longer than this Tempo allows"
            raise Answered(Word.INCONCLUSIVE, said, "raise max_search_duration in Tempo", status=400)
        said = f"the query is refused: {shown(text)}"
        raise Answered(Word.QUERY_ERROR, said, "update Tempo to 2.0 or newer, which has TraceQL", status=400)
    refuse(reply)


def _ids(trace: Any) -> set[str]:
    """Run ids that the spans of a hit show; none when the answer selects no attribute."""
    sets = items(path_in(trace, "spanSets")) or [path_in(trace, "spanSet")]
    return {
        str(path_in(attribute, "value", "stringValue"))
        for one in sets
        for span in items(path_in(one, "spans"))
        for attribute in items(path_in(span, "attributes"))
        if path_in(attribute, "key") in (RUN_ID, _TAG)
    }


def _newest(traces: list[dict[str, Any]]) -> float | None:
    """The end of the latest span shown, else of the latest trace, in Unix seconds."""
    ends = [int(t["startTimeUnixNano"]) / 1e9 + t.get("durationMs", 0) / 1e3 for t in traces]
    return max(ends, default=None)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
