"""Grafana: queries as its panels make them, dashboards, data sources.

Sources: documentation of Grafana 12; replayed, not run. ``/api/health`` needs no credentials and proves
none; an empty search may mean hidden; a viewer may query although it may not list data sources.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from lens_preflight.backends.answers import items, list_of, malformed, object_of, path_in, refuse
from lens_preflight.backends.http import Client, Reply
from lens_preflight.backends.prometheus_api import LABEL, NOT_TRAINING, shown
from lens_preflight.backends.promql import PromqlBackend, Sample
from lens_preflight.backends.words import Answered, Reading, Scope, Step, Word

METRIC_SOURCES = frozenset(
    {"prometheus", "grafana-amazonprometheus-datasource", "victoriametrics-metrics-datasource"}
)
"""Data source types that take PromQL."""


class Grafana(PromqlBackend):
    """Metrics seen through Grafana's data sources. ``source`` is the uid of one, empty to find out."""

    kind = "grafana"
    title = "Grafana"

    def __init__(self, name: str, client: Client, scope: Scope, source: str = "") -> None:
        super().__init__(name, client, scope)
        self._source = source

    def _reach(self) -> Reading:
        health = self.health()
        reply = self.client.get("/api/org")
        if reply.status == 404:
            reply = self.client.get("/api/user")
        object_of(reply, "id")
        return Reading(Step.REACH, Word.OK, "it answers, and takes the token", evidence=health.evidence)

    def health(self) -> Reading:
        """Alive; no credentials are looked at."""
        answer = object_of(self.client.get("/api/health"), "database")
        evidence = {"version": str(answer.get("version", ""))}
        if answer["database"] != "ok":
            text = "Grafana runs, and its database does not"
            return Reading(Step.REACH, Word.UNHEALTHY, text, "ask those who run Grafana", evidence=evidence)
        return Reading(
            Step.REACH, Word.PARTIAL, "it is alive; no credentials were looked at", evidence=evidence
        )

    def organisation(self) -> Reading:
        """The token is valid."""
        object_of(self.client.get("/api/org"), "id")
        return Reading(Step.REACH, Word.OK, "it takes the token")

    def _presence(self) -> Reading:
        """Any run on a training metric of the data source."""
        found = self.query(f'count by ({LABEL})({{{LABEL}!="",__name__!~"{NOT_TRAINING.pattern}"}})')
        if not found:
            text = "no training metric with the label of the run id is in its data source"
            remedy = "give --send-canary, or run lens-preflight again with the job"
            return Reading(Step.PRESENCE, Word.NO_DATA, text, remedy)
        return Reading(Step.PRESENCE, Word.OK, "training metrics carry the label of the run id")

    def source(self) -> str:
        """The uid of the first data source that takes PromQL, the default one first."""
        if not self._source:
            sources = [s for s in list_of(self.client.get("/api/datasources")) if isinstance(s, dict)]
            metric = [s for s in sources if s.get("type") in METRIC_SOURCES]
            if not metric:
                raise Answered(
                    Word.NO_DATA,
                    "Grafana has no Prometheus data source that this token may see",
                    "add one, or give --backend prometheus=URL",
                )
            self._source = str(sorted(metric, key=lambda s: not s.get("isDefault"))[0]["uid"])
        return self._source

    def source_health(self, uid: str) -> Reading:
        """Whether a data source answers Grafana."""
        reply = self.client.get(f"/api/datasources/uid/{quote(uid)}/health")
        if reply.status == 400:
            text = "the data source does not answer Grafana"
            return Reading(
                Step.PRESENCE, Word.UNHEALTHY, text, "correct the URL of the data source in Grafana"
            )
        good = object_of(reply, "status").get("status") == "OK"
        word = Word.OK if good else Word.UNHEALTHY
        return Reading(
            Step.PRESENCE, word, "the data source answers Grafana" if good else "it does not answer"
        )

    def sources(self) -> Reading:
        """The list of data sources; a viewer may not see it."""
        found = list_of(self.client.get("/api/datasources"))
        return Reading(Step.PRESENCE, Word.OK, "data sources are listed", evidence={"count": str(len(found))})

    def search(self, text: str = "") -> Reading:
        """Dashboards that the token may see; none is no proof of absence."""
        params = {"type": "dash-db", "limit": "100"} | ({"query": text} if text else {})
        found = list_of(self.client.get("/api/search", params))
        if not found:
            said = "no dashboard is found: absent, or not to be seen with this token"
            return Reading(
                Step.PRESENCE, Word.INVISIBLE, said, "give the token dashboards:read on its folder"
            )
        return Reading(Step.PRESENCE, Word.OK, "dashboards are found", evidence={"count": str(len(found))})

    def dashboard(self, uid: str) -> dict[str, Any]:
        """The model of one dashboard, classic shape; raises Answered."""
        reply = self.client.get(f"/api/dashboards/uid/{quote(uid)}")
        if reply.status == 404 and b'"message"' in reply.body:
            text = "Grafana has no dashboard of that uid, or not for this token"
            raise Answered(Word.ABSENT, text, "check the uid in --dashboard URL", status=404)
        model = object_of(reply, "dashboard")["dashboard"]
        return model if isinstance(model, dict) else {}

    def dashboard_reading(self, uid: str) -> Reading:
        """Whether one dashboard is there."""
        self.dashboard(uid)
        return Reading(Step.PRESENCE, Word.OK, "the dashboard is there")

    def query(self, expression: str) -> list[Sample]:
        """What a panel with this expression gets, the last value of each series; raises Answered."""
        query = {"refId": "A", "datasource": {"uid": self.source()}, "expr": expression, "instant": True}
        reply = self.client.post("/api/ds/query", {"from": "now-1h", "to": "now", "queries": [query]})
        _refused(reply)
        result = path_in(object_of(reply, "results"), "results", "A")
        if not isinstance(result, dict):
            raise malformed()
        return list(_samples(result.get("frames")))


def _refused(reply: Reply) -> None:
    """Errors of a query come per refId, with several codes over the versions."""
    if reply.status in (200, 207, 400, 500):
        try:
            error = path_in(reply.json(), "results", "A", "error")
        except Answered:
            error = None
        if isinstance(error, str):
            text = f"the data source refuses the query: {shown(error)}"
            raise Answered(Word.QUERY_ERROR, text, "correct the query", status=reply.status)
    refuse(reply)


def _samples(frames: Any) -> Iterator[Sample]:
    for frame in items(frames):
        fields = items(path_in(frame, "schema", "fields"))
        columns = items(path_in(frame, "data", "values"))
        for field, column in zip(fields, columns, strict=False):
            if field.get("type") == "number" and column and column[-1] is not None:
                yield Sample(dict(field.get("labels") or {}), float(column[-1]))
