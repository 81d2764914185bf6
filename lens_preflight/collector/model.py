"""A Collector configuration: components, pipelines, and what could not be known."""

from __future__ import annotations

import collections.abc
from functools import cached_property
from typing import TYPE_CHECKING

from lens_preflight.collector.expand import Problem, Variable
from lens_preflight.collector.types import REFERENCE, Version
from lens_preflight.core.data import dataclass, field
from lens_preflight.core.finding import Location
from lens_preflight.documents import Mapping, Node

if TYPE_CHECKING:
    from lens_preflight.collector.filters import DropStage
    from lens_preflight.collector.flow import Route


RANKS_TRIED = 130
"""Enough to see a last rank of 128, one rank per node of eight, and every 64th."""


@dataclass(frozen=True)
class Component:
    """One entry of receivers, processors, exporters, connectors or extensions.

    ``type`` is canonical (``otlp_grpc`` is ``otlp``); ``body`` is None when it is null (defaults).
    """

    kind: str
    id: str
    type: str
    body: Node | None
    at: Location

    def text(self, *keys: str) -> str | None:
        """A text of the body."""
        return self.body.text(*keys) if self.body is not None else None

    def flag(self, *keys: str) -> bool | None:
        """A switch of the body; None when it is absent, open or no switch."""
        return self.body.flag(*keys) if self.body is not None else None

    def get(self, *keys: str) -> Node | None:
        """A node of the body."""
        return self.body.get(*keys) if self.body is not None else None

    def line_of(self, *keys: str) -> Location:
        """Where a key of the body stands; the nearest thing above it when it is absent."""
        node = self.body
        at = self.at
        for key in keys:
            if not isinstance(node, Mapping) or key not in node.entries:
                return at
            at = node.key_at(key)
            node = node.entries[key]
        return at


@dataclass(frozen=True)
class Reference:
    """A component named in a pipeline or in ``service.extensions``."""

    id: str
    at: Location


@dataclass(frozen=True)
class Pipeline:
    """One pipeline; ``signal`` is the part of its id before the slash."""

    id: str
    signal: str
    receivers: tuple[Reference, ...]
    processors: tuple[Reference, ...]
    exporters: tuple[Reference, ...]
    at: Location
    processors_at: Location
    opened: collections.abc.Mapping[str, Reference] = field(default_factory=dict, hash=False)
    """Lists, by receivers, processors or exporters, that hold what is known at start only."""

    def is_open(self, word: str) -> bool:
        """Whether a list is, or holds, something that is known at start only."""
        return word in self.opened


@dataclass(frozen=True)
class Misshapen:
    """A value that is not of the form that the collector decodes: ``what`` should be ``wanted``."""

    what: str
    wanted: str
    at: Location


@dataclass(frozen=True)
class Failure:
    """Why the configuration cannot be read."""

    reason: str
    at: Location


@dataclass(frozen=True)
class Deployment:
    """What the wrapper around the configuration says of the way it is run.

    ``operator``: run by the Kubernetes operator, which binds receivers to 0.0.0.0 by default.
    """

    version: Version | None = None
    tag: str = ""
    tag_at: Location | None = None
    replicas: int | None = None
    mode: str = ""
    operator: bool = False


@dataclass(frozen=True)
class CollectorConfig:
    """The configuration that the files make together.

    ``dialect`` is otelcol, or the name of a program whose configuration is not evaluated (alloy,
    rotel), or tempo. ``tempo`` are the trees of Tempo configurations among the files.
    """

    paths: tuple[str, ...]
    root: Node | None = None
    written: Node | None = None
    """The same before variables were replaced."""
    dialect: str = "otelcol"
    components: collections.abc.Mapping[str, collections.abc.Mapping[str, Component]] = field(
        default_factory=dict, hash=False
    )
    pipelines: tuple[Pipeline, ...] = ()
    listed: tuple[Reference, ...] = ()
    needed: tuple[Variable, ...] = ()
    problems: tuple[Problem, ...] = ()
    deployment: Deployment = Deployment()
    tempo: tuple[Node, ...] = ()
    misshapen: tuple[Misshapen, ...] = ()
    failure: Failure | None = None

    @property
    def path(self) -> str:
        """The first file."""
        return self.paths[0] if self.paths else ""

    @property
    def at(self) -> Location:
        """The configuration as a whole."""
        return Location.file(self.path, 1)

    @property
    def version(self) -> Version:
        """The version to judge for."""
        return self.deployment.version or REFERENCE

    def of(self, kind: str) -> collections.abc.Mapping[str, Component]:
        """The components of a kind, by id."""
        return self.components.get(kind, {})

    def find(self, kind: str, identity: str) -> Component | None:
        """One component; None when it is not configured."""
        return self.of(kind).get(identity)

    def of_signal(self, signal: str) -> tuple[Pipeline, ...]:
        """The pipelines of a signal."""
        return tuple(p for p in self.pipelines if p.signal == signal)

    @cached_property
    def routes(self) -> tuple[Route, ...]:
        """Every way from an OTLP receiver to an exporter or to a connector that makes something new."""
        from lens_preflight.collector.flow import routes

        return tuple(routes(self))

    @cached_property
    def routes_by_end(self) -> collections.abc.Mapping[str, tuple[Route, ...]]:
        """The ways by the exporter or connector that ends them."""
        table: dict[str, list[Route]] = {}
        for route in self.routes:
            table.setdefault(route.end.id, []).append(route)
        return {end: tuple(routes) for end, routes in table.items()}

    @cached_property
    def drops(self) -> collections.abc.Mapping[str, DropStage]:
        """The processors that drop by condition, by id."""
        from lens_preflight.collector.filters import drop_stages

        return drop_stages(self)

    def tail_sampling(self) -> tuple[Component, ...]:
        """The tail-sampling and probabilistic samplers that traces of an OTLP receiver pass."""
        used = {r.id for route in self.routes if route.signal == "traces" for r in route.processors}
        return tuple(
            component
            for identity, component in self.of("processors").items()
            if identity in used and component.type in ("tail_sampling", "probabilistic_sampler")
        )

    def filters_rank(self, keys: tuple[str, ...] = ("nv.dl.rank", "dl.rank")) -> bool:
        """Whether the traces of some ranks are dropped and those of others kept, by evaluation."""
        for key in keys:
            kept = {self.keeps_rank(rank, key) for rank in range(RANKS_TRIED)}
            if kept == {True, False}:
                return True
        return False

    def keeps_rank(self, rank: int, key: str, signal: str = "traces") -> bool | None:
        """Whether telemetry of a rank reaches any exporter; None when a condition cannot be evaluated."""
        results = [
            _kept(self, route.processors, signal, {("resource", key): rank})
            for route in self.routes
            if route.signal == signal and not route.generates
        ]
        if True in results:
            return True
        return None if None in results or not results else False


def _kept(
    config: CollectorConfig,
    processors: tuple[Reference, ...],
    signal: str,
    known: collections.abc.Mapping[tuple[str, str], bool | int | str | None],
) -> bool | None:
    from lens_preflight.collector.ottl import Facts
    from lens_preflight.collector.passing import stages_reached

    dropped = [one.drops for one in stages_reached(config, processors, signal, Facts(known))]
    if True in dropped:
        return False
    return None if None in dropped else True
