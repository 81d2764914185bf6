"""Whether a check has what it needs, and what to give when it has not."""

from __future__ import annotations

from lens_preflight.context import Context
from lens_preflight.core.check import Check
from lens_preflight.core.data import dataclass
from lens_preflight.core.finding import Location
from lens_preflight.core.words import Need, Scope
from lens_preflight.gifts import GIFTS, WORDS


@dataclass(frozen=True)
class Missing:
    """An input that is not there: ``give`` is what to type; ``expected`` makes it unknown, not skip."""

    reason: str
    give: str
    expected: bool
    at: Location | None = None


PER_LAUNCH = (Scope.LAUNCH, Scope.SIGNAL)


def missing(check: Check, context: Context) -> Missing | None:
    """The first need that is not met, None when the check can run."""
    if Need.SCRIPT in check.needs and context.current is not None and context.current.service:
        return Missing(f"{context.current.service} runs no program of its own", "", False)
    if check.scope in PER_LAUNCH and context.current is not None:
        reason = context.subject.aside(context.current, context.generation)
        if reason:
            return Missing(f"a step beside the training: {reason}", "", False)
    if check.scope in PER_LAUNCH and context.current is None and context.subject.launches:
        return _rest(context)
    if not context.subject.launches and (check.scope in PER_LAUNCH or Need.SCRIPT in check.needs):
        return _no_launch(context)
    for need in check.needs:
        if not _there(need, context):
            return _missing(need, context)
    if check.any_of and not any(_there(need, context) for need in check.any_of):
        first = _missing(check.any_of[0], context)
        words = ", ".join(WORDS[need] for need in check.any_of)
        return Missing(f"{words} was given", first.give, first.expected)
    return None


def named(check: Check, context: Context) -> bool:
    """Whether somebody named a file or a backend that the check is about: then it is expected to judge it."""
    inputs = (Need.JOB, Need.DASHBOARDS, Need.RULES, Need.COLLECTOR, Need.BACKEND)
    return any(need in inputs and _there(need, context) for need in (*check.needs, *check.any_of))


def _rest(context: Context) -> Missing | None:
    """What of a job file was not read, beside the launches that were; None when that is not meant."""
    for job in context.subject.jobs:
        if job.path != context.target.key:
            continue
        give = job.remedy or "lens-preflight check TRAINING_SCRIPT for what it starts"
        if job.unread:
            part = "only a part of " if job.launches else ""
            return Missing(f"{part}{job.path}: {job.unread}", give, True, job.unread_at)
        if not job.launches:
            return Missing(f"{job.path} starts no training process that could be read", give, True)
    return None


def _no_launch(context: Context) -> Missing:
    """Nothing that starts was found in the job files."""
    for job in context.subject.jobs:
        if job.unread:
            return Missing(f"{job.path}: {job.unread}", job.remedy, True, job.unread_at)
    names = ", ".join(job.path for job in context.subject.jobs) or "the job"
    give = "lens-preflight check TRAINING_SCRIPT, when the script that starts it cannot be read"
    return Missing(f"{names} starts no training process that could be read", give, True)


def _there(need: Need, context: Context) -> bool:
    inputs = context.subject.inputs
    return {
        Need.ENVIRONMENT: True,
        Need.SCRIPT: _has_script(context),
        Need.JOB: bool(context.subject.jobs),
        Need.NETWORK: context.prober is not None,
        Need.DASHBOARDS: bool(inputs.dashboards),
        Need.RULES: bool(inputs.rules),
        Need.COLLECTOR: bool(inputs.collector),
        Need.BACKEND: bool(inputs.backends),
    }[need]


def _has_script(context: Context) -> bool:
    launches = [context.current] if context.current else context.subject.launches
    return any(launch.program_file or launch.module for launch in launches)


def _missing(need: Need, context: Context) -> Missing:
    inputs = context.subject.inputs
    expected = {
        Need.SCRIPT: bool(inputs.targets or inputs.module),
    }.get(need, False)
    give = GIFTS[need]
    reason = f"{WORDS[need]} was given"
    if need is Need.SCRIPT and expected:
        give = "--map IN=OUT"
        reason = "the program of this launch is not a file that can be read here"
    if need is Need.NETWORK and inputs.profile == "ci" and not inputs.offline:
        give = "--endpoint URL, --wait or --expect 6"
        reason = "the profile ci sends no packet by itself"
    return Missing(reason, give, expected)
