"""One whole run: from the inputs to the finished record."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lens_preflight import __version__
from lens_preflight.context import Context, signal_targets
from lens_preflight.core.check import Check
from lens_preflight.core.data import replace
from lens_preflight.core.deadline import Deadline
from lens_preflight.core.finding import Assumption
from lens_preflight.core.outcome import Outcome, RunRecord, Target
from lens_preflight.core.words import Scope
from lens_preflight.describe import describe, host_name, obtained
from lens_preflight.lifted import lifted
from lens_preflight.needs import PER_LAUNCH
from lens_preflight.runner import Job, fold, run
from lens_preflight.subject.inputs import Inputs
from lens_preflight.subject.launch import Launch
from lens_preflight.subject.subject import Subject
from lens_preflight.verdict import counted, headline, judge, sum_items

if TYPE_CHECKING:
    from lens_preflight.gate.node_report import NodeReport

INTERRUPTED = {"interrupted": 130, "terminated": 143}
"""Exit codes of a run that a signal ended, by the text of the interrupt."""


def preflight(
    inputs: Inputs,
    subject: Subject,
    checks: Sequence[Check],
    deadline: Deadline,
    *,
    fail_on: str = "unknown",
    argv: Sequence[str] = (),
    node_report: str | None = None,
    started: float | None = None,
) -> RunRecord:
    """Judge the subject with the checks and sum up; always ends by the deadline.

    An interrupt ends the run early: the record then holds what was known and says so. ``node_report``
    is the file of a report from compute nodes, which closes what this host cannot judge. ``started`` is
    when the run began, in seconds since the epoch (default: now); its day decides which waivers hold.

    Raises:
        InputError: a file that was named cannot be opened.
    """
    started, clock = time.time() if started is None else started, time.monotonic()
    subject.open_inputs()
    nodes = _node_report(node_report)
    base = replace(_context(subject, deadline), lifted=lifted(checks, inputs.settings, inputs.baseline))
    jobs = [job for check in checks for job in _jobs(check, subject, base)]
    outcomes: list[Outcome] = []
    interrupted = ""
    try:
        outcomes.extend(run(jobs, base.deadline))
    except KeyboardInterrupt as interrupt:
        interrupted = str(interrupt) or "interrupted"
    incomplete = interrupted or ("the deadline was reached" if _late(outcomes) else "")
    results = fold(_waived(outcomes, subject, checks, started), checks)
    if nodes is not None:
        from lens_preflight.gate.node_report import closed, ways

        results = closed(results, nodes, ways(subject), started)
    items = sum_items(results, inputs.expect)
    verdict, code = judge(results, items, inputs.expect, fail_on=fail_on, incomplete=bool(incomplete))
    code = INTERRUPTED.get(interrupted, code)
    return RunRecord(
        profile=inputs.profile,
        profile_why=inputs.profile_why,
        verdict=verdict.value,
        headline=headline(verdict, items),
        exit_code=code,
        items=items,
        results=results,
        assumptions=_assumptions(results, inputs, checks),
        inputs=_digests(inputs),
        subject=describe(subject),
        run=_run_facts(inputs, started, time.monotonic() - clock, argv, incomplete),
        counts=counted(results),
        incomplete=incomplete,
        tool=f"lens-preflight {__version__}",
    )


def _run_facts(
    inputs: Inputs, started: float, seconds: float, argv: Sequence[str], incomplete: str
) -> dict[str, Any]:
    """What differs from run to run."""
    return {
        "started": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(started)),
        "seconds": round(seconds, 3),
        "host": host_name(),
        "argv": list(argv),
        "settings": inputs.settings.source,
        "incomplete": incomplete,
        "obtained": obtained(inputs),
    }


def _node_report(path: str | None) -> NodeReport | None:
    if path is None:
        return None
    from lens_preflight.gate.node_report import read_node_report

    return read_node_report(path)


def _waived(
    outcomes: Sequence[Outcome], subject: Subject, checks: Sequence[Check], started: float
) -> Sequence[Outcome]:
    """The outcomes after the waivers of the settings and the accepted findings of the baseline."""
    settings, baseline = subject.inputs.settings, subject.inputs.baseline
    if not settings.waivers and baseline is None:
        return outcomes
    import datetime

    from lens_preflight.core.anchor import Anchor
    from lens_preflight.registry import builtin
    from lens_preflight.waivers import apply

    return apply(
        outcomes,
        settings.waivers,
        datetime.datetime.fromtimestamp(started, datetime.timezone.utc).date(),
        baseline,
        anchor=Anchor.of(settings.source),
        launches=[launch.key for launch in subject.launches],
        known=[check.id for check in (*checks, *builtin())],
    )


def _late(outcomes: Sequence[Outcome]) -> bool:
    return any("the deadline was reached" in o.reason for o in outcomes)


def _context(subject: Subject, deadline: Deadline) -> Context:
    """The context that every job's own context is made from."""
    inputs = subject.inputs
    generation = subject.generations(None)[-1]
    stores = None
    if not inputs.offline:
        from lens_preflight.subject.stores import Stores

        stores = Stores(subject, deadline)
    context = Context(subject, Target(), deadline, generation, host=host_name(), stores=stores)
    if not may_send(inputs):
        return context
    from lens_preflight.probe.prober import Prober

    prober = Prober(deadline, subject.files, wait=inputs.wait)
    return replace(context, prober=prober.result)


def may_send(inputs: Inputs) -> bool:
    """Whether the endpoint is probed: never offline; in CI only when somebody asked for it."""
    if inputs.offline:
        return False
    asked = inputs.endpoint is not None or inputs.wait > 0 or 6 in inputs.expect or inputs.canary
    return inputs.profile != "ci" or asked


def _jobs(check: Check, subject: Subject, base: Context) -> list[Job]:
    return [
        Job(
            check,
            target,
            tuple(
                replace(base, target=target, current=launch, generation=generation)
                for generation in subject.generations(launch)
            ),
        )
        for target, launch in _targets(check, subject)
    ]


def _targets(check: Check, subject: Subject) -> list[tuple[Target, Launch | None]]:
    """What the check is called for; at least one target, so that no check vanishes silently."""
    launches = subject.launches
    many = len(launches) > 1
    pairs: list[tuple[Target, Launch | None]] = []
    if check.scope is Scope.LAUNCH:
        pairs = [(Target(Scope.LAUNCH, one.key), one) for one in launches]
    elif check.scope is Scope.SIGNAL:
        pairs = [
            (target, one)
            for one in launches
            for target in dict.fromkeys(
                t for g in subject.generations(one) for t in signal_targets(subject, one, g, many)
            )
        ]
    elif check.scope is Scope.BACKEND:
        pairs = [(Target(Scope.BACKEND, name), None) for name in subject.inputs.backends]
    if check.scope in PER_LAUNCH and launches:  # else what was not read would go under in what was
        unread = [job.path for job in subject.jobs if job.unread or not job.launches]
        pairs += [(Target(check.scope, path), None) for path in unread]
    return pairs or [(Target(check.scope), launches[0] if len(launches) == 1 else None)]


def _assumptions(
    results: Sequence[Outcome], inputs: Inputs, checks: Sequence[Check]
) -> tuple[Assumption, ...]:
    rules = {rule.id for check in checks for rule in check.rules}
    said = [a for outcome in results for a in outcome.assumptions]
    for rule, severity in inputs.settings.severity.items():
        word = "off" if severity is None else severity.word
        where = inputs.settings.source
        why = where if rule in rules else f"{where}; no check of this run has that rule"
        said.append(Assumption(f"severity of {rule}", word, why))
    if inputs.endpoint is not None:
        said.append(Assumption("endpoint", inputs.endpoint, "--endpoint replaces the job's own"))
    return tuple(dict.fromkeys(said))


def _digests(inputs: Inputs) -> tuple[tuple[str, str], ...]:
    import hashlib

    names = (*inputs.targets, *inputs.dashboards, *inputs.collector, *inputs.rules, inputs.settings.source)
    digests = []
    for name in dict.fromkeys(n for n in names if n):
        if os.path.isfile(name):
            digests.append((name, hashlib.sha256(Path(name).read_bytes()).hexdigest()))
    return tuple(digests)
