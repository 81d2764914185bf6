"""A dashboard, whatever file it came from: panels with targets, variables, and what could not be read."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Protocol, TypeAlias

from lens_preflight.core.data import dataclass, field, replace
from lens_preflight.core.finding import Location
from lens_preflight.dashboards.selectors import Language, Query
from lens_preflight.dashboards.variables import Listing, listing, mentions

Keys: TypeAlias = tuple[str | int, ...]


class Document(Protocol):
    """A parsed file that can say where a value stands."""

    @property
    def path(self) -> str:
        """The file, as the user named it."""

    def line(self, keys: Keys) -> int:
        """The line of the value below some keys."""


@dataclass(frozen=True)
class Spot:
    """A place in a document, perhaps within a panel; the line is looked up only when somebody asks."""

    document: Document
    keys: Keys = ()
    panel: str = field(default="", compare=False)

    @property
    def at(self) -> Location:
        """The place as a location."""
        place = Location.file(self.document.path, self.document.line(self.keys))
        return replace(place, of_panel=self.panel) if self.panel else place

    def below(self, *keys: str | int) -> Spot:
        """A place further down."""
        return Spot(self.document, self.keys + keys, self.panel)

    def within(self, title: str, identity: str) -> Spot:
        """The same place, known to be within a panel: by its title, else by its id."""
        return Spot(self.document, self.keys, title or identity)


@dataclass(frozen=True)
class DataSource:
    """Where a target asks; ``kind`` is the plug-in (empty: not said), ``ref`` the uid or name as written.

    ``by_name`` for the old form, a bare name; ``default`` when nothing is written.
    """

    kind: str = ""
    ref: str = ""
    by_name: bool = False

    @property
    def default(self) -> bool:
        """Whether Grafana's default data source is meant."""
        return not self.ref

    @property
    def variable(self) -> str:
        """The variable that names the data source; empty when the reference is fixed."""
        return next((mention.name for mention in mentions(self.ref)), "")

    @property
    def internal(self) -> bool:
        """Grafana's own: expressions, other panels, the mixed marker."""
        return self.ref in ("grafana", "__expr__") or self.ref.startswith("-- ")


@dataclass(frozen=True)
class Target:
    """One query of a panel; ``text`` is the query as written, empty when the form holds it otherwise."""

    ref: str
    text: str
    language: Language
    source: DataSource
    spot: Spot
    hidden: bool = False
    raw: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Panel:
    """One panel; ``unresolved`` says why its queries are not in the file, ``placed`` whether it is shown.

    ``repeats`` are the variables for whose values the panel, or what holds it, is drawn again and again.
    ``elsewhen``: it shows another time than that of the dashboard.
    """

    id: str
    title: str
    kind: str
    spot: Spot
    targets: tuple[Target, ...] = ()
    source: DataSource = DataSource()
    unresolved: str = ""
    placed: bool = True
    unit: str = ""
    repeats: tuple[str, ...] = ()
    elsewhen: bool = False

    @property
    def shown(self) -> str:
        """The panel as a reader knows it."""
        return f'panel {self.id} "{self.title}"' if self.title else f"panel {self.id}"


@dataclass(frozen=True)
class Variable:
    """A variable; ``refresh`` is never, load, time or empty when the file does not say.

    ``keys`` are the conditions of an ad-hoc filter: label, operator, value.
    """

    name: str
    kind: str
    spot: Spot
    query: str = ""
    regex: str = ""
    multi: bool = False
    include_all: bool = False
    all_value: str = ""
    refresh: str = ""
    hidden: bool = False
    current: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    source: DataSource = DataSource()
    keys: tuple[tuple[str, str, str], ...] = ()

    @cached_property
    def listing(self) -> Listing:
        """What it lists."""
        return listing(self.query, self.regex)

    @property
    def several(self) -> bool:
        """Whether more than one value can be chosen at once."""
        return self.multi or self.include_all


@dataclass(frozen=True)
class Failure:
    """Why a file is no dashboard that can be read."""

    reason: str
    at: Location


@dataclass(frozen=True)
class Dashboard:
    """One dashboard; ``failure`` is set when the file could not be read as one.

    ``form`` is classic, v2alpha1, v2beta1, v2 or kibana; ``inputs`` are the export placeholders it
    declares. ``opaque`` says what of the file is not evaluated (Jsonnet, Terraform).
    """

    path: str
    title: str
    form: str
    spot: Spot
    panels: tuple[Panel, ...] = ()
    variables: tuple[Variable, ...] = ()
    inputs: frozenset[str] = frozenset()
    failure: Failure | None = None
    opaque: str = ""

    @cached_property
    def by_name(self) -> Mapping[str, Variable]:
        """The variables by name."""
        return {variable.name: variable for variable in self.variables}

    def plugin(self, source: DataSource) -> str:
        """The plug-in of a data source: the variable that chooses it says which, else what stands beside it."""
        variable = self.by_name.get(source.variable)
        return variable.query if variable is not None and variable.kind == "datasource" else source.kind

    @cached_property
    def queries(self) -> tuple[tuple[Panel, Target, Query], ...]:
        """What the visible panels really ask: hidden targets and unplaced panels are left out."""
        from lens_preflight.dashboards.queries import visible_queries

        return tuple(visible_queries(self))
