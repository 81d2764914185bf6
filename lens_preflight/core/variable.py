"""Environment variables of a process that does not run yet: four states, never a plain mapping."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from lens_preflight.core.data import dataclass, field
from lens_preflight.core.errors import Undecided
from lens_preflight.core.finding import Location
from lens_preflight.core.words import Spread, State


@dataclass(frozen=True)
class Origin:
    """Where a value comes from: words for people, and a place when there is one."""

    text: str
    at: Location | None = None

    def __str__(self) -> str:
        return str(self.at) if self.at is not None else self.text


@dataclass(frozen=True)
class Variable:
    """One environment variable as a launched process will see it.

    ``value`` is a text exactly when the state is VALUE. ``spread`` says over what it may differ.
    ``reason`` explains the states PROVIDED and UNKNOWN, and who dropped an UNSET one.
    """

    name: str
    state: State
    value: str | None = None
    origin: Origin | None = None
    spread: Spread = Spread.JOB
    reason: str = ""

    def __post_init__(self) -> None:
        if (self.value is not None) is not (self.state is State.VALUE):
            raise ValueError(f"{self.name}: a value goes with the state VALUE and with no other")

    @property
    def location(self) -> Location:
        """The line that sets it, else the variable itself."""
        if self.origin is not None and self.origin.at is not None:
            return self.origin.at.setting(self.name)
        return Location.variable(self.name)


@dataclass(frozen=True)
class Environment:
    """The whole environment of one process; total: every name has a Variable.

    ``complete`` says that names not listed are unset; otherwise they are unknown because of
    ``opaque`` (with the place ``opaque_at``).
    """

    variables: Mapping[str, Variable] = field(default_factory=dict)
    complete: bool = True
    opaque: str = ""
    opaque_at: Location | None = None

    @classmethod
    def of(cls, values: Mapping[str, str], origin: str = "process environment") -> Environment:
        """A complete environment of known texts."""
        source = Origin(origin)
        return cls({k: Variable(k, State.VALUE, v, source) for k, v in values.items()})

    def __getitem__(self, name: str) -> Variable:
        found = self.variables.get(name)
        if found is not None:
            return found
        if self.complete:
            return Variable(name, State.UNSET)
        origin = Origin(self.opaque, self.opaque_at)
        return Variable(name, State.UNKNOWN, origin=origin, reason=self.opaque)

    def __iter__(self) -> Iterator[Variable]:
        """The listed variables, by name."""
        return iter(sorted(self.variables.values(), key=lambda v: v.name))

    def text(self, name: str) -> str | None:
        """The text of a variable, None when it is unset.

        Raises:
            Undecided: the variable is provided at start or unknown.
        """
        variable = self[name]
        if variable.state is State.VALUE:
            return variable.value
        if variable.state is State.UNSET:
            return None
        reason = variable.reason or f"it is {variable.state.value}"
        at = variable.location if variable.origin and variable.origin.at else None
        raise Undecided(f"{name} is not known before the job starts: {reason}", at)

    def given(self, name: str) -> bool:
        """True when the variable is set, also to a text not known yet; raises Undecided."""
        return self[name].state is State.PROVIDED or self.text(name) is not None

    def over(self, changes: Iterable[Variable]) -> Environment:
        """This environment with some variables replaced."""
        merged = {**self.variables, **{v.name: v for v in changes}}
        return Environment(merged, self.complete, self.opaque, self.opaque_at)

    def closed(self) -> Environment:
        """The same variables, and every name that is not listed unset: what is set in plain sight."""
        return Environment(self.variables)

    def unlisted(self, name: str) -> bool:
        """True when nothing but the opaque part of this environment could set the variable."""
        return not self.complete and name not in self.variables
