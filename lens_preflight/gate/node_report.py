"""What compute nodes have shown, for a run elsewhere: reads what ``merge`` or one node wrote."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lens_preflight.core.data import dataclass, replace
from lens_preflight.core.errors import InputError, LibraryFailure, Undecided
from lens_preflight.core.outcome import Outcome
from lens_preflight.core.regular import read_regular
from lens_preflight.core.words import Status
from lens_preflight.gate.decode import decode
from lens_preflight.gate.gathered import ENDPOINT
from lens_preflight.gate.merge import CHECK, HOST_DEPENDENT, waived_by
from lens_preflight.gate.reportfile import MAX_DOCUMENT, NotAReport, parse

if TYPE_CHECKING:
    from lens_preflight.subject.subject import Subject

ASKED = "--node-report"


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


def closed(results: Sequence[Outcome], report: NodeReport, asked: Iterable[str] = ()) -> tuple[Outcome, ...]:
    """The results of a run with what the nodes have shown in place of what this host could not.

    An outcome about the endpoint that is open here (it asks for a node report, or nothing was sent)
    is replaced by the nodes' own when they judged the same targets at the same endpoint, whatever
    they found; otherwise it stays open and says why. ``asked``: the endpoints (HOST:PORT) of the job,
    for outcomes that do not say.
    """
    return tuple(_closed(outcome, report, frozenset(asked)) for outcome in results)


def endpoints(subject: Subject) -> frozenset[str]:
    """HOST:PORT of every exporter of the job's launches, as far as they are known before start."""
    from lens_preflight.context import enabled_signals
    from lens_preflight.lens.config import LensConfig
    from lens_preflight.otel.view import OtelView
    from lens_preflight.probe.address import Malformed
    from lens_preflight.probe.configure import destination

    found = set()
    for launch in subject.launches:
        env = launch.env.closed()
        for generation in subject.generations(launch):
            try:
                for signal in enabled_signals(LensConfig(env, launch.framework, generation)):
                    view = OtelView(env, generation, subject.files, launch.framework.prefixes)
                    exporter = view.exporter(signal)
                    where = destination(exporter)
                    found.add(f"{where.host}:{where.port}")
            except (Undecided, LibraryFailure, Malformed):
                found.add("?")  # matches nothing: better open than closed by another endpoint
    return frozenset(found)


def _closed(outcome: Outcome, report: NodeReport, asked: frozenset[str]) -> Outcome:
    unsent = outcome.status is Status.SKIP and bool(outcome.missing_input) and bool(asked)
    if ASKED not in outcome.missing_input and not (unsent and outcome.check in HOST_DEPENDENT):
        return outcome
    theirs = [o for o in report.outcomes if o.check == outcome.check]
    why = _why_not(outcome, theirs, report, asked)
    if why:
        return replace(
            outcome, reason=f"{outcome.reason}; {report.path} does not close it: {why}".lstrip("; ")
        )
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


def _why_not(ours: Outcome, theirs: Sequence[Outcome], report: NodeReport, asked: frozenset[str]) -> str:
    if report.lacks:
        return report.lacks
    if not theirs or all(o.status is Status.SKIP for o in theirs):
        return f"the nodes have not judged {ours.check}"
    wanted = {t.key.partition(" @ ")[0] for t in ours.targets if t.key}
    have = set(_targets(theirs))
    if wanted - have:
        return f"the nodes have not judged {', '.join(sorted(wanted - have))}"
    here, there = set(_endpoints([ours])) or asked, set(_endpoints(theirs))
    if not here or not there:
        return "it does not say which endpoint was asked"
    if here != there:
        return f"the nodes asked {' '.join(sorted(there))}, this job would ask {' '.join(sorted(here))}"
    return ""


def _targets(outcomes: Iterable[Outcome]) -> Iterable[str]:
    for outcome in outcomes:
        yield from (t.key.partition(" @ ")[0] for t in outcome.targets if t.key)
        yield from (word for word in outcome.evidence.get("targets", "").split(", ") if word)


def _endpoints(outcomes: Iterable[Outcome]) -> Iterable[str]:
    for outcome in outcomes:
        for evidence in (outcome.evidence, *(j.finding.evidence for j in outcome.findings)):
            yield from evidence.get(ENDPOINT, "").split()
