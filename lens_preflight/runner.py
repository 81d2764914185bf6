"""Runs checks over their targets on daemon threads, until all is said or the deadline is reached."""

from __future__ import annotations

import itertools
import queue
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from time import monotonic

from lens_preflight.context import Context
from lens_preflight.core.check import Check, Said
from lens_preflight.core.data import dataclass, replace
from lens_preflight.core.deadline import Deadline
from lens_preflight.core.errors import Broken, LibraryFailure, Skip, Undecided
from lens_preflight.core.finding import Assumption, Finding, Proof
from lens_preflight.core.outcome import Judged, Outcome, Target
from lens_preflight.core.wellformed import ending_fault, saying_fault
from lens_preflight.core.words import Severity, Status
from lens_preflight.libraries import install, package
from lens_preflight.needs import missing, named

WORKERS = 8
MAX_SAID = 100_000
"""Words that one check may say of one target."""

_WORST = (Status.FAIL, Status.ERROR, Status.UNKNOWN, Status.WARN, Status.PASS, Status.SKIP)


class Unheard(Broken):
    """A check said something that no report can show; it may have been a blocker."""


@dataclass(frozen=True)
class Job:
    """One call of one check: ``contexts`` differ in the Lens generation only."""

    check: Check
    target: Target
    contexts: tuple[Context, ...]


def run(jobs: Sequence[Job], deadline: Deadline) -> Iterator[Outcome]:
    """Judge all jobs; outcomes come as they end, not in order.

    Threads are daemons, since a stuck name look-up cannot be interrupted and a pool would wait for
    it at exit. A job that has not ended by the context's deadline becomes an error outcome.
    """
    todo: queue.SimpleQueue[tuple[int, Job]] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[int, Outcome]] = queue.SimpleQueue()
    for number, job in enumerate(jobs):
        todo.put((number, job))
    for _ in range(min(WORKERS, len(jobs))):
        threading.Thread(target=_work, args=(todo, done), daemon=True).start()
    open_jobs = dict(enumerate(jobs))
    while open_jobs:
        try:
            number, outcome = done.get(timeout=min(deadline.remaining(), threading.TIMEOUT_MAX))
        except queue.Empty:
            break
        del open_jobs[number]
        yield outcome
    for job in open_jobs.values():
        reason = "the deadline was reached while it was still running; give --timeout more seconds"
        yield _outcome(job.check, job.target, Status.ERROR, reason=reason)


def _work(todo: queue.SimpleQueue[tuple[int, Job]], done: queue.SimpleQueue[tuple[int, Outcome]]) -> None:
    while True:
        try:
            number, job = todo.get_nowait()
        except queue.Empty:
            return
        done.put((number, judge(job)))


def judge(job: Job) -> Outcome:
    """The outcome of one job: of several generations that may be meant, the worst."""
    outcomes = [_judge_once(job.check, job.target, context) for context in job.contexts]
    worst = min(outcomes, key=lambda o: _WORST.index(o.status))
    if len(outcomes) > 1 and any(context.lifted for context in job.contexts):
        return _together(outcomes, worst)
    return worst


def _together(outcomes: Sequence[Outcome], worst: Outcome) -> Outcome:
    """The worst outcome with what the others say as well: when its own findings are waived, that stays.

    Nobody can waive several reasons for not knowing by the place of one of them.
    """
    ended = min((o.beneath for o in outcomes), key=_WORST.index)
    alike = [worst] if ended is Status.PASS else [o for o in outcomes if o.beneath is ended]
    found = {(j.finding.rule, j.finding.message, j.finding.at): j for o in outcomes for j in o.findings}
    told = dict.fromkeys((o.reason, o.reason_at) for o in alike)
    return replace(
        worst,
        findings=tuple(found.values()),
        beneath=ended,
        reason="; ".join(dict.fromkeys(reason for reason, _ in told if reason)),
        reason_at=next(iter(told))[1] if len(told) == 1 else None,
        missing_input=next((o.missing_input for o in (worst, *alike) if o.missing_input), ""),
        assumptions=tuple(dict.fromkeys(a for o in outcomes for a in o.assumptions)),
    )


def _judge_once(check: Check, target: Target, context: Context) -> Outcome:
    """The outcome of one call; the one place where a check that breaks must not end the run.

    Checks run on threads of their own, where an interrupt is the check's doing, never the user's.
    """
    started = monotonic()
    try:
        outcome = _asked(check, target, context)
    except BaseException as error:
        outcome = _outcome(check, target, Status.ERROR, reason=_crash(error))
    return replace(outcome, seconds=monotonic() - started)


def _asked(check: Check, target: Target, context: Context) -> Outcome:
    need = missing(check, context)
    if need is not None:
        status = Status.UNKNOWN if need.expected else Status.SKIP
        outcome = _outcome(check, target, status, reason=need.reason, missing_input=need.give)
        return replace(outcome, reason_at=need.at)
    said: list[Said] = []
    status, reason, at, give = Status.PASS, "", None, ""
    decisive = check.decisive
    try:
        _listen(check, context, said)
    except Skip as skip:
        status, reason, give = Status.SKIP, skip.reason, skip.missing_input
    except Undecided as undecided:
        status, reason, at = Status.UNKNOWN, undecided.reason, undecided.at
    except LibraryFailure as failure:
        status = Status.UNKNOWN
        reason = f"{failure}; see the findings of the check environment"
    except ModuleNotFoundError as error:
        lacking = package(error)
        status = Status.UNKNOWN if named(check, context) else Status.SKIP
        reason, give = f"{lacking} is not installed here", install(lacking)
        if not lacking:
            status, reason, give = Status.ERROR, _crash(error), ""
    except Broken as broken:
        status, reason = Status.ERROR, broken.reason
        decisive = decisive or isinstance(broken, Unheard)
    except BaseException as error:
        status, reason = Status.ERROR, _crash(error)
    fault = ending_fault(reason, at, give)
    if fault:
        status, reason, at, give = Status.ERROR, f"the check itself broke: {fault}", None, ""
    outcome = _sum_up(check, target, context, said, status, reason)
    give = give or outcome.missing_input
    return replace(outcome, reason_at=at, missing_input=give, decisive=decisive)


def _listen(check: Check, context: Context, said: list[Said]) -> None:
    """Take what a check says, word by word: what was said before a crash is kept.

    Raises:
        Unheard: it is nothing that a check can say.
    """
    words: object = check.run(context)
    if words is None:
        return
    if not isinstance(words, Iterable) or isinstance(words, str | bytes | Mapping):
        raise Unheard(f"the check itself broke: it returned a {type(words).__name__}; yield Finding or Proof")
    for word in words:
        fault = saying_fault(word)
        if fault:
            raise Unheard(f"the check itself broke: {fault}")
        if isinstance(word, Finding) and word.rule not in check.rules:
            raise Unheard(f"the check reported a rule that it does not declare: {word.rule.id}")
        if len(said) == MAX_SAID:
            raise Unheard(f"the check said more than {MAX_SAID} things of one target; fold them")
        said.append(word)


def _crash(error: BaseException) -> str:
    """One line about a crash: its kind, and the place in our code; never the message of a library."""
    place = ""
    frame = error.__traceback__
    while frame is not None:
        if (
            "lens_preflight" in frame.tb_frame.f_code.co_filename
            or "checks" in frame.tb_frame.f_code.co_filename
        ):
            place = f" in {frame.tb_frame.f_globals.get('__name__', '?')}:{frame.tb_lineno}"
        frame = frame.tb_next
    return f"the check itself broke: {type(error).__name__}{place}; please report it"


def _sum_up(
    check: Check, target: Target, context: Context, said: Sequence[Said], status: Status, reason: str
) -> Outcome:
    findings, own, lowered = [], 0, 0
    for finding in (s for s in said if isinstance(s, Finding)):
        weighed = _weigh(context.placed(finding), context)
        if weighed is not None:
            findings.append(Judged(weighed, (target,)))
        blocks = finding.severity is Severity.BLOCKER
        if weighed is None or (blocks and weighed.severity < Severity.BLOCKER):
            lowered += blocks
        else:
            own += 1
    proofs = [s for s in said if isinstance(s, Proof)]
    if status is Status.PASS and check.decisive and not proofs and not own:
        status, reason = Status.UNKNOWN, _without_proof(lowered)
    ended = status
    heaviest = max((j.finding.severity for j in findings), default=None)
    if heaviest is Severity.BLOCKER:
        status = Status.FAIL  # outranks unknown and error: the user can act on it
    elif status is Status.PASS and heaviest is Severity.CAUTION:
        status = Status.WARN
    if status in (Status.PASS, Status.WARN) and not reason:
        reason = "; ".join(dict.fromkeys(p.text for p in proofs))
    evidence = {k: v for p in proofs for k, v in p.evidence.items()}
    give = next((p.missing_input for p in proofs if p.missing_input), "")
    return replace(
        _outcome(check, target, status, reason=reason, missing_input=give),
        findings=tuple(findings),
        evidence=evidence,
        assumptions=tuple(s for s in said if isinstance(s, Assumption)),
        beneath=ended,
    )


def _without_proof(lowered: int) -> str:
    if lowered:
        return "the settings take the weight from what was found, and nothing shows that the rest holds"
    return "the check ended without a finding and without a proof; please report it"


def _weigh(finding: Finding, context: Context) -> Finding | None:
    """The finding with the severity that the settings give its rule; None: switched off."""
    overrides = context.settings.severity
    if finding.rule.id not in overrides:
        return finding
    severity = overrides[finding.rule.id]
    return None if severity is None else replace(finding, rule=replace(finding.rule, severity=severity))


def _outcome(
    check: Check, target: Target, status: Status, *, reason: str = "", missing_input: str = ""
) -> Outcome:
    return Outcome(
        check=check.id,
        title=check.title,
        items=check.items,
        scope=check.scope,
        targets=(target,),
        status=status,
        reason=reason,
        missing_input=missing_input,
        url=check.url,
        decisive=check.decisive,
        beneath=status,
    )


def fold(outcomes: Iterable[Outcome], order: Sequence[Check]) -> tuple[Outcome, ...]:
    """Outcomes in checklist order; those that say the same of several targets become one."""
    place = {check.id: n for n, check in enumerate(order)}
    last = len(place)
    folded: dict[object, Outcome] = {}
    for outcome in sorted(outcomes, key=lambda o: (place.get(o.check, last), [t.key for t in o.targets])):
        key = _sameness(outcome)
        known = folded.get(key)
        folded[key] = outcome if known is None else _join(known, outcome)
    return tuple(folded.values())


def _sameness(outcome: Outcome) -> object:
    found = tuple((j.finding.rule, j.finding.message, j.finding.at, j.waived) for j in outcome.findings)
    told = (outcome.reason, outcome.reason_at, outcome.missing_input, outcome.waived)
    return outcome.check, outcome.status, told, found


def _join(one: Outcome, other: Outcome) -> Outcome:
    targets = (*one.targets, *other.targets)
    findings = tuple(
        replace(j, targets=(*j.targets, *k.targets))
        for j, k in itertools.zip_longest(one.findings, other.findings)
    )
    assumptions = tuple(dict.fromkeys((*one.assumptions, *other.assumptions)))
    return replace(
        one,
        targets=targets,
        findings=findings,
        assumptions=assumptions,
        evidence={**other.evidence, **one.evidence},
        seconds=one.seconds + other.seconds,
    )
