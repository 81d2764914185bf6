"""Can the backend find the run by its nemo.run.id, and only the run?"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from typing import TYPE_CHECKING

from lens_preflight.checks.backend_run_id_rules import (
    ADDRESS,
    BY_WORD,
    NEVER_FOUND,
    OTHERS,
    PANEL_EMPTY,
    PANEL_OPEN,
    PANEL_REFUSED,
    REFUSED,
    RULES,
)
from lens_preflight.core.check import Said, check
from lens_preflight.core.data import replace
from lens_preflight.core.errors import InputError, LibraryFailure, Skip, Undecided
from lens_preflight.core.finding import Finding, Location, Proof, Rule
from lens_preflight.core.words import Need, Scope, Status

if TYPE_CHECKING:
    from lens_preflight.backends import Backend, Reading
    from lens_preflight.context import Context
    from lens_preflight.probe.canary import Canary

CANARY = "preflight-canary"
LATER = "--send-canary, or run again with the job"
SAMPLERS = ("tail_sampling", "probabilistic_sampler")


@check(
    "backend-run-id",
    "The backend finds a run by its nemo.run.id, and only that run",
    items=(5,),
    scope=Scope.BACKEND,
    needs=(Need.BACKEND,),
    uses=(Need.ENVIRONMENT, Need.NETWORK, Need.COLLECTOR),
    rules=RULES,
    decisive=True,
)
def backend_run_id(ctx: Context) -> Iterator[Said]:
    """A run that cannot be found again was not observed. One query proves nothing: Jaeger's v3 search
    ignored attribute filters until 2.19, so that every id finds something; Prometheus lists ids that no
    panel can use; a dead run looks fresh for minutes; an accepted export may go nowhere.

    So every backend is asked five questions: does it answer and take the credentials; does it hold
    anything; does the filter by the run id find the run, every item carrying the id; does the same
    filter find *nothing* for an id made up on the spot; has anything of the run moved of late.

    Passes: all five, for the run itself or for a canary (`--send-canary`: one span and one gauge with
    the run id `preflight-canary`, sent through the job's own endpoint settings). Fails: no answer,
    credentials refused, the made-up id finds data, the run is there and not filterable, the canary was
    accepted and is never found, the run is found and does not move. Skips, before the run exists and
    without a canary, when all that can be asked is good: item 5 is then not judged. The same in every
    profile.
    """
    try:
        backend = ctx.backend()
    except InputError as error:
        message, _, remedy = str(error).partition("; ")
        yield Finding(ADDRESS, message, _at(ctx), remedy=remedy or "correct --backend NAME=URL")
        return
    if not (yield from _asked(ctx, backend, backend.reach())):
        return
    if not backend.holds:
        yield from _asked(ctx, backend, backend.presence())
        text = f"{backend.title} answers; it cannot be asked for a run"
        raise Skip(text, missing_input="--backend elasticsearch=URL")
    canary = ctx.canary()
    if canary is not None:
        yield from _by_canary(ctx, backend, canary)
        return
    for run_id in _run_ids(ctx):
        positive = backend.positive(run_id)
        if positive.ok or positive.final or positive.word.code == "WRONG-ID":
            yield from _by_run(ctx, backend, run_id, positive)
            return
    yield from _before_the_run(ctx, backend)


def _asked(ctx: Context, backend: Backend, reading: Reading) -> Generator[Finding, None, bool]:
    """The finding of a bad answer; returns whether to go on.

    Raises:
        Undecided: the answer says nothing, and a canary was sent to have one that does.
        Skip: it says nothing, and nobody asked for more than a look.
    """
    if reading.status is Status.UNKNOWN and reading.word.code != "PARTIAL":
        if ctx.canary() is not None:
            raise Undecided(_told(backend, reading), _at(ctx))
        raise Skip(_told(backend, reading), missing_input=reading.remedy or LATER)
    if reading.status is not Status.PASS and reading.word.code != "PARTIAL":
        yield _finding(ctx, backend, reading, BY_WORD[reading.word.code])
        return reading.status not in (Status.FAIL, Status.ERROR) or ctx.lifts(BY_WORD[reading.word.code])
    return True


def _by_run(ctx: Context, backend: Backend, run_id: str, positive: Reading) -> Iterator[Said]:
    """The run is there: all five questions."""
    if not (yield from _asked(ctx, backend, positive)):
        return
    negative = backend.negative(backend.bogus)
    if not (yield from _asked(ctx, backend, negative)):
        return
    freshness = backend.freshness(run_id)
    if not (yield from _asked(ctx, backend, freshness)):
        return
    yield from _panels(ctx, backend, run_id, there=True)
    evidence = {**positive.evidence, **negative.evidence, **freshness.evidence, "run id": run_id}
    yield Proof(
        f"{backend.title}: {positive.text}; {negative.text}; {freshness.text}", _of(backend, evidence)
    )


def _by_canary(ctx: Context, backend: Backend, canary: Canary) -> Iterator[Said]:
    """The canary stands for the run: sent, found, and nothing else found."""
    signals = sorted(backend.holds)
    refusal = next((text for s in signals if (text := canary.refusal(s))), "")
    if refusal:
        message = f"the endpoint does not take the canary that {backend.title} should show: {refusal}"
        yield Finding(REFUSED, message, _at(ctx), remedy="run lens-preflight probe -v")
        return
    if not any(canary.taken(s) for s in signals):
        raise Skip(f"the job exports none of what {backend.title} holds ({', '.join(signals)})")
    found = ctx.read_back()
    evidence = {"tries": str(found.tries), "seconds": f"{found.seconds:.1f}", "marker": canary.marker}
    if found.reading.word.code == "NOT-FOUND" or found.reading.status is Status.UNKNOWN:
        sampler = _sampler(ctx) if "traces" in signals else ""
        if sampler:
            raise Undecided(
                f"the canary is not found, and the collector's {sampler} may have dropped it", _at(ctx)
            )
        message = f"the endpoint took the canary, and {backend.title} never shows it: {found.reading.text}"
        remedy = "look at the exporters of the collector: --backend collector=http://HOST:8888"
        yield Finding(NEVER_FOUND, message, _at(ctx), evidence=_of(backend, evidence), remedy=remedy)
        if not ctx.lifts(NEVER_FOUND):
            return
    elif not (yield from _asked(ctx, backend, found.reading)):
        return
    negative = backend.negative(backend.bogus)
    if not (yield from _asked(ctx, backend, negative)):
        return
    yield from _panels(ctx, backend, CANARY, there=False)
    evidence |= {**found.reading.evidence, **negative.evidence}
    text = (
        f"{backend.title}: the canary sent through the job's endpoint is found by its run id; {negative.text}"
    )
    yield Proof(text, _of(backend, evidence))


def _panels(ctx: Context, backend: Backend, run_id: str, *, there: bool) -> Iterator[Finding]:
    """The panels that are given, for the run (when it is there) and for the bogus id."""
    for panel in ctx.panels(run_id):
        if panel.bogus.ok or panel.bogus.word.code == "WRONG-ID":
            message = f"{panel.panel} shows data for an id that nobody ever used"
            yield Finding(PANEL_OPEN, message, panel.at, remedy='filter with nemo_run_id=~"$run_id"')
        elif panel.run.word.code == "QUERY-ERROR":
            message = f"{panel.panel}: {backend.title} refuses its query"
            yield Finding(PANEL_REFUSED, message, panel.at, remedy=panel.run.text)
        elif there and panel.run.word.code == "NOT-FOUND":
            message = f"{panel.panel} shows nothing for the run that is there"
            yield Finding(
                PANEL_EMPTY, message, panel.at, remedy="compare its metric names with those of the store"
            )


def _before_the_run(ctx: Context, backend: Backend) -> Iterator[Said]:
    """The run is not there yet: the bogus id, and what other runs show."""
    negative = backend.negative(backend.bogus)
    others = negative if _of_others(negative) else backend.presence()
    if not _of_others(negative) and not (yield from _asked(ctx, backend, negative)):
        return
    if _of_others(others):
        yield _finding(ctx, backend, others, OTHERS)
        raise Skip(_told(backend, others), missing_input=LATER)
    if others.status is not Status.UNKNOWN and not (yield from _asked(ctx, backend, others)):
        return
    text = f"{backend.title} answers and finds nothing for a made-up id; the run is not there yet"
    raise Skip(text, missing_input=LATER)


def _of_others(reading: Reading) -> bool:
    """Not filterable, as far as the data of other runs shows."""
    return reading.word.code == "NOT-FILTERABLE" and not reading.final


def _run_ids(ctx: Context) -> tuple[str, ...]:
    """The run ids of the launches that are known before the start."""
    found: dict[str, None] = {}
    for launch in ctx.launches:
        try:
            ids = replace(ctx, current=launch).lens.run_ids
        except (Undecided, LibraryFailure):
            continue
        found |= {one.value: None for one in ids if one.value}
    return tuple(found)


def _sampler(ctx: Context) -> str:
    """A processor of the given collector that may drop a lone trace, empty when there is none."""
    config = ctx.collector
    for pipeline in config.of_signal("traces") if config is not None else ():
        for reference in pipeline.processors:
            component = config.find("processors", reference.id) if config is not None else None
            if component is not None and component.type in SAMPLERS:
                return reference.id
    return ""


def _finding(ctx: Context, backend: Backend, reading: Reading, rule: Rule) -> Finding:
    remedy = reading.remedy or f"look at {backend.title}, then run lens-preflight again"
    return Finding(
        rule, _told(backend, reading), _at(ctx), evidence=_of(backend, reading.evidence), remedy=remedy
    )


def _told(backend: Backend, reading: Reading) -> str:
    return f"{backend.title}: {reading.text}"


def _of(backend: Backend, evidence: Mapping[str, str]) -> dict[str, str]:
    return {"url": backend.client.base, **evidence}


def _at(ctx: Context) -> Location:
    return Location.option(f"--backend {ctx.target.key}")
