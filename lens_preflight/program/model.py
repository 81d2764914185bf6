"""The model of one program: read lazily, once per environment, world and generation."""

from __future__ import annotations

import ast
import functools
import os
import threading
from collections.abc import Sequence
from pathlib import Path

from lens_preflight.core.data import dataclass, field
from lens_preflight.core.errors import InputError, Undecided
from lens_preflight.core.finding import Location
from lens_preflight.core.variable import Environment
from lens_preflight.core.world import World
from lens_preflight.lens.generations import GENERATIONS, Generation
from lens_preflight.program.closure import Closure
from lens_preflight.program.machine import Lane, Machine
from lens_preflight.program.seen import End, Seen, SetupSeen
from lens_preflight.program.source import Unreadable, entry_bytes, no_collection
from lens_preflight.program.state import HandleFact, Site

WORLDS = (World(1, 1, known=False), World(8, 4, known=False), World(64, 8, known=False))
"""Worlds that are tried when nobody tells the real one."""

MAX_RANKS = 4096
"""Ranks of one world that are evaluated; of a larger one the first and the last half of so many."""


def ranks_tried(size: int) -> tuple[int, ...]:
    """The ranks of a world that are evaluated: all, or the first and the last of a very large one."""
    if size <= MAX_RANKS:
        return tuple(range(size))
    half = MAX_RANKS // 2
    return (*range(half), *range(size - half, size))


@dataclass(frozen=True)
class Reading:
    """What one run of the interpreter saw.

    ``lanes`` are the processes, ``incomplete`` why the run stopped early (empty when it did not).
    """

    model: ProgramModel
    generation: Generation
    worlds: tuple[World, ...]
    lanes: tuple[Lane, ...]
    seen: Seen
    incomplete: str = ""

    def mask(self, world: World | None = None, on: bool = True) -> int:
        """The lanes of one world, or of all, with telemetry on or off."""
        found = 0
        for i, lane in enumerate(self.lanes):
            if lane.on is on and (world is None or lane.world == world):
                found |= 1 << i
        return found

    @property
    def setups(self) -> list[SetupSeen]:
        """Setup calls reached with telemetry on."""
        on = self.mask()
        return [s for s in self.seen.setups if s.lanes & on]

    @functools.cached_property
    def _exporting(self) -> int:
        """The lanes that export, or may: asked for at every end, and there may be thousands of ends."""
        on = self.mask()
        lanes = 0
        for setup in self.setups:
            lanes |= (setup.exporting | setup.maybe) & on
        return lanes

    def relevant(self, end: End) -> list[HandleFact]:
        """The handles of one end that had something to flush; all of them when nobody exports."""
        on = self.mask() & end.lanes
        exporting = self._exporting
        out = []
        for _, fact in end.facts.handles:
            mine = fact.process == end.process or fact.process.startswith("ray:")
            lanes = (fact.on | fact.maybe_on) & on if exporting else on
            if mine and lanes:
                out.append(fact)
        return out

    @functools.cached_property
    def unreached(self) -> tuple[str, Site] | None:
        """Why a setup that this run did not get to may run all the same, and where; None when it is dead."""
        from lens_preflight.program.unreached import unreached

        return unreached(self.model.closure, self.seen)

    def location(self, site: Site) -> Location:
        """A place as reports show it."""
        return self.model.location(site)


@dataclass
class ProgramModel:
    """One program: its entry, its import roots, and the arguments of the launch.

    ``entry`` is an absolute path. Raises Undecided from ``reading`` when the entry does not parse.
    """

    entry: str
    closure: Closure
    argv: tuple[str, ...] = ()
    package: str = ""
    readings: list[tuple[Environment, Reading]] = field(default_factory=list)
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False, compare=False)

    def location(self, site: Site) -> Location:
        """A place as reports show it: relative to the working directory when below it."""
        line: int | None = site.line
        cell = self.cell_of(site)
        what = self.closure.shown(site.path)
        return Location.file(f"{what}#cell{cell[0]}" if cell else what, cell[1] if cell else line)

    def cell_of(self, site: Site) -> tuple[int, int] | None:
        """(cell, line in it) of a place in a notebook."""
        source = self.closure.sources.get(site.path)
        if source is None or not source.cells:
            return None
        start, number = next((c for c in reversed(source.cells) if c[0] <= site.line), (1, 1))
        return number, site.line - start + 1

    @property
    def at(self) -> Location:
        """The entry itself."""
        return Location.file(self.closure.shown(self.entry), 1)

    def check_readable(self) -> None:
        """Raise Undecided, with the place, when the entry cannot be parsed."""
        try:
            self.closure.source(self.entry)
        except Unreadable as error:
            shown = self.closure.shown(self.entry)
            raise Undecided(f"{shown}: {error.reason}", Location.file(shown, error.line)) from error

    def reading(self, env: Environment, world: World | None, generation: Generation) -> Reading:
        """What the program does in that environment, world and generation of Lens; remembered.

        Checks ask from several threads; the first one reads, the others wait for it.

        Raises:
            Undecided: the entry cannot be parsed.
        """
        with self.lock:
            return self._known(env, world, generation) or self._add(env, world, generation)

    def _known(self, env: Environment, world: World | None, generation: Generation) -> Reading | None:
        for known_env, reading in self.readings:
            same = known_env is env or known_env == env
            wanted = (world,) if world is not None else WORLDS
            fits = reading.generation == generation or not reading.setups  # without a setup all are alike
            if same and reading.worlds == wanted and fits:
                return reading
        return None

    def _add(self, env: Environment, world: World | None, generation: Generation) -> Reading:
        found = self.read(env, world, generation)
        self.readings.append((env, found))
        return found

    def read(self, env: Environment, world: World | None, generation: Generation) -> Reading:
        """Run the interpreter once."""
        from lens_preflight.program import run

        self.check_readable()
        worlds = (world,) if world is not None else WORLDS
        lanes = tuple(
            Lane(w, rank, on) for w in worlds for on in (True, False) for rank in ranks_tried(w.size)
        )
        for coarse in (False, True):
            machine = Machine(self.closure, lanes, env, generation, self.argv, self.entry, coarse)
            with no_collection():
                incomplete = run.run(machine, self.entry, self.package)
            if not incomplete or not machine.plan.small:
                break
        return Reading(self, generation, worlds, lanes, machine.seen, incomplete)

    @property
    def fits(self) -> tuple[Generation, ...]:
        """The generations whose call the reachable setup calls fit; all of them when none is reached.

        Raises:
            Undecided: the entry cannot be parsed.
        """
        plain = Environment(complete=False, opaque="not looked at")
        found = [
            g
            for g in GENERATIONS
            if all(not s.rejected or s.misnamed for s in self.reading(plain, WORLDS[1], g).setups)
        ]
        return tuple(found) or GENERATIONS

    def mentions(self, name: str) -> list[Site]:
        """Places in the parsed files that call something of that name, by the text alone."""
        found: list[Site] = []
        for path, source in self.closure.sources.items():
            for node in ast.walk(source.tree):
                if isinstance(node, ast.Call):
                    func = node.func
                    called = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
                    if called == name:
                        found.append(Site(path, node.lineno, f"{name}()"))
        return found


def analyse(
    entry: str | None = None,
    module: str | None = None,
    roots: Sequence[str] = (),
    argv: Sequence[str] = (),
    base: str | None = None,
) -> ProgramModel:
    """The model of a script or of ``-m module``; nothing is parsed yet.

    ``roots`` are import roots beside the script's folder (``PYTHONPATH``, ``--src``); ``base`` is the
    working directory, by default the current one.

    Raises:
        InputError: there is no such script or module, or it cannot be opened.
    """
    here = base or str(Path.cwd())
    more = [os.path.normpath(os.path.join(here, r)) for r in roots if r]
    if module is not None:
        return analyse_module(module, [here, *more], argv, here)
    if entry is None:
        raise InputError("no script was given")
    path = os.path.normpath(os.path.join(here, entry))
    entry_bytes(Path(path))
    closure = Closure([os.path.dirname(path), *more, *source_folders(os.path.dirname(path), here)], here)
    return ProgramModel(path, closure, tuple(argv))


def analyse_module(module: str, roots: list[str], argv: Sequence[str], here: str) -> ProgramModel:
    """The model of ``python -m module``: a package means its ``__main__``."""
    closure = Closure([*roots, *source_folders(here, here)], here)
    found = closure.find(module)
    if found is None:
        raise InputError(
            f"no module {module}: give its folder in PYTHONPATH, or run from the folder above it"
        )
    package = module.rpartition(".")[0]
    if found.folders:
        inner = closure.find(f"{module}.__main__")
        if inner is None or inner.path is None:
            raise InputError(f"{module} is a package without __main__: python -m {module} would refuse it")
        found, package = inner, module
    assert found.path is not None
    return ProgramModel(found.path, closure, tuple(argv), package)


def source_folders(folder: str, stop: str) -> list[str]:
    """``src`` beside the nearest ``pyproject.toml`` above a folder, as an editable install has it."""
    here = folder
    for _ in range(6):
        if os.path.isfile(os.path.join(here, "pyproject.toml")):
            src = os.path.join(here, "src")
            return [src] if os.path.isdir(src) else [here]
        parent = os.path.dirname(here)
        if parent == here:
            break
        here = parent
    return []
