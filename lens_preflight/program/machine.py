"""The interpreter's frame of reference: lanes, calls in progress, outcomes, and what was seen on the way."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lens_preflight.core.data import dataclass
from lens_preflight.core.variable import Environment
from lens_preflight.core.words import State as VariableState
from lens_preflight.core.world import World
from lens_preflight.lens.generations import Generation
from lens_preflight.program import seen
from lens_preflight.program.budget import Exhausted
from lens_preflight.program.state import Cell, Site, State
from lens_preflight.program.values import (
    LAUNCHER,
    Const,
    Func,
    Lanes,
    Ref,
    Unknown,
    Value,
    same,
)

if TYPE_CHECKING:
    from lens_preflight.program.closure import Closure
    from lens_preflight.program.relevance import Plan

FINE_STEPS = 20_000
"""Statements and expressions after which a small program is read again, coarsely."""
MAX_STEPS = 120_000
"""Statements and expressions of one reading: Megatron-LM needs 31,000, programs of one file some hundred."""

MAX_DEPTH = 48


@dataclass(frozen=True, slots=True)
class Frame:
    """One call in progress: its names and where it was called from.

    ``cleanup`` is True in finally blocks, handlers of exceptions and exit methods: code that does
    no training. ``phase``: run, atexit or handler. ``thread``: not the main one of its process.
    """

    path: str
    cell: int
    globals: int
    scope: tuple[int, ...] = ()
    func: Func | None = None
    receiver: Value | None = None
    found: Ref | None = None
    stack: tuple[Site, ...] = ()
    cleanup: bool = False
    phase: str = "run"
    remote: int = 0
    active: tuple[ast.AST, ...] = ()
    guarded: bool = False
    thread: bool = False

    def site(self, node: ast.AST, text: str = "") -> Site:
        """The place of a node."""
        return Site(self.path, getattr(node, "lineno", 1), text)

    def chain(self, node: ast.AST, text: str = "") -> tuple[Site, ...]:
        """The place of a node and the calls that led there, innermost first."""
        return (self.site(node, text), *self.stack)


@dataclass(frozen=True, slots=True)
class Lane:
    """One process of one world, with telemetry switched on or off by the environment."""

    world: World
    rank: int
    on: bool

    def launcher(self) -> dict[str, str]:
        """What a launcher tells this process."""
        world = self.world
        local, node = world.local_rank(self.rank), world.node_rank(self.rank)
        here = min(world.per_node, world.size - node * world.per_node)
        values = {
            "RANK": self.rank,
            "WORLD_SIZE": world.size,
            "LOCAL_RANK": local,
            "LOCAL_WORLD_SIZE": here,
            "NODE_RANK": node,
            "GROUP_RANK": node,
            "SLURM_PROCID": self.rank,
            "SLURM_LOCALID": local,
            "SLURM_NODEID": node,
            "SLURM_NTASKS": world.size,
            "SLURM_NPROCS": world.size,
            "SLURM_NNODES": world.nodes,
            "SLURM_JOB_NUM_NODES": world.nodes,
            "OMPI_COMM_WORLD_RANK": self.rank,
            "OMPI_COMM_WORLD_SIZE": world.size,
            "OMPI_COMM_WORLD_LOCAL_RANK": local,
            "OMPI_COMM_WORLD_LOCAL_SIZE": here,
            "OMPI_COMM_WORLD_NODE_RANK": node,
            "PMI_RANK": self.rank,
            "PMI_SIZE": world.size,
        }
        return {name: str(values[name]) for name in LAUNCHER}


class Machine:
    """One run of the interpreter over one program.

    ``lanes`` are the processes looked at side by side; ``argv`` the arguments of the launch. ``coarse``:
    paths are joined as soon as they agree about telemetry, for programs with too many of them.
    """

    def __init__(
        self,
        closure: Closure,
        lanes: Sequence[Lane],
        env: Environment,
        generation: Generation,
        argv: Sequence[str] = (),
        main: str = "",
        coarse: bool = False,
    ) -> None:
        self.closure = closure
        self.lanes = tuple(lanes)
        self.env = env
        self.generation = generation
        self.argv = tuple(argv)
        self.main = main
        self.coarse = coarse
        self.seen = seen.Seen()
        self.steps = 0
        self.waits = 0
        self.bare: ast.AST | None = None
        self.next_id = 1000
        self.base: dict[str, Value] = {}
        self.launchers = [lane.launcher() for lane in self.lanes]
        self.sampled: set[object] = set()
        self.package = ""
        self.places: dict[object, int] = {}
        self.inert: set[object] = set()
        self.constants: dict[ast.AST, Value] = {}
        self.bound: dict[ast.AST, frozenset[str]] = {}
        self.sums: dict[ast.AST, tuple[frozenset[str], ast.Call | None, str]] = {}
        self._plan: tuple[int, Plan] | None = None

    @property
    def all_lanes(self) -> int:
        """The mask of every lane."""
        return (1 << len(self.lanes)) - 1

    @property
    def plan(self) -> Plan:
        """What of the program is followed; found again when ``sys.path`` has changed."""
        roots = len(self.closure.roots)
        if self._plan is None or self._plan[0] != roots:
            self._plan = (roots, self._planned(roots))
        return self._plan[1]

    def _planned(self, roots: int) -> Plan:
        """The plan for these many roots: other runs over the program use the same."""
        from lens_preflight.program.relevance import plan

        key = (roots, self.main, self.package)
        if key not in self.closure.plans:
            self.closure.plans[key] = plan(self.closure, self.main, self.package)
        return self.closure.plans[key]

    def step(self) -> None:
        """Count one evaluation.

        Raises:
            Exhausted: the budget is used up.
        """
        self.steps += 1
        if self.steps <= FINE_STEPS:
            return
        if self.steps > MAX_STEPS or (self.plan.small and not self.coarse):
            raise Exhausted("the program takes more steps to read than the budget allows")

    def new(self, state: State, cell: Cell) -> Ref:
        """A new object."""
        self.next_id += 1
        state.add(self.next_id, cell)
        return Ref(self.next_id)

    def per_lane(self, values: Iterable[Value]) -> Value:
        """One value from one per lane, in the order of the lanes."""
        parts = tuple(values)
        if all(same(parts[0], p) for p in parts[1:]):
            return parts[0]
        return Lanes(parts)

    def variable(self, name: str) -> Value:
        """The environment variable as the processes find it; Const(None) when it is unset."""
        if name not in self.base:
            self.base[name] = self._variable(name)
        return self.base[name]

    def _variable(self, name: str) -> Value:
        taints = frozenset((f"env:{name}",))
        if name in LAUNCHER:
            texts = [values[name] for values in self.launchers]
            return self.per_lane(Const(text, taints | {"rank"}) for text in texts)
        if name == "NEMO_LENS_ENABLED":
            mine = self.env[name]
            on = mine.value if mine.value is not None and truth_word(mine.value) else "1"
            return self.per_lane(Const(on if lane.on else "0", taints) for lane in self.lanes)
        found = self.env[name]
        if found.state is VariableState.VALUE:
            return Const(found.value, taints, ("env", name))
        if found.state is VariableState.UNSET:
            return Const(None, taints, ("env", name))
        return Unknown(taints, ("env", name))

    def relative(self, path: str) -> str:
        """A path as reports show it."""
        return self.closure.shown(path)


def truth_word(text: str) -> bool:
    """Whether Lens reads a text as true."""
    return text.strip().lower() in ("1", "true", "yes", "on")


def shown_path(path: str) -> str:
    """A path relative to the working directory when it is below it, else as it is."""
    try:
        return str(Path(path).resolve().relative_to(Path.cwd().resolve()))
    except (ValueError, OSError):
        return path
