"""How often each word of the verdict occurs in a run."""

from __future__ import annotations

from collections import Counter

from lens_preflight.core.outcome import RunRecord
from lens_preflight.core.words import Status


def counts(record: RunRecord) -> dict[str, int]:
    """How many outcomes have each status, and how many findings are waived."""
    found = Counter(outcome.status.value for outcome in record.results)
    waived = sum(bool(j.waived) for outcome in record.results for j in outcome.findings)
    ours = {status.value: found[status.value] for status in Status}
    return {**ours, "waived": waived, **record.counts}
