"""Prometheus and stores with its API: VictoriaMetrics, Mimir, Thanos, Grafana Cloud.

Sources: Prometheus 2.42 and VictoriaMetrics 1.79 run; documentation of 3.x. A run counts as found only
on a training metric: label values without ``match[]`` also list ids that live on target_info alone,
where no panel can use them.
"""

from __future__ import annotations

import math
from typing import Any

from lens_preflight.backends.answers import items, malformed, path_in
from lens_preflight.backends.prometheus_api import LABEL, NOT_TRAINING, data_of
from lens_preflight.backends.promql import PROMOTE, PromqlBackend, Sample
from lens_preflight.backends.words import Answered, Reading, Step, Word


class Prometheus(PromqlBackend):
    """Metrics behind ``/api/v1``."""

    kind = "prometheus"
    title = "Prometheus"

    def _reach(self) -> Reading:
        reply = self.client.get("/api/v1/status/buildinfo")
        if reply.status == 404:
            reply = self.client.get("/api/v1/query", {"query": "vector(1)"})
        answer = data_of(reply)
        if not isinstance(answer, dict):
            raise malformed()
        version = answer.get("version")
        evidence = {"version": version} if isinstance(version, str) else {}
        return Reading(Step.REACH, Word.OK, "it answers", evidence=evidence)

    def _presence(self) -> Reading:
        """Any run: its label on a training metric, on target_info alone, or nowhere."""
        values = self.label_values()
        if not values:
            text = "no series has the label of the run id yet"
            remedy = "give --send-canary, or run lens-preflight again with the job"
            return Reading(Step.PRESENCE, Word.NO_DATA, text, remedy)
        if not self.label_values(f'{{{LABEL}!="",__name__!~"{NOT_TRAINING.pattern}"}}'):
            text = "run ids are on target_info alone, where no panel can filter by them"
            return Reading(Step.PRESENCE, Word.NOT_FILTERABLE, text, PROMOTE)
        evidence = {"run ids": str(len(values))}
        return Reading(
            Step.PRESENCE, Word.OK, "training metrics carry the label of the run id", evidence=evidence
        )

    def label_values(self, match: str | None = None) -> tuple[str, ...]:
        """All run ids, or those on the series that a selector matches, of the last hour."""
        now = self.client.now()
        params = [("start", f"{now - self.scope.lookback:.3f}"), ("end", f"{now + 60.0:.3f}")]
        if match is not None:
            params.append(("match[]", match))
        answer = data_of(self.client.get(f"/api/v1/label/{LABEL}/values", params))
        return tuple(value for value in items(answer) if isinstance(value, str))

    def listed(self, metric: str, run_id: str) -> Reading:
        """P3 by label values: the run is among the ids of one training metric."""
        values = self.label_values(metric)
        if run_id in values:
            return Reading(Step.POSITIVE, Word.OK, "the run is among the ids of a training metric")
        if values:
            text = "the metric has other runs only"
            return Reading(Step.POSITIVE, Word.NOT_FOUND, text, "run lens-preflight again with the job")
        text = "no run id is on the training metric: it is on target_info alone, if anywhere"
        return Reading(Step.POSITIVE, Word.NOT_FILTERABLE, text, PROMOTE)

    def rules(self) -> list[dict[str, Any]]:
        """The groups of recording and alert rules that are loaded; raises Answered."""
        return items(path_in(data_of(self.client.get("/api/v1/rules")), "groups"))

    def query(self, expression: str) -> list[Sample]:
        """The series of an instant query; raises Answered."""
        answer = data_of(self.client.get("/api/v1/query", {"query": expression}))
        if path_in(answer, "resultType") != "vector":
            raise Answered(Word.MALFORMED, "an instant query answers with something else than a vector")
        return [Sample(s["metric"], _value(s)) for s in items(path_in(answer, "result"))]


def _value(series: Any) -> float:
    """The value of a series; a native histogram has none that could be compared."""
    return float(series["value"][1]) if "value" in series else math.nan
