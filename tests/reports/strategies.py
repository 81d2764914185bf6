"""Text of every kind, and runs full of it."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from lens_preflight.core.finding import Assumption, Location, Related
from lens_preflight.core.outcome import Judged, Outcome, RunRecord, Target
from lens_preflight.core.words import Scope, Severity, Status
from tests.reports.records import MISSING, finding, outcome, record

ODD = (
    *("\0", "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\ud800", "\udc80", "\r\n", "\t", "]]>"),
    *("<&\"'>", "\u202e", "\ufffe", "`", "$(x)", "\x9b1m"),
)
ENDINGS = (
    *(("ready", 0), ("not-ready", 1), ("cannot-tell", 3), ("nothing-judged", 4)),
    *(("cannot-tell", 130), ("not-ready", 143), ("cannot-tell", 0)),
)


def texts() -> st.SearchStrategy[str]:
    """Any text at all, with control characters, surrogates and markup more often than by chance."""
    anything = st.text(st.characters(codec=None), max_size=40)
    return st.lists(st.one_of(anything, st.sampled_from(ODD)), max_size=4).map("".join)


@st.composite
def outcomes(draw: st.DrawFn, text: st.SearchStrategy[str]) -> Outcome:
    """An outcome with odd text in every free field."""
    targets = draw(st.lists(text, min_size=1, max_size=3, unique=True))
    found = [
        finding(
            message=draw(text),
            at=Location.file(draw(text), draw(st.none() | st.integers(1, 10**6))),
            severity=draw(st.sampled_from(Severity)),
            remedy=draw(text),
            related=(Related(draw(text), Location.variable(draw(text))),),
            evidence={draw(text): draw(text)},
            settings=((draw(text), draw(st.none() | text)),),
        )
        for _ in range(draw(st.integers(0, 2)))
    ]
    judged = [Judged(f, (Target(Scope.FILE, targets[0]),), draw(text)) for f in found]
    return outcome(
        draw(st.sampled_from(["shutdown", "run-id", "volume"])),
        draw(st.sampled_from(Status)),
        *judged,
        title=draw(text),
        items=draw(st.sampled_from([(), (2,), (4, 5)])),
        scope=Scope.FILE,
        targets=tuple(targets),
        reason=draw(text),
        reason_at=draw(st.none() | text.map(Location.option)),
        evidence={draw(text): draw(text)},
        missing_input=draw(text),
        decisive=draw(st.booleans()),
    )


@st.composite
def records(draw: st.DrawFn, text: st.SearchStrategy[str] | None = None) -> RunRecord:
    """A run with odd text in every free field."""
    text = texts() if text is None else text
    verdict, code = draw(st.sampled_from(ENDINGS))
    launch = {"key": draw(text), "args": [draw(text)], draw(text): draw(text)}
    settings = {draw(text): draw(text)}
    made = record(
        *draw(st.lists(outcomes(text), max_size=3)),
        verdict=verdict,
        headline=draw(text),
        exit_code=code,
        profile_why=draw(text),
        tool=draw(text),
        assumptions=(Assumption(draw(text), draw(text), draw(text)),),
        inputs=((draw(text), "0" * 64),),
        subject={"job": draw(text), "launches": [launch]},
        run={"host": draw(text), "started": draw(text), "argv": [draw(text)], "settings": settings},
        incomplete=draw(text),
    )
    items = tuple(replace(item, missing_input=draw(text) if item.n in MISSING else "") for item in made.items)
    return replace(made, items=items)
