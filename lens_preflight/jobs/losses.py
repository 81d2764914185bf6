"""Which variables somebody set and a launch does not get, and why."""

from __future__ import annotations

from lens_preflight.jobs.draft import Draft
from lens_preflight.jobs.model import Loss, Lost
from lens_preflight.jobs.names import FALLBACKS, is_telemetry, is_watched
from lens_preflight.jobs.run import Attempt, Run
from lens_preflight.jobs.state import left_to
from lens_preflight.jobs.text import Cause


def lost_of(draft: Draft, run: Run, final: int) -> tuple[Lost, ...]:
    """Everything that is lost for one launch, by name; the first reason counts."""
    found: dict[str, Lost] = {}
    for one in draft.where.lost:
        if (is_watched(one.name) and draft.env.value(one.name) is None) or (
            one.loss is Loss.MPIRUN and is_watched(one.name)
        ):
            found.setdefault(one.name, one)
    by_name: dict[str, list[Attempt]] = {}
    for attempt in run.attempts:
        by_name.setdefault(attempt.name, []).append(attempt)
    for name, attempts in by_name.items():
        if name in found or not (is_telemetry(name) or name in FALLBACKS):
            continue
        value = draft.agent_env.value(name)
        if value is not None and value.certain == "":
            inner = [a for a in attempts if a.loss is Loss.INNER_UNSET and a.order < draft.order]
            if inner:
                found[name] = Lost(name, Loss.INNER_UNSET, inner[-1].at, inner[-1].inner)
        elif value is None or (by := left_to(name, value)) is not None:
            chosen = _reason(attempts, draft.order)
            if chosen is not None and (value is None or by is Cause.SUBMITTER or chosen.loss in FUTILE):
                found[name] = chosen
    for name in _after_ray(draft, run):
        found.setdefault(name, _ray_loss(name, by_name.get(name, []), draft))
    return tuple(found.values())


FUTILE = (
    Loss.AFTER_LAUNCH,
    Loss.DEAD_CODE,
    Loss.BAD_ASSIGNMENT,
    Loss.SUBSHELL,
    Loss.PIPELINE,
    Loss.BACKGROUND,
)
"""Ways to set a variable that cannot work, whatever a file that cannot be read does before or after."""


def _reason(attempts: list[Attempt], order: int) -> Lost | None:
    before = [a for a in attempts if a.order < order]
    after = [a for a in attempts if a.order > order]
    unset = next((a for a in reversed(before) if a.loss is Loss.UNSET_AGAIN), None)
    if unset is not None and before and before[-1] is unset:
        if len(before) < 2 and name_is_own(unset.name):
            return None
        return Lost(unset.name, Loss.UNSET_AGAIN, unset.at, unset.inner)
    lost = [a for a in before if a.loss is not None and a.loss is not Loss.UNSET_AGAIN]
    if lost:
        chosen = lost[-1]
        bad = next((a for a in lost if a.loss in (Loss.BAD_ASSIGNMENT, Loss.METACHARACTER)), None)
        chosen = bad or chosen
        assert chosen.loss is not None
        return Lost(chosen.name, chosen.loss, chosen.at, chosen.inner)
    if after:
        first = after[0]
        loss = Loss.DEAD_CODE if first.loss is Loss.DEAD_CODE else Loss.AFTER_LAUNCH
        if first.loss is Loss.PREFIX:
            return None
        return Lost(first.name, loss, first.at, first.inner)
    return None


def name_is_own(name: str) -> bool:
    """True for names that only the job sets: unsetting one that was never set loses nothing."""
    return name not in FALLBACKS


def _after_ray(draft: Draft, run: Run) -> list[str]:
    """Names of a driver that were not there yet when ``ray start`` ran."""
    if not run.ray_started or draft.where.chain[-1:] == ("ray start",):
        return []
    started = [names for at, names in run.ray_started]
    names = [n for n, b in draft.env if b.value is not None and is_telemetry(n)]
    return [n for n in names if all(n not in early for early in started)]


def _ray_loss(name: str, attempts: list[Attempt], draft: Draft) -> Lost:
    at = attempts[-1].at if attempts else draft.at
    return Lost(name, Loss.RAY_ORDER, at, attempts[-1].inner if attempts else None, "ray")
