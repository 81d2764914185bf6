"""What compute nodes have shown, for a run elsewhere: reads what ``merge`` or one node wrote."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lens_preflight.core.data import dataclass, replace
from lens_preflight.core.errors import InputError, LibraryFailure, Undecided
from lens_preflight.core.outcome import Outcome
from lens_preflight.core.regular import read_regular
from lens_preflight.core.words import Status
from lens_preflight.gate.decode import decode
from lens_preflight.gate.merge import CHECK, HOST_DEPENDENT, unix_time, waived_by
from lens_preflight.gate.reportfile import MAX_DOCUMENT, NotAReport, parse

if TYPE_CHECKING:
    from lens_preflight.probe.way import Way
    from lens_preflight.subject.subject import Subject

ASKED = "--node-report"
ANOTHER = f"another {ASKED} (-v says why)"
HOUR = 3600
DAY = 86_400
"""Seconds for which the report of a node counts."""


@dataclass(frozen=True)
class NodeReport:
    """The outcomes of a report from compute nodes, and where and when they were obtained."""

    path: str
    nodes: str
    job: str
    started: str
    outcomes: tuple[Outcome, ...]
    lacks: str
    """Why it does not speak for all nodes; empty when it does."""

    @property
    def where(self) -> str:
        """Nodes and job in a few words."""
        return f"{self.nodes or 'a compute node'}{f', job {self.job}' if self.job else ''}"

    def stale(self, now: float) -> str:
        """Why it is too old to speak for a job that starts now; empty when it is not."""
        at = unix_time(self.started)
        if at <= 0:
            return "it does not say when it was made"
        if at - now > HOUR:
            return f"it was made after now, at {self.started} by the clock of the node"
        days = (now - at) / DAY
        return f"it is {days:.3g} days old, and what it shows counts for a day" if days > 1 else ""


def read_node_report(path: str) -> NodeReport:
    """Read a report for ``--node-report``.

    Raises:
        InputError: it cannot be read, is no report, or is not from a compute node.
    """
    try:
        data = read_regular(Path(path), MAX_DOCUMENT)
        if len(data) > MAX_DOCUMENT:
            raise NotAReport(f"more than {MAX_DOCUMENT} bytes")
        report = decode(parse(data))
    except OSError as error:
        raise InputError(f"{ASKED} {path}: cannot be read ({error.strerror}); check the path") from None
    except NotAReport as reason:
        raise InputError(f"{ASKED} {path}: {reason}; give the output of lens-preflight merge") from None
    if report.profile != "node":
        raise InputError(
            f"{ASKED} {path}: was made with profile {report.profile}; on a compute node type "
            "lens-preflight check --profile node --report json=FILE"
        )
    obtained = report.run.get("obtained")
    obtained = obtained if isinstance(obtained, dict) else {}
    lacks = [o.reason for o in report.outcomes if o.check == CHECK and o.status is not Status.PASS]
    incomplete = str(report.run.get("incomplete") or "")
    return NodeReport(
        path=path,
        nodes=str(obtained.get("node") or obtained.get("host") or ""),
        job=str(obtained.get("slurm_job") or ""),
        started=str(report.run.get("started") or ""),
        outcomes=report.outcomes,
        lacks="; ".join((*lacks, *([incomplete] if incomplete else []))),
    )


def closed(
    results: Sequence[Outcome],
    report: NodeReport,
    asked: Mapping[str, frozenset[Way]] | None = None,
    now: float | None = None,
) -> tuple[Outcome, ...]:
    """The results of a run with what the nodes have shown in place of what this host could not.

    An outcome about the endpoint that is open here (it asks for a node report, or nothing was sent)
    is replaced by the nodes' own when they judged the same signals, sent in the same way, not longer
    than a day ago, whatever they found; otherwise it stays open and says why. ``asked``: how this job
    sends, by signal. ``now``: seconds since the epoch.
    """
    now = time.time() if now is None else now
    return tuple(_closed(outcome, report, asked or {}, now) for outcome in results)


def ways(subject: Subject) -> dict[str, frozenset[Way]]:
    """How the job's launches send each signal, as far as it is known before start."""
    from lens_preflight.context import SIGNALS, exports
    from lens_preflight.lens.config import LensConfig
    from lens_preflight.otel.view import OtelView
    from lens_preflight.probe.way import Way, way

    found: dict[str, set[Way]] = {}
    for launch in subject.launches:
        for generation in subject.generations(launch):
            env = subject.inside(launch, generation).env.closed()
            lens = LensConfig(env, launch.framework, generation)
            view = OtelView(env, generation, subject.files, launch.framework.prefixes).with_all_files
            for signal in SIGNALS:
                try:
                    if not exports(lens, signal):
                        continue
                    exporter = view.exporter(signal)
                    if exporter.transport != "console":
                        found.setdefault(signal, set()).add(way(exporter, env))
                except (Undecided, LibraryFailure) as error:
                    # like no other: better open than closed by another way
                    found.setdefault(signal, set()).add(Way(signal, (("unknown", str(error)),)))
    return {signal: frozenset(each) for signal, each in found.items()}


def _closed(outcome: Outcome, report: NodeReport, asked: Mapping[str, frozenset[Way]], now: float) -> Outcome:
    unsent = outcome.status is Status.SKIP and bool(outcome.missing_input) and bool(asked)
    if ASKED not in outcome.missing_input and not (unsent and outcome.check in HOST_DEPENDENT):
        return outcome
    theirs = [o for o in report.outcomes if o.check == outcome.check]
    why = report.stale(now) or _why_not(outcome, theirs, report, asked)
    if why:
        reason = f"{outcome.reason}; {report.path} does not close it: {why}".lstrip("; ")
        return replace(outcome, reason=reason, missing_input=ANOTHER)
    worst = next(s for s in _ORDER if any(o.status is s for o in theirs))
    chosen = [o for o in theirs if o.status is worst]
    reasons = dict.fromkeys(o.reason for o in chosen if o.reason)
    return replace(
        outcome,
        status=worst,
        findings=tuple(j for o in theirs for j in o.findings),
        reason=f"from {report.where}: {'; '.join(reasons)}" if reasons else f"from {report.where}",
        evidence={**chosen[0].evidence, "node report": report.path, "obtained": report.started},
        missing_input="",
        waived=waived_by(chosen),
    )


_ORDER = (Status.FAIL, Status.ERROR, Status.UNKNOWN, Status.WARN, Status.PASS, Status.SKIP)


def _why_not(
    ours: Outcome, theirs: Sequence[Outcome], report: NodeReport, asked: Mapping[str, frozenset[Way]]
) -> str:
    if report.lacks:
        return report.lacks
    if not theirs or all(o.status is Status.SKIP for o in theirs):
        return f"the nodes have not judged {ours.check}"
    wanted = {t.key.partition(" @ ")[0] for t in ours.targets if t.key}
    have = set(_targets(theirs))
    if wanted - have:
        return f"the nodes have not judged {', '.join(sorted(wanted - have))}"
    if wanted - asked.keys() or not asked:
        return f"it is not known how this job sends {', '.join(sorted(wanted - asked.keys())) or 'anything'}"
    signals = wanted or set(asked)
    there = {key: (signal, text) for signal, key, text in _ways(theirs) if signal in signals}
    here = {way.key: way for signal in signals for way in asked[signal]}
    return _other_way(here, there)


def _other_way(here: Mapping[str, Way], there: Mapping[str, tuple[str, str]]) -> str:
    """In what the ways of this job and of the nodes differ; empty when they do not."""
    for key in sorted(here.keys() - there.keys()):
        way = here[key]
        text = next((text for signal, text in there.values() if signal == way.signal), None)
        if text is None:
            return f"it does not say how {way.signal} were sent; let the nodes make it with this version"
        return f"the nodes sent {way.signal} in another way: {way.differs(text)}"
    extra = sorted({there[key][0] for key in there.keys() - here.keys()})
    return f"the nodes sent {', '.join(extra)} in more than one way" if extra else ""


def _targets(outcomes: Iterable[Outcome]) -> Iterable[str]:
    for outcome in outcomes:
        yield from (t.key.partition(" @ ")[0] for t in outcome.targets if t.key)
        yield from (
            word.partition(" @ ")[0] for word in outcome.evidence.get("targets", "").split(", ") if word
        )


def _ways(outcomes: Iterable[Outcome]) -> Iterable[tuple[str, str, str]]:
    from lens_preflight.probe.way import told

    for outcome in outcomes:
        for evidence in (outcome.evidence, *(j.finding.evidence for j in outcome.findings)):
            yield from told(evidence)
