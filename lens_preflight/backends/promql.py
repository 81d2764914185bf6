"""What is asked in PromQL, of Prometheus itself or through Grafana.

Source: Prometheus 2.42, run. A function over several metric names at once drops the names, which
Prometheus refuses as duplicates; so families are asked one by one in one query.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping

from lens_preflight.backends.backend import GAUGE, Backend, age, nothing_for, something_for
from lens_preflight.backends.prometheus_api import LABEL, LABELS, NOT_TRAINING, label_text, quoted, select
from lens_preflight.backends.words import Answered, Marker, Reading, Step, Word
from lens_preflight.core.data import dataclass

MAX_FAMILIES = 8
MIN_SAMPLES = 3.0
_AGAIN = "run lens-preflight again while the job runs, or give --send-canary"

PROMOTE = (
    "have the run id promoted to a label: resource_to_telemetry_conversion: {enabled: true} in the "
    "collector's prometheus exporter, or promote_resource_attributes: [nemo.run.id] in Prometheus' otlp block"
)


@dataclass(frozen=True)
class Sample:
    """One series of an instant query: its labels and its value."""

    labels: Mapping[str, str]
    value: float


class PromqlBackend(Backend):
    """A backend that answers instant queries."""

    holds = frozenset({"metrics"})
    _label = LABEL

    @abstractmethod
    def query(self, expression: str) -> list[Sample]:
        """The series of an instant query; raises Answered."""

    def _positive(self, run_id: str, marker: Marker | None) -> Reading:
        if marker is not None:
            return self._canary(run_id, marker)
        for label in LABELS:
            families = self._inventory(run_id, label)
            training = [name for name in families if not NOT_TRAINING.fullmatch(name)]
            if training:
                self._label = label
                return self.series(training[0], run_id, families=len(training))
            if families:
                text = "the run id is on target_info alone, where no panel can filter by it"
                return Reading(Step.POSITIVE, Word.NOT_FILTERABLE, text, PROMOTE, final=True)
        if self.query(f"count by (instance)({{instance=~{quoted(re.escape(run_id) + '-rank[0-9]+')}}})"):
            text = "the run is to be found by the label instance only, not by its run id"
            return Reading(Step.POSITIVE, Word.NOT_FILTERABLE, text, PROMOTE, final=True)
        text = "the filter by the run id finds no series"
        remedy = "give --send-canary, or run lens-preflight again with the job"
        return Reading(Step.POSITIVE, Word.NOT_FOUND, text, remedy)

    def _inventory(self, run_id: str, label: str) -> tuple[str, ...]:
        """The families that carry the run id now; a store before 3.0 cannot be asked for dots."""
        try:
            answer = self.query(f"count by (__name__)({select('', label, run_id)})")
        except Answered as answered:
            if label == LABEL or answered.word is not Word.QUERY_ERROR:
                raise
            return ()
        names = (sample.labels.get("__name__") for sample in answer)
        return tuple(sorted(name for name in names if isinstance(name, str)))

    def families(self, run_id: str) -> Reading:
        """The inventory as a reading: which training families a panel could show for the run."""
        training = [n for n in self._inventory(run_id, self._label) if not NOT_TRAINING.fullmatch(n)]
        if not training:
            return Reading(Step.POSITIVE, Word.NOT_FOUND, "no training metric carries the run id", PROMOTE)
        evidence = {"families": ", ".join(training[:20])}
        return Reading(Step.POSITIVE, Word.OK, "training metrics carry the run id", evidence=evidence)

    def series(self, metric: str, run_id: str, *, families: int = 1) -> Reading:
        """P3 as a panel asks: every series that comes back carries the id."""
        found = self.query(select(metric, self._label, run_id))
        if not found:
            text = "the filter by the run id finds no series"
            return Reading(Step.POSITIVE, Word.NOT_FOUND, text, "run lens-preflight again with the job")
        if any(s.labels.get(self._label) != run_id for s in found):
            text = "the filter by the run id returns series of another run"
            return Reading(
                Step.POSITIVE, Word.WRONG_ID, text, "give --backend NAME=URL of a store that filters"
            )
        evidence = {"metric": metric, "series": str(len(found)), "families": str(families)}
        text = "the filter by the run id finds training metrics that carry it"
        return Reading(Step.POSITIVE, Word.OK, text, evidence=evidence)

    def panel(self, expression: str, run_id: str) -> Reading:
        """P3 with a panel's own expression, its variables replaced; the run may be aggregated away."""
        return self.ask(Step.POSITIVE, self._panel, expression, run_id)

    def _panel(self, expression: str, run_id: str) -> Reading:
        found = self.query(expression)
        if not found:
            text = "a panel that filters by the run id shows nothing"
            return Reading(Step.POSITIVE, Word.NOT_FOUND, text, "run lens-preflight again with the job")
        if any(s.labels.get(label, run_id) != run_id for s in found for label in LABELS):
            text = "a panel that filters by the run id shows another run"
            return Reading(Step.POSITIVE, Word.WRONG_ID, text, "filter the panel by the run variable")
        text = "a panel that filters by the run id shows the run"
        return Reading(Step.POSITIVE, Word.OK, text, evidence={"series": str(len(found))})

    def _canary(self, run_id: str, marker: Marker) -> Reading:
        names = f"{GAUGE.replace('.', '_')}|{re.escape(GAUGE)}"
        every = self.query(f"{{__name__=~{quoted(names)}}}")
        ours = [s.labels for s in every if s.value == marker.value]
        if not ours:
            return Reading(Step.POSITIVE, Word.NOT_FOUND, "the gauge of the canary is not there")
        for labels in ours:
            for label in LABELS:
                if labels.get(label) == run_id:
                    self._label = label
                    return self.series(labels["__name__"], run_id)
        text = "the gauge of the canary is there, and without a label for the run id"
        return Reading(Step.POSITIVE, Word.NOT_FILTERABLE, text, PROMOTE, final=True)

    def _negative(self, run_id: str) -> Reading:
        if self._inventory(run_id, self._label):
            return something_for(
                run_id, "give --backend NAME=URL of the store itself, without a rewriting proxy"
            )
        return nothing_for(run_id)

    def _freshness(self, run_id: str) -> Reading:
        """Recent is not enough: an exporter serves the last value of a dead run for minutes or hours."""
        families = [n for n in self._inventory(run_id, self._label) if not NOT_TRAINING.fullmatch(n)]
        chosen = sorted(families, key=_moves_late)[:MAX_FAMILIES]
        if not chosen:
            return Reading(Step.FRESHNESS, Word.STALE, "no sample of the run is recent enough", _AGAIN)
        window = f"[{max(1, int(self.scope.moving))}s]"
        moved = self._of_each("changes", chosen, run_id, window)
        moving = [name for name in chosen if moved.get(name, 0.0) > 0.0]
        stamped = self.age(run_id, (moving or chosen)[0])
        if moving and stamped.ok:
            text = "the newest data of the run is recent, and moves"
            return Reading(Step.FRESHNESS, Word.OK, text, newest=stamped.newest, evidence=stamped.evidence)
        if not stamped.ok:
            return stamped
        if max(self._of_each("count_over_time", chosen, run_id, window).values(), default=0.0) < MIN_SAMPLES:
            text = "too few samples yet to tell a living run from a frozen value"
            return Reading(
                Step.FRESHNESS, Word.INCONCLUSIVE, text, "run lens-preflight again in some minutes"
            )
        return Reading(
            Step.FRESHNESS,
            Word.STALE,
            "the last values are served again and again, and none has moved: the run is dead or stuck",
            "set send_timestamps: true and a short metric_expiration in the collector's prometheus exporter",
            newest=stamped.newest,
            evidence=dict(stamped.evidence) | {"window": window},
        )

    def _of_each(self, function: str, metrics: list[str], run_id: str, window: str) -> dict[str, float]:
        """The largest value of a function over time per family, in one query.

        A function over several names at once drops the names, which Prometheus refuses as duplicates.
        """
        parts = []
        for name in metrics:
            value = f"max({function}({select(name, self._label, run_id)}{window}))"
            parts.append(f'label_replace({value},"family",{quoted(name)},"","")')
        found = self.query(" or ".join(parts))
        return {s.labels.get("family", ""): s.value for s in found}

    def age(self, run_id: str, metric: str) -> Reading:
        """The age of the newest sample of a family of the run, which proves nothing by itself."""
        by = label_text(self._label)
        found = self.query(f"time() - max by ({by})(timestamp({select(metric, self._label, run_id)}))")
        ages = [s.value for s in found]
        if not ages:
            return Reading(Step.FRESHNESS, Word.STALE, "no sample of the run is recent enough", _AGAIN)
        now = self.client.now()
        return age(now - min(ages), now, self.scope.fresh)


def _moves_late(metric: str) -> tuple[bool, str]:
    """Counts and sums first: they move with every step, a learning rate may never."""
    return not metric.endswith(("_count", "_sum", "_total")), metric
