"""Is the handle shut down on every way out of the program?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks.program_reading import instrumented, related, words, worlds_tried
from lens_preflight.checks.shutdown_rules import (
    AFTER,
    CHILD_HOOK,
    DAEMON_CHILD,
    ENDED_CHILD,
    FINALIZER,
    FORKED,
    GAP,
    HARD_EXIT,
    HOOK,
    MAYBE_HARD,
    NONE_HANDLE,
    ONLY_EXCEPTIONS,
    PREMATURE,
    REJECTED,
    SCHEDULED,
    SUCCESS_ONLY,
    THREAD_AT_EXIT,
    UNPROTECTED,
    rules,
)
from lens_preflight.core.check import Said, check
from lens_preflight.core.errors import Undecided
from lens_preflight.core.finding import Finding, Proof, Rule
from lens_preflight.core.words import Need, Scope, Severity

if TYPE_CHECKING:
    from lens_preflight.context import Context
    from lens_preflight.program.model import Reading
    from lens_preflight.program.promises import Way
    from lens_preflight.program.state import Site

REMEDY = "handle = setup_telemetry(...)\ntry:\n    main()\nfinally:\n    handle.shutdown()"
NOTES = (
    ("after", AFTER),
    ("beside", AFTER),
    ("scheduled", SCHEDULED),
    ("thread at exit", THREAD_AT_EXIT),
    ("finalizer", FINALIZER),
    ("forked", FORKED),
    ("daemon child", DAEMON_CHILD),
    ("ended child", ENDED_CHILD),
)


@check(
    "shutdown",
    "handle.shutdown() is promised on every way out",
    items=(2,),
    scope=Scope.LAUNCH,
    needs=(Need.SCRIPT,),
    uses=(Need.ENVIRONMENT, Need.JOB),
    rules=rules,
    decisive=True,
)
def shutdown(ctx: Context) -> Iterator[Said]:
    """Follows every way out of the program from the setup call on: return, exception, exit, hard exit.

    A pass needs a promise on each of them: a `finally`, a context manager, an ExitStack that is
    left by `with`, or an exit hook (`atexit`, which passes with a note: the SDK's own threads may be
    gone by then). What does not count: the SDK's hook for the end of the process. In runs of 0.1 it
    delivered the last span of most programs without the call, and nothing of the others; it knows
    neither your time limit nor SIGTERM.

    Fails: no call; a call on success only, or on failure only; a guard that has nothing to do with
    telemetry; a call before training ends, also in a thread; `os._exit` and `exec` in front of it. Warns: a statement
    that may raise between setup and the protected region, or in front of the call in a `finally`
    (a barrier there may wait for ever); a hook registered late. The finding names the statement that
    leaves without a shutdown, the setup, and the nearest shutdown.
    """
    reading = instrumented(ctx)
    yield from worlds_tried(ctx, reading)
    found: list[Finding] = []
    for one in judge(ctx, reading):
        found.append(one)
        yield one
    if ctx.stops(*found):
        return
    undecided(reading)
    heavy = {f.severity for f in found} - {Severity.NOTE}
    if heavy == {Severity.BLOCKER}:
        yield ctx.nothing_else
    if not heavy:
        closers = sorted({str(reading.location(s)) for s in closers_of(reading)})
        yield Proof("shutdown is reached on every way out", {"shutdown": ", ".join(closers)})


def closers_of(reading: Reading) -> list[Site]:
    """The calls that shut down."""
    from lens_preflight.program.promises import ways

    return [w.handle.closer for w in ways(reading) if w.handle.closer is not None]


def undecided(reading: Reading) -> None:
    """Raise Undecided for a way out on which nobody can say whether the handle is shut down."""
    from lens_preflight.program.promises import ways

    for way in ways(reading):
        if way.undecided:
            at = way.handle.closer or way.at
            raise Undecided(way.handle.why, reading.location(at))
    if reading.incomplete:
        raise Undecided(reading.incomplete, reading.model.at)


def judge(ctx: Context, reading: Reading) -> Iterator[Finding]:
    """All findings about the ways out, the heaviest first; behind one that may be waived, the next."""
    from lens_preflight.program.promises import noted, ways

    every = ways(reading)
    if not every:
        yield from refused(ctx, reading)
        return
    doubt: Undecided | None = None
    for handle_site in dict.fromkeys(w.handle.site for w in every):
        mine = [w for w in every if w.handle.site == handle_site]
        try:
            yield from of_handle(ctx, reading, mine)
        except Undecided as error:  # what is sure all the same is said first
            doubt = doubt or error
    for site, end in (*noted(reading, "premature"), *noted(reading, "outlived")):
        closer = next((f.closer for _, f in end.facts.handles if f.closer), site)
        yield premature(reading, site, closer)
    for kind, rule in NOTES:
        for site, _ in noted(reading, kind)[:1]:
            yield simple(reading, rule, site)
    yield from hooks(reading, every)
    yield from none_handles(ctx, reading)
    if doubt is not None:
        raise doubt


def refused(ctx: Context, reading: Reading) -> Iterator[Finding]:
    """A setup call that this generation refuses leaves no handle."""
    for setup in reading.setups:
        if setup.rejected:
            at = reading.location(setup.site)
            message = f"setup_telemetry raises here: {setup.rejected}; nothing is up and nothing is shut down"
            yield Finding(REJECTED, message, at, remedy=REMEDY)
            if not ctx.lifts(REJECTED):
                return


def of_handle(ctx: Context, reading: Reading, mine: list[Way]) -> Iterator[Finding]:
    """The findings about one handle."""
    left = [w for w in mine if w.open]
    hard = [w for w in left if w.kind == "hard"]
    for way in by_place(sorted(hard, key=lambda w: w.end.hypo or w.end.optional)):
        by_option = way.end.hypo or way.end.optional
        rule = MAYBE_HARD if by_option else HARD_EXIT
        yield finding(reading, rule, way, f"{words(way.at)} ends the process before the shutdown")
        if not ctx.lifts(rule):
            if rule is HARD_EXIT:
                return
            break
    normal = by_place(sorted((w for w in left if w.kind == "normal"), key=lambda w: w.end.hypo))
    if normal:
        closed = any(not w.open for w in mine)
        rule = ONLY_EXCEPTIONS if closed else UNPROTECTED
        each = closed and ctx.lifts(rule)
        text = "a normal end leaves without shutdown" + (", other ways have one" if closed else "")
        for way in normal if each else normal[:1]:
            yield finding(reading, rule, way, text)
        if not each:
            return
    yield from exceptional(ctx, reading, mine, left)


def by_place(ways: list[Way]) -> list[Way]:
    """The first way of each place."""
    firsts: dict[Site, Way] = {}
    for way in ways:
        firsts.setdefault(way.at, way)
    return list(firsts.values())


def exceptional(ctx: Context, reading: Reading, mine: list[Way], left: list[Way]) -> Iterator[Finding]:
    """The findings about exceptions and exits of one handle whose normal end is covered."""
    from lens_preflight.program.promises import around, evaluates, worst_of

    raised = [w for w in left if w.kind == "exception"]
    exits = [w for w in left if w.kind == "exit"]
    covered = [w for w in mine if not w.open and w.kind in ("exception", "exit")]
    guarded = guarded_by_text(reading, mine)
    if not raised and not exits and not covered and guarded is not True:
        yield from unseen(reading, mine, guarded)
        return
    apart = around(reading, mine)
    kept = worst_of(covered, frozenset())[1] if covered else None
    trained = kept is not None and not evaluates(kept)
    files = [[w for w in raised if w.at.path == path] for path in dict.fromkeys(w.at.path for w in raised)]
    for some in files if ctx.lifts(SUCCESS_ONLY) else files and [raised]:
        worst, call = worst_of(some, apart)
        aside = call is not None and evaluates(call) and trained
        if (call is not None and not aside) or not (covered or guarded):
            text = f"an exception in {words(worst.at)} leaves without shutdown"
            yield finding(reading, SUCCESS_ONLY, worst, text)
        else:
            hang = "; it may also wait for ever" if worst.may_hang else ""
            text = f"an exception in {words(worst.at)} leaves without shutdown{hang}"
            yield finding(reading, GAP, worst, text, some)
    if exits and not raised:
        worst = worst_of(exits, apart)[0]
        text = f"SystemExit or KeyboardInterrupt in {words(worst.at)} leaves without shutdown"
        yield finding(reading, GAP, worst, text)


def guarded_by_text(reading: Reading, mine: list[Way]) -> bool | None:
    """Whether the calls that shut this handle down stand in a ``finally`` or ``with``; hooks count."""
    from lens_preflight.program.protection import protected

    facts = [w.handle for w in mine if w.handle.closer is not None]
    if not facts or any(f.how == "atexit" for f in facts):
        return True if facts else None
    answers = [protected(reading.model, f.closer) for f in facts if f.closer is not None]
    if None in answers:
        return None
    return all(answers)


def unseen(reading: Reading, mine: list[Way], guarded: bool | None) -> Iterator[Finding]:
    """No statement is known to raise before the shutdown: that is no promise that none will."""
    way = mine[0]
    if guarded is None:
        at = way.handle.closer or way.at
        reason = "nothing before the shutdown is known to raise, and no finally around it was found"
        raise Undecided(reason, reading.location(at))
    text = "an exception, or Ctrl-C, between setup and shutdown leaves without it"
    yield finding(reading, SUCCESS_ONLY, way, text)


def finding(reading: Reading, rule: Rule, way: Way, message: str, others: list[Way] | None = None) -> Finding:
    """A finding about one way out, with its setup, its calls and the nearest shutdown."""
    from lens_preflight.program.promises import noted, shutdown_places

    at = reading.location(way.at)
    places = [("telemetry is set up here", way.handle.site)]
    places += [("on the way: the call here", s) for s in way.through[:3]]
    places += [("the shutdown is taken off the stack here", s) for s, _ in noted(reading, "popped")]
    shutdowns = [s for s in shutdown_places(reading) if s != way.at]
    shutdowns.sort(key=lambda s: (s.path != way.handle.site.path, abs(s.line - way.at.line)))
    places += [("the nearest shutdown", s) for s in shutdowns[:3]]
    places += [("may raise as well", w.at) for w in (others or [])[1:4]]
    return Finding(rule, message, at, related=related(reading, places, at), remedy=REMEDY)


def premature(reading: Reading, site: Site, closer: Site) -> Finding:
    """Training goes on after the shutdown."""
    at = reading.location(closer)
    message = f"telemetry is shut down here, and {words(site)} runs after it"
    return Finding(
        PREMATURE, message, at, related=related(reading, [("still training", site)], at), remedy=REMEDY
    )


def simple(reading: Reading, rule: Rule, site: Site) -> Finding:
    """A finding about one place."""
    from lens_preflight.program.promises import ways

    at = reading.location(site)
    handles = [("telemetry is set up here", w.handle.site) for w in ways(reading)[:1]]
    return Finding(rule, rule.summary, at, related=related(reading, handles, at), remedy=REMEDY)


def hooks(reading: Reading, every: list[Way]) -> Iterator[Finding]:
    """Ways that an exit hook covers: a note, in a forked child more."""
    for way in every:
        if way.handle.status == "closed" and way.handle.how == "atexit" and way.end.facts.hooks:
            site = way.end.facts.hooks[-1].site
            child = way.end.process.startswith(("fork", "forkserver", "ray"))
            yield simple(reading, CHILD_HOOK if child else HOOK, site)
            return


def none_handles(ctx: Context, reading: Reading) -> Iterator[Finding]:
    """``shutdown`` on None, in processes that have no handle."""
    told = set()
    for chain, lanes in reading.seen.none_calls:
        if lanes & reading.mask() and chain[0] not in told:
            told.add(chain[0])
            at = reading.location(chain[0])
            places = [("the handle comes from here", s.site) for s in reading.setups[:1]]
            message = "in some processes the handle is None here, and shutdown raises AttributeError"
            remedy = "if handle is not None:\n    handle.shutdown()"
            yield Finding(NONE_HANDLE, message, at, related=related(reading, places, at), remedy=remedy)
            if not ctx.lifts(NONE_HANDLE):
                return


__all__ = ["Proof", "shutdown"]
