"""What becomes of ``nemo.run.id`` and its relatives between receiver and exporter."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator

from lens_preflight.collector.items import items
from lens_preflight.collector.model import Component
from lens_preflight.collector.patterns import finds
from lens_preflight.collector.resource_edits import REMOVED, effect
from lens_preflight.collector.statements import SIGNALS, Statement, statements
from lens_preflight.collector.types import leaves_resource
from lens_preflight.collector.values import Partly, Truth, matches
from lens_preflight.core.data import dataclass
from lens_preflight.core.errors import Undecided
from lens_preflight.core.finding import Location
from lens_preflight.documents import Node, Scalar

RUN_ID = "nemo.run.id"
RELATED = (
    "nemo.user.id",
    "nemo.span.truncated",
    "nv.dl.rank",
    "nv.dl.world_size",
    "dl.rank",
    "dl.world_size",
)


class Loss(enum.Enum):
    """What a processor does to an attribute."""

    REMOVED = "removes"
    OVERWRITTEN = "overwrites"


@dataclass(frozen=True)
class Removal:
    """One attribute that does not get through; ``conditional`` when only sometimes."""

    component: Component
    key: str
    loss: Loss
    at: Location
    signal: str = ""
    conditional: bool = False


def removals(component: Component, signals: Iterable[str] = tuple(SIGNALS.values())) -> Iterator[Removal]:
    """What a processor takes away from the resource in pipelines of some signals.

    Raises:
        Undecided: it may take something away.
    """
    if component.type == "resource":
        yield from _actions(component)
    elif component.type == "redaction":
        yield from _redacted(component)
    elif component.type == "transform":
        for signal in (s for s in SIGNALS.values() if s in signals):
            for statement in statements(component, signal):
                yield from _statement(component, statement)
    elif not leaves_resource(component.type):
        raise Undecided(
            f"what processor {component.id} does to attributes and metrics is not known here", component.at
        )


def misses(component: Component) -> Location | None:
    """Where a processor deletes the run id from spans and points, on which it never is."""
    if component.type == "attributes" and component.body is not None:
        for action in component.body.children("actions"):
            if action.text("key") == RUN_ID and _word(action) == "delete":
                return action.at
    return None


def _word(action: Node) -> str:
    """What an action does; the collector reads it in any case."""
    return (action.text("action") or "").lower()


def _actions(component: Component) -> Iterator[Removal]:
    for action in component.body.children("attributes") if component.body is not None else ():
        key, pattern, word = action.text("key"), action.text("pattern"), _word(action)
        for name in (RUN_ID, *RELATED):
            by_pattern = word in ("delete", "hash") and not key and pattern is not None
            hit = key == name or (by_pattern and finds(pattern or "", name, action.at))
            if hit and word == "delete":
                yield Removal(component, name, Loss.REMOVED, action.at)
            elif hit and word in ("update", "upsert", "hash"):
                yield Removal(component, name, Loss.OVERWRITTEN, action.at)


def _redacted(component: Component) -> Iterator[Removal]:
    body = component.body
    if body is None:
        return

    def words(key: str) -> tuple[str, ...]:
        return tuple(i.text_value for i in body.children(key) if isinstance(i, Scalar)) if body else ()

    ignored = {
        name
        for name in (RUN_ID, *RELATED)
        if name in words("ignored_keys")
        or any(finds(p, name, body.at) for p in words("ignored_key_patterns"))
    }
    for name in (RUN_ID, *RELATED):
        if name in ignored:
            continue
        if body.flag("allow_all_keys") is not True and name not in words("allowed_keys"):
            yield Removal(component, name, Loss.REMOVED, body.at)
        elif any(finds(p, name, body.at) for p in words("blocked_key_patterns")):
            yield Removal(component, name, Loss.OVERWRITTEN, component.line_of("blocked_key_patterns"))
        elif name == RUN_ID:
            yield from _blocked(component, words("blocked_values"))


def _blocked(component: Component, patterns: tuple[str, ...]) -> Iterator[Removal]:
    """Values that are masked; what the run id looks like is not known."""
    at = component.line_of("blocked_values")
    for pattern in patterns:
        hit = matches(Partly.SOME, pattern)
        if hit is Truth.YES:
            yield Removal(component, RUN_ID, Loss.OVERWRITTEN, at)
        elif hit is Truth.UNKNOWN:
            raise Undecided(f"whether {component.id} masks a run id is not known: {pattern}", at)


def _statement(component: Component, statement: Statement) -> Iterator[Removal]:
    runs = runs_for_job(statement)
    if runs is Truth.NO:
        return
    for name in (RUN_ID, *RELATED):
        done = effect(statement, name)
        if done:
            loss = Loss.REMOVED if done == REMOVED else Loss.OVERWRITTEN
            sometimes = runs is not Truth.YES or statement.editor == "limit"
            yield Removal(component, name, loss, statement.at, statement.signal, sometimes)


def runs_for_job(statement: Statement) -> Truth:
    """Whether a statement is carried out for anything that a job sends; unlikely is no."""
    if statement.condition is None:
        return Truth.YES
    found = {statement.runs(item.facts(0)) for item in items(statement.signal, None, frozenset())}
    if found == {Truth.YES}:
        return Truth.YES
    return Truth.NO if found <= {Truth.NO, Truth.UNLIKELY} else Truth.UNKNOWN
