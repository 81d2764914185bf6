"""One report out of the reports of many nodes: findings over node sets, absent nodes named."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence

from lens_preflight import __version__
from lens_preflight.core.data import replace
from lens_preflight.core.finding import Location, Place, Related
from lens_preflight.core.outcome import Judged, Outcome, RunRecord, Target
from lens_preflight.core.words import Owner, Scope, Severity, Status
from lens_preflight.gate.allocation import Nodes, choose
from lens_preflight.gate.fleet import allowed
from lens_preflight.gate.gathered import ENDPOINT, MERGED, WAY, Gathered
from lens_preflight.gate.nodeset import fold
from lens_preflight.verdict import counted, headline, judge, sum_items

CHECK = "node-reports"
"""The id of the outcome that says whether every node has reported."""

HOST_DEPENDENT = ("otlp-endpoint", "collector-health")
"""The built-in checks that depend on the host, by id: loading them all would cost more than the merge."""

_WORST = (Status.FAIL, Status.ERROR, Status.UNKNOWN, Status.WARN, Status.PASS, Status.SKIP)


def merge(
    gathered: Gathered,
    *,
    expected: Sequence[str] = (),
    job: str = "",
    host_dependent: Iterable[str] = HOST_DEPENDENT,
    fail_on: str = "unknown",
    argv: Sequence[str] = (),
) -> RunRecord:
    """The merged run.

    ``expected`` are the nodes of the allocation; ``host_dependent`` the ids of checks that every node
    must have judged for a pass.
    """
    nodes = choose(gathered, expected, job)
    everywhere = frozenset(host_dependent)
    results = [
        _merged(outcomes, nodes.present, check in everywhere)
        for check, outcomes in _by_check(gathered, nodes).items()
    ]
    judged = any(outcome.status is not Status.SKIP for outcome in results)
    results.append(_reported(gathered, nodes, judged))
    items = sum_items(results, frozenset())
    verdict, code = judge(results, items, frozenset(), fail_on=fail_on)
    sample = gathered.sample
    return RunRecord(
        profile="node",
        profile_why=f"merged from the reports of {len(nodes.present)} nodes",
        verdict=verdict.value,
        headline=f"{headline(verdict, items)} on {len(nodes.present)} nodes",
        exit_code=code,
        items=items,
        results=tuple(results),
        inputs=sample.inputs if sample else (),
        subject=sample.subject if sample else {},
        run=_run(gathered, nodes, argv),
        counts=counted(results),
        tool=f"lens-preflight {__version__}",
    )


def _by_check(gathered: Gathered, nodes: Nodes) -> dict[str, list[tuple[Outcome, list[str]]]]:
    """For each check its different outcomes, each with the nodes that had it."""
    alike: dict[tuple[int, ...], list[str]] = {}
    for node in nodes.present:
        alike.setdefault(gathered.nodes[node].body, []).append(node)
    holders: dict[int, list[str]] = {}
    for body, names in alike.items():
        for number in dict.fromkeys(body):
            holders.setdefault(number, []).extend(names)
    by_check: dict[str, list[tuple[Outcome, list[str]]]] = {}
    for number in sorted(holders):
        outcome = gathered.outcomes[number]
        by_check.setdefault(outcome.check, []).append((outcome, holders[number]))
    return by_check


def _merged(outcomes: list[tuple[Outcome, list[str]]], present: Sequence[str], everywhere: bool) -> Outcome:
    """One outcome for one check over all nodes; ``everywhere``: none may go without a judgement."""
    total = len(_union([names for _, names in outcomes], present))
    status = min((o.status for o, _ in outcomes), key=_WORST.index)
    first = next(o for o, _ in outcomes if o.status is status)
    judged_on = _union([names for o, names in outcomes if o.status is not Status.SKIP], present)
    waived = waived_by([o for o, _ in outcomes if o.status is status])
    reason = _reasons([(o, names) for o, names in outcomes if o.status is status], total)
    if everywhere and 0 < len(judged_on) < len(present) and status in (Status.PASS, Status.WARN):
        status = Status.UNKNOWN
        reason = f"not judged on {_set(sorted(set(present).difference(judged_on)), len(present))}"
        waived = ""
    about = {
        "nodes": fold(judged_on),
        "targets": ", ".join(dict.fromkeys(t.key for o, _ in outcomes for t in o.targets if t.key)),
        ENDPOINT: " ".join(dict.fromkeys(_endpoints(o for o, _ in outcomes))),
    }
    about.update(_ways(o for o, _ in outcomes))
    return replace(
        first,
        scope=Scope.RUN,
        targets=(Target(Scope.RUN),),
        status=status,
        findings=_findings(outcomes, total),
        reason=reason,
        evidence={key: value for key, value in about.items() if value},
        missing_input=next((o.missing_input for o, _ in outcomes if o.missing_input), ""),
        decisive=any(o.decisive for o, _ in outcomes),
        waived=waived,
    )


def waived_by(outcomes: Sequence[Outcome]) -> str:
    """Why the not knowing of all of these may wait; empty when that of one may not."""
    if not all(o.waived and o.status is Status.UNKNOWN for o in outcomes):
        return ""
    return "; ".join(dict.fromkeys(o.waived for o in outcomes))


def _union(parts: list[list[str]], present: Sequence[str]) -> Sequence[str]:
    """The nodes of several lists in order; ``present`` itself when that is all of them."""
    united = set().union(*parts)
    return present if len(united) == len(present) else sorted(united)


def _endpoints(outcomes: Iterable[Outcome]) -> Iterable[str]:
    for outcome in outcomes:
        for evidence in (outcome.evidence, *(j.finding.evidence for j in outcome.findings)):
            if evidence.get(ENDPOINT):
                yield evidence[ENDPOINT]


def _ways(outcomes: Iterable[Outcome]) -> Mapping[str, str]:
    """In which ways something was sent; nothing when one that was judged does not say."""
    found: dict[str, str] = {}
    for outcome in outcomes:
        evidences = (outcome.evidence, *(j.finding.evidence for j in outcome.findings))
        own = {key: text for evidence in evidences for key, text in evidence.items() if key.startswith(WAY)}
        if not own and outcome.status is not Status.SKIP:
            return {}
        found.update(own)
    return found


def _reasons(outcomes: list[tuple[Outcome, list[str]]], total: int) -> str:
    """What the nodes say, the commonest three."""
    said: dict[str, set[str]] = {}
    for outcome, names in outcomes:
        if outcome.reason:
            said.setdefault(outcome.reason, set()).update(names)
    common = sorted(said.items(), key=lambda item: -len(item[1]))[:3]
    return "; ".join(f"{reason} (on {_set(sorted(names), total)})" for reason, names in common)


def _set(names: Sequence[str], total: int) -> str:
    if len(names) == total:
        return f"all {total} nodes" if total > 1 else fold(names)  # of those that judged it
    return f"{len(names)} of {total} nodes: {fold(names)}"


def _findings(outcomes: list[tuple[Outcome, list[str]]], total: int) -> tuple[Judged, ...]:
    """Each different finding once, with its nodes, the heaviest and commonest first."""
    holders: dict[tuple[str, str], set[str]] = {}
    firsts: dict[tuple[str, str], Judged] = {}
    signals: dict[tuple[str, str], dict[str, None]] = {}
    for outcome, names in outcomes:
        for judged in outcome.findings:
            key = (judged.finding.fingerprint, judged.waived)
            firsts.setdefault(key, judged)
            holders.setdefault(key, set()).update(names)
            signals.setdefault(key, {}).update(dict.fromkeys(t.key for t in judged.targets if t.key))
    order = sorted(firsts, key=lambda k: (-firsts[k].finding.severity, -len(holders[k])))
    return tuple(_finding(firsts[k], sorted(holders[k]), list(signals[k]), total) for k in order)


def _finding(judged: Judged, names: Sequence[str], signals: Sequence[str], total: int) -> Judged:
    finding = judged.finding
    rule, about = finding.rule, f"on {_set(names, total)}"
    if rule.owner is Owner.HOST and len(names) > allowed(total):
        rule = replace(rule, owner=Owner.PLATFORM)
        about += ": a shared cause, not the nodes' own"
    evidence = {**finding.evidence, "nodes": fold(names), "node_count": str(len(names))}
    if signals:
        evidence["targets"] = ", ".join(signals)
    related = (*finding.related, Related(about, Location(Place.HOST, fold(names))))
    return Judged(
        replace(finding, rule=rule, evidence=evidence, related=related), (Target(Scope.RUN),), judged.waived
    )


def _reported(gathered: Gathered, nodes: Nodes, judged: bool) -> Outcome:
    """Whether every node has reported: a verdict of its own, which costs the pass of item 6."""
    lacks = []
    if not nodes.present:
        lacks.append("no node has reported")
    if nodes.missing:
        lacks.append(f"no report from {fold(nodes.missing)}")
    if nodes.incomplete:
        lacks.append(f"the report of {fold(nodes.incomplete)} is incomplete")
    if gathered.rejected:
        shown = [f"{path}: {why}" for path, why in list(gathered.rejected.items())[:5]]
        more = gathered.rejected_count - len(shown)
        lacks.append("; ".join(shown) + (f"; and {more} more files" if more > 0 else ""))
    aside = {
        "nodes": fold(nodes.present),
        "missing": fold(nodes.missing),
        "other job": fold(nodes.stale),
        "not expected": fold(nodes.foreign),
        "reported twice": fold(gathered.repeated),
        "rejected": ", ".join(gathered.rejected),
    }
    said = f"{len(nodes.present)} nodes have reported: {fold(nodes.present)}"
    return Outcome(
        check=CHECK,
        title="Every node has reported",
        items=(6,),
        scope=Scope.RUN,
        targets=(Target(),),
        status=Status.UNKNOWN if lacks else Status.PASS if judged else Status.SKIP,
        reason="; ".join(lacks) or said,
        evidence={key: value for key, value in aside.items() if value},
        decisive=True,
    )


def _run(gathered: Gathered, nodes: Nodes, argv: Sequence[str]) -> Mapping[str, object]:
    starts = sorted(gathered.nodes[node].started for node in nodes.present)
    return {
        "started": starts[0] if starts else None,
        "seconds": None,
        "host": fold(nodes.present) or None,
        "argv": list(argv),
        "settings": "",
        "obtained": {
            "host": fold(nodes.present),
            "node": fold(nodes.present),
            "slurm_job": nodes.job or None,
            "nodes": len(nodes.present),
            "missing": fold(nodes.missing),
            MERGED: True,
            "last_started": starts[-1] if starts else None,
        },
    }


def failing(record: RunRecord) -> dict[str, int]:
    """For a merged run: on how many nodes each rule that blocks fails."""
    counts: dict[str, int] = {}
    for outcome in record.results:
        for judged in outcome.findings:
            if judged.finding.severity is Severity.BLOCKER and not judged.waived:
                count = int(judged.finding.evidence.get("node_count", "1"))
                rule = judged.finding.rule.id
                counts[rule] = counts.get(rule, 0) + count
    return counts


def unix_time(started: str) -> float:
    """The Unix time of a report's start; 0 when it does not say."""
    try:
        return datetime.datetime.fromisoformat(started.replace("Z", "+00:00")).timestamp()
    except ValueError:
        return 0.0
