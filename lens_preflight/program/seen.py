"""What one run of the interpreter saw: setups, bridges, signals, ends."""

from __future__ import annotations

import ast

from lens_preflight.core.data import dataclass, field
from lens_preflight.program import outcomes
from lens_preflight.program.state import Facts, Installed, Site
from lens_preflight.program.surroundings import Surroundings
from lens_preflight.program.values import Value


@dataclass(frozen=True, slots=True)
class SetupSeen:
    """One call of ``setup_telemetry`` on some paths, with what reached it.

    ``rejected`` says why the library refuses it; ``misnamed``: for the name of the strategy only.
    """

    chain: tuple[Site, ...]
    lanes: int
    hypo: bool
    enabled: Value
    strategy: Value
    strategy_from: str
    rank: Value | None
    world_size: Value | None
    resource: Value | None
    carrier: Value
    cond: frozenset[str]
    exporting: int
    maybe: int
    before: tuple[Site, ...]
    reinit: bool
    rejected: str
    process: str
    fallback: str
    config: Site | None
    trail: tuple[Site, ...] = ()
    attributes: tuple[tuple[str, Value], ...] | None = None
    open_keys: bool = False
    reinit_true: bool = False
    misnamed: bool = False
    surroundings: Surroundings = field(default_factory=Surroundings)

    @property
    def site(self) -> Site:
        """The call itself."""
        return self.chain[0]


@dataclass(frozen=True, slots=True)
class BridgeSeen:
    """One log bridge: which logger, from which level on; ``logger`` is '' for the root."""

    chain: tuple[Site, ...]
    lanes: int
    hypo: bool
    logger: Value
    level: Value
    by_hand: bool


@dataclass(frozen=True, slots=True)
class SignalSeen:
    """What SIGTERM would do at one call with a handle open.

    ``became``: none (no handler), default (taken off), ignored, closes, returns, exits, hard,
    blocks, unknown.
    """

    chain: tuple[Site, ...]
    lanes: int
    hypo: bool
    became: str
    at: Site | None
    installed: Site | None
    training: bool


@dataclass(frozen=True, slots=True)
class End:
    """One way a process ends."""

    flow: outcomes.Flow
    lanes: int
    hypo: bool
    facts: Facts
    origin: tuple[Site, ...]
    error: str | None
    cond: frozenset[str]
    process: str
    last: tuple[Site, ...] = ()
    optional: bool = False


@dataclass
class Seen:
    """All that a run saw.

    ``swallowed``: a handler that raised, and what goes on all the same.
    ``ran`` are the statements that it got to, ``passed_over`` the functions that this launch does not choose.
    """

    setups: list[SetupSeen] = field(default_factory=list)
    bridges: list[BridgeSeen] = field(default_factory=list)
    signals: list[SignalSeen] = field(default_factory=list)
    installs: list[tuple[Installed, bool, int]] = field(default_factory=list)
    ends: list[End] = field(default_factory=list)
    layout: list[tuple[str, Site]] = field(default_factory=list)
    late: list[tuple[str, Site]] = field(default_factory=list)
    opaque: list[tuple[str, Site]] = field(default_factory=list)
    uncounted: list[tuple[str, Site]] = field(default_factory=list)
    shutdowns: list[Site] = field(default_factory=list)
    children: list[tuple[str, Site]] = field(default_factory=list)
    none_calls: list[tuple[tuple[Site, ...], int]] = field(default_factory=list)
    hooks: list[Site] = field(default_factory=list)
    refusals: list[tuple[str, Site]] = field(default_factory=list)
    swallowed: list[tuple[Site, Site, int]] = field(default_factory=list)
    entered: bool = False
    ran: set[ast.AST] = field(default_factory=set)
    passed_over: set[ast.AST] = field(default_factory=set)
