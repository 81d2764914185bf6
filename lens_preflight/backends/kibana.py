"""Kibana and OpenSearch Dashboards: alive, signed in, and a data view for the index.

Sources: documentation of Kibana 9; replayed, not run. It has no public call that filters documents:
the store behind it is asked for that.
"""

from __future__ import annotations

from lens_preflight.backends.answers import items, object_of, path_in
from lens_preflight.backends.backend import Backend
from lens_preflight.backends.words import Answered, Marker, Reading, Step, Word

_STORE = "give the store behind it as well: --backend elasticsearch=URL"


class Kibana(Backend):
    """The data views of Kibana."""

    kind = "kibana"
    title = "Kibana"
    holds = frozenset[str]()

    def _reach(self) -> Reading:
        self.views()
        return Reading(Step.REACH, Word.OK, "it answers, and takes the credentials")

    def _presence(self) -> Reading:
        titles = self.views()
        if any("nemo" in t or t.startswith(("traces", "*")) for title in titles for t in title.split(",")):
            return Reading(
                Step.PRESENCE, Word.OK, "a data view covers traces", evidence={"views": ", ".join(titles)}
            )
        if not titles:
            text = "it has no data view, or none that this user may see"
            return Reading(
                Step.PRESENCE, Word.INVISIBLE, text, "create a data view for nemo-traces in Kibana"
            )
        text = "no data view covers the index of the traces"
        return Reading(Step.PRESENCE, Word.NO_DATA, text, "create a data view for nemo-traces in Kibana")

    def status(self) -> Reading:
        """Whether it says of itself that it works; Kibana says a level, OpenSearch Dashboards a state."""
        answer = object_of(self.client.get("/api/status"), "status")
        overall = path_in(answer, "status", "overall")
        level = str(path_in(overall, "level") or path_in(overall, "state") or "")
        if level in ("available", "green"):
            return Reading(Step.REACH, Word.PARTIAL, "it is alive; no credentials were looked at")
        text = f"it calls itself {level or 'nothing'}"
        return Reading(Step.REACH, Word.UNHEALTHY, text, "ask those who run Kibana")

    def views(self) -> tuple[str, ...]:
        """The index patterns of all data views; raises Answered."""
        reply = self.client.get("/api/data_views")
        if reply.status == 404:
            return self._patterns()
        found = items(object_of(reply, "data_view")["data_view"])
        return tuple(str(path_in(view, "title")) for view in found)

    def _patterns(self) -> tuple[str, ...]:
        """The same before Kibana 8 and in OpenSearch Dashboards."""
        params = {"type": "index-pattern", "per_page": "100"}
        answer = object_of(self.client.get("/api/saved_objects/_find", params), "saved_objects")
        return tuple(str(path_in(one, "attributes", "title")) for one in items(answer["saved_objects"]))

    def _positive(self, run_id: str, marker: Marker | None) -> Reading:
        raise Answered(Word.INCONCLUSIVE, "Kibana has no public call that filters documents", _STORE)

    def _negative(self, run_id: str) -> Reading:
        raise Answered(Word.INCONCLUSIVE, "Kibana has no public call that filters documents", _STORE)

    def _freshness(self, run_id: str) -> Reading:
        raise Answered(Word.INCONCLUSIVE, "Kibana does not tell how old the data is", _STORE)
