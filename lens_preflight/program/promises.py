"""Every way a process ends with telemetry up, and what became of the handle on it."""

from __future__ import annotations

from lens_preflight.core.data import dataclass
from lens_preflight.program.model import Reading
from lens_preflight.program.outcomes import Flow
from lens_preflight.program.seen import End
from lens_preflight.program.state import HandleFact, Site
from lens_preflight.program.training import last_word, trains


@dataclass(frozen=True)
class Way:
    """One end of a process, seen from one handle.

    ``kind``: normal (returns, or leaves by its own exit), exception, exit (SystemExit or
    KeyboardInterrupt out of a call), hard. ``at`` is the statement that decides it, ``through``
    the calls that led there.
    """

    kind: str
    handle: HandleFact
    end: End
    at: Site
    through: tuple[Site, ...]

    @property
    def open(self) -> bool:
        """Nothing shut the handle down."""
        return self.handle.status == "open"

    @property
    def undecided(self) -> bool:
        """Perhaps something did."""
        return self.handle.status == "maybe"

    def trains_in(self, apart: frozenset[Site]) -> Site | None:
        """The call of the training in which the way begins, innermost first; calls ``apart`` do not count."""
        calls = (self.at, *(s for s in self.through if s not in apart))
        return next((s for s in calls if trains(s.text)), None)

    @property
    def may_hang(self) -> bool:
        """True when the statement waits for other processes."""
        from lens_preflight.program.tables import COLLECTIVES

        return last_word(self.at.text) in (*COLLECTIVES, "join", "finish")


def evaluates(call: Site) -> bool:
    """True for a call that measures before or after the training."""
    return last_word(call.text).startswith(("eval", "valid", "test"))


def worst_of(some: list[Way], apart: frozenset[Site]) -> tuple[Way, Site | None]:
    """The way that begins in the training, if there is one, and the call that says so; else the first."""
    found = [(w, call) for w in some if (call := w.trains_in(apart)) is not None]
    if found:
        return min(found, key=lambda pair: evaluates(pair[1]))
    return some[0], None


def around(reading: Reading, mine: list[Way]) -> frozenset[Site]:
    """Calls around the setup, or around a shutdown on every way: what fails in them need not be training."""
    setups = (s for setup in reading.seen.setups for s in setup.chain[1:])
    covered = (s for w in mine if not w.open and w.kind in ("exception", "exit") for s in w.through)
    return frozenset((*setups, *covered))


def kind_of(end: End) -> str:
    """The kind of one end."""
    if end.flow is Flow.HARD:
        return "hard"
    if end.flow is Flow.RAISE or end.error == "SystemExit after an error":
        return "exception"
    if end.flow is Flow.EXIT and end.error not in ("SystemExit",):
        return "exit"
    return "normal"


def ways(reading: Reading) -> list[Way]:
    """All ways out of all processes, those that SIGTERM begins left out."""
    out: list[Way] = []
    for end in reading.seen.ends:
        if end.facts.signalled is not None or not end.lanes & reading.mask():
            continue
        kind = kind_of(end)
        chain = end.last if kind == "normal" or not end.origin else end.origin
        for fact in reading.relevant(end):
            at = chain[0] if chain else fact.site
            out.append(
                Way(kind, fact, end, at, tuple(chain[1:]) if kind != "normal" else tuple(end.last[1:]))
            )
    return out


ON_PURPOSE = ("outlived", "beside", "ended child")
"""Notes that tell of a fault only where nothing went wrong before."""


def noted(reading: Reading, kind: str) -> list[tuple[Site, End]]:
    """Places with a note of that kind on some way out with telemetry on."""
    found: dict[Site, End] = {}
    for end in reading.seen.ends:
        if not end.lanes & reading.mask() or end.facts.signalled is not None:
            continue
        if kind in ("premature", "outlived", "beside", "after") and not reading.relevant(end):
            continue
        if kind in ON_PURPOSE and kind_of(end) != "normal":
            continue
        for name, site in end.facts.notes:
            if name == kind:
                found.setdefault(site, end)
    return sorted(found.items(), key=lambda item: (item[0].path, item[0].line))


def shutdown_places(reading: Reading) -> list[Site]:
    """Where shutdown is called, or registered: what the paths reach first, else what the text holds."""
    found = [*reading.seen.shutdowns, *reading.seen.hooks]
    if not found:
        found = reading.model.mentions("shutdown")
    unique: dict[tuple[str, int], Site] = {}
    for site in found:
        unique.setdefault((site.path, site.line), site)
    return list(unique.values())
