"""What reaches the setup calls of a program over all processes and ways, brought down to a few facts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lens_preflight.core.data import dataclass
from lens_preflight.core.variable import Environment
from lens_preflight.core.words import Spread, State

if TYPE_CHECKING:
    from lens_preflight.core.world import World
    from lens_preflight.program.model import Reading
    from lens_preflight.program.seen import SetupSeen
    from lens_preflight.program.state import Site
    from lens_preflight.program.surroundings import Found

PER_PROCESS = ("uuid.uuid1", "uuid.uuid4", "os.getpid", "os.urandom", "secrets.")
"""Calls whose results no two processes share."""

PER_NODE = ("socket.gethostname", "platform.node", "os.uname", "socket.getfqdn")

SHARING = (b"broadcast", b"bcast", b"scatter", b"gather", b"TCPStore", b"FileStore", b"KVStore", b"Queue")
"""Words of programs that may hand a value of one process to the others."""

UNNAMED = "the program writes variables whose names are not in the source"

COUNTS = ("SIZE", "NTASKS", "NPROCS", "NNODES", "NUM_NODES")
"""The ends of the names of a launcher's variables that are one for all processes."""

WIDTH = (Spread.JOB, Spread.RUN, Spread.NODE, Spread.TASK)


@dataclass(frozen=True)
class Reached:
    """The values of one variable or field at all setup calls.

    ``texts`` are the known ones (None: unset), ``unknown`` what the others depend on; ``kept`` says
    that some way leaves it as it is. ``by_process``: processes of one world differ; ``by_world``: each world
    has one for all of its processes. ``shared``: processes may exchange values.
    """

    texts: frozenset[str | None] = frozenset()
    unknown: frozenset[frozenset[str]] = frozenset()
    kept: bool = False
    by_process: bool = False
    by_world: bool = False
    shared: bool = False
    at: Site | None = None

    def depends(self, name: str, env: Environment) -> tuple[State | None, Spread, str]:
        """State, spread and reason of a value that is not known; no state when it stays as it is."""
        from lens_preflight.program.ranks import name as in_words
        from lens_preflight.program.values import LAUNCHER

        taints = frozenset().union(*self.unknown) - {"absent"}
        handed = {t.partition(":")[0] for t in taints if not t.startswith("written:")} == {"shared"}
        taints = frozenset(
            t for t in taints if not t.startswith(("written:", "const:", "choice:", "shared:"))
        )
        sources = {t[4:] for t in taints if t.startswith("env:")}
        others = sorted(t for t in taints if not t.startswith("env:") and t != "rank")
        counts = {s for s in sources if s.endswith(COUNTS)}
        placed = "rank" in taints
        if not others and not placed and sources == {name} and not self.texts:
            return None, Spread.JOB, ""
        settled = not others and not self.texts and not self.kept
        if settled and (sources & set(LAUNCHER)) - counts:
            return State.UNKNOWN, Spread.TASK, "the program makes it from the place of the process"
        if settled and not placed and "?" not in sources and (sources or handed):
            spread = max((env[s].spread for s in sources), key=WIDTH.index, default=Spread.JOB)
            made = ", ".join(f"${s}" for s in sorted(sources)) or "what one process hands to all"
            return State.PROVIDED, spread, f"the program makes it from {made}"
        if "opaque:os.environ" in others:
            return State.UNKNOWN, Spread.JOB, UNNAMED
        calls = [t.partition(":")[2] for t in others]
        what = in_words(others[0]).removesuffix("()") if others else "something that is not followed"
        if calls and not self.shared and all(c.startswith((*PER_PROCESS, *PER_NODE)) for c in calls):
            lone = any(c.startswith(PER_PROCESS) for c in calls)
            return State.UNKNOWN, Spread.TASK if lone else Spread.NODE, f"the program makes it from {what}"
        return (
            State.UNKNOWN,
            Spread.JOB,
            f"the program makes it from {what}, and nobody can tell what that gives",
        )

    def as_read(self, names: tuple[str, ...]) -> bool:
        """True for a field that is what the library reads from these variables, whatever that is."""
        if self.texts or not self.unknown:
            return not self.texts and not self.unknown
        own = {f"env:{n}" for n in names} | {f"written:{n}" for n in names} | {"absent"}
        return all(taints <= own for taints in self.unknown)


def setups_that_export(reading: Reading) -> list[tuple[SetupSeen, int]]:
    """The setup calls that count, each with the processes that export there; with all when none does."""
    on = reading.mask()
    fit = [s for s in reading.setups if not s.rejected and not s.before]
    main = [s for s in fit if not s.hypo] or fit
    lanes = [(s, (s.exporting | s.maybe) & on) for s in main]
    return [(s, mask) for s, mask in lanes if mask] or [(s, s.lanes & on) for s in main if s.lanes & on]


def reached(reading: Reading, find: Callable[[SetupSeen], Found | None], as_field: bool = False) -> Reached:
    """What ``find`` gives at the setup calls that count, over their processes."""
    from lens_preflight.program.natives import is_absent
    from lens_preflight.program.state import lane_numbers, part
    from lens_preflight.program.values import Choice, taints_of

    rows: dict[tuple[int, World], set[frozenset[str | None]]] = {}
    unknown: set[frozenset[str]] = set()
    kept, at = False, None
    setups = setups_that_export(reading)
    for number, (setup, lanes) in enumerate(setups):
        found = find(setup)
        kept = kept or found is None
        at = at or (found.at if found is not None else None)
        for lane in lane_numbers(lanes if found is not None else 0):
            assert found is not None
            value = part(found.value, lane)
            mine: set[str | None] = set()
            for option in value.options if isinstance(value, Choice) else (value,):
                known, text = as_text(option, as_field)
                if is_absent(option):
                    kept = True
                elif known:
                    mine.add(text)
                else:
                    unknown.add(taints_of(option))
            rows.setdefault((number, reading.lanes[lane].world), set()).add(frozenset(mine))
    shared = shares(reading) or any(setup.process != "main" for setup, _ in setups)
    return Reached(
        frozenset(t for row in rows.values() for mine in row for t in mine),
        frozenset(unknown),
        kept,
        any(len(row) > 1 for row in rows.values()),
        _one_each(rows),
        shared,
        at,
    )


def _one_each(rows: dict[tuple[int, World], set[frozenset[str | None]]]) -> bool:
    """True when in each world there is one text for all processes and ways."""
    by_world: dict[World, set[str | None]] = {}
    for (_, world), row in rows.items():
        by_world.setdefault(world, set()).update(t for mine in row for t in mine)
    return all(len(texts) == 1 for texts in by_world.values())


def as_text(value: Any, as_field: bool) -> tuple[bool, str | None]:
    """Whether a value is known, and its text: that of a variable, or of the variable that a field stands for."""
    from lens_preflight.program.values import Const

    if not isinstance(value, Const):
        return False, None
    held = value.value
    if as_field and isinstance(held, bool):
        return True, "1" if held else "0"
    if held is None or (as_field and held == ""):
        return True, None
    if isinstance(held, str) or as_field:
        return True, str(held)
    return False, None


def shares(reading: Reading) -> bool:
    """Whether the program names anything by which processes hand values to each other."""
    closure = reading.model.closure
    texts = [closure.bytes.get(path, b"") for path in closure.sources]
    return any(word in text for text in texts for word in SHARING)
