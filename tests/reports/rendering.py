"""A run in one format, as text; and what a reader must find in it, counted from the run itself."""

from __future__ import annotations

import io
from collections import Counter

from lens_preflight.core.finding import Place
from lens_preflight.core.outcome import Judged, RunRecord
from lens_preflight.core.words import Severity, Status
from lens_preflight.reports import REPORTS, Style


def rendered(name: str, run: RunRecord) -> str:
    """The report as one text."""
    out = io.StringIO()
    REPORTS[name].write(run, out, Style())
    return out.getvalue()


def judged(run: RunRecord) -> list[Judged]:
    """All findings of a run."""
    return [one for outcome in run.results for one in outcome.findings]


def weights(run: RunRecord) -> Counter[Severity]:
    """How many findings that are not waived have each weight."""
    return Counter(one.finding.severity for one in judged(run) if not one.waived)


def placed(run: RunRecord) -> list[Judged]:
    """The findings that lie in a file."""
    files = [one for one in judged(run) if one.finding.at.kind is Place.FILE]
    return [one for one in files if one.finding.at.what.strip()]


def untold(run: RunRecord) -> int:
    """How many outcomes could not tell and are not waived."""
    return sum(o.status in (Status.UNKNOWN, Status.ERROR) and not o.waived for o in run.results)


def waived(run: RunRecord) -> int:
    """How many findings, and outcomes that could not tell, are waived."""
    doubts = (o for o in run.results if o.status in (Status.UNKNOWN, Status.ERROR))
    return sum(bool(one.waived) for one in judged(run)) + sum(bool(o.waived) for o in doubts)


def statuses(run: RunRecord) -> Counter[str]:
    """How many outcomes have each status, a folded one counted once for each target."""
    found: Counter[str] = Counter()
    for outcome in run.results:
        found[outcome.status.value] += max(len(outcome.targets), 1)
    return found
