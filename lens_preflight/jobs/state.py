"""The state of one shell: variables, what of them is exported, functions, options, folder."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from lens_preflight.core.data import dataclass, field, replace
from lens_preflight.core.finding import Location
from lens_preflight.jobs.syntax import Node
from lens_preflight.jobs.text import Cause, Symbol, Text, join


@dataclass(frozen=True)
class Rest:
    """What is known of the names that are not listed: unset when ``complete``, else a symbol."""

    complete: bool = True
    cause: Cause = Cause.SUBMITTER
    reason: str = ""
    at: Location | None = None

    def value(self, name: str) -> Text | None:
        """The value of a name that nobody listed."""
        if self.complete:
            return None
        return Text((Symbol(name, self.cause, optional=True, reason=self.reason),))


@dataclass(frozen=True)
class Loose:
    """A command set a variable whose name fits a pattern; which one is not known."""

    pattern: str
    why: str


def left_to(name: str, value: Text) -> Cause | None:
    """Who alone may have set a variable when no line that is read did; None when one did."""
    only = value.pieces[0] if len(value.pieces) == 1 else None
    if not isinstance(only, Symbol) or only.name != name or not only.optional or only.values:
        return None
    return only.cause if only.cause in (Cause.SUBMITTER, Cause.OPAQUE) else None


@dataclass(frozen=True)
class Bound:
    """One exported variable: its text (None: known to be unset) and the place that set it."""

    value: Text | None
    at: Location | None = None
    by: str = ""


@dataclass(frozen=True)
class Exported:
    """The environment that one process hands to the next; ``functions`` are exported ones of bash."""

    variables: Mapping[str, Bound] = field(default_factory=dict)
    rest: Rest = field(default_factory=Rest)
    functions: Mapping[str, Node | None] = field(default_factory=dict)

    def value(self, name: str) -> Text | None:
        """The text of a variable; None when it is unset."""
        bound = self.variables.get(name)
        return self.rest.value(name) if bound is None else bound.value

    def with_(self, changes: Mapping[str, Bound]) -> Exported:
        """The same with some variables replaced."""
        return replace(self, variables={**self.variables, **changes})

    def only(self, keep: object) -> Exported:
        """Only the variables whose names ``keep`` (a function) accepts; all others are unset."""
        assert callable(keep)
        return Exported({n: b for n, b in self.variables.items() if keep(n)}, Rest())

    def __iter__(self) -> Iterator[tuple[str, Bound]]:
        return iter(self.variables.items())


@dataclass(frozen=True)
class Var:
    """One shell variable. ``items`` is given for arrays, ``table`` for associative ones.

    ``doubtful``: a line that cannot be read may have exported it. ``cast`` is the letter of ``declare``
    that changes what is assigned: u, l, i. ``outer`` is what children still get while a ``local`` without
    a value hides it (measured on bash 5.2). ``fixed``: readonly.
    """

    value: Text | None = None
    exported: bool = False
    items: tuple[Text, ...] | None = None
    table: Mapping[str, Text] | None = None
    at: Location | None = None
    by: str = ""
    doubtful: bool = False
    cast: str = ""
    outer: Text | None = None
    fixed: bool = False

    @property
    def handed(self) -> Text | None:
        """What a child process gets of an exported variable; None: it is unset there."""
        return self.outer if self.is_array or self.value is None else self.value

    @property
    def is_array(self) -> bool:
        """Arrays never enter the environment."""
        return self.items is not None or self.table is not None


@dataclass
class State:
    """All that a shell remembers; copied where paths part, joined where they meet.

    ``prefixed`` are the names set in front of the function call that runs; one that the function
    exports outlives the call (measured on bash 5.2), and is ``kept``. ``handlers`` are the commands of
    traps, ``shared`` the names of the functions that are exported; ``doubted`` are names that a trap of
    the shell may set at any moment, with the reason; ``loose`` is what may be set beside ``vars``.
    ``source`` are the words of the command that prints standard input, where that is not known.
    """

    vars: dict[str, Var] = field(default_factory=dict)
    rest: Rest = field(default_factory=Rest)
    functions: dict[str, Node | None] = field(default_factory=dict)
    options: set[str] = field(default_factory=set)
    traps: dict[str, tuple[str, int]] = field(default_factory=dict)
    handlers: dict[str, tuple[Text, int]] = field(default_factory=dict)
    doubted: Mapping[str, str] = field(default_factory=dict)
    loose: tuple[Loose, ...] = ()
    shared: frozenset[str] = frozenset()
    args: tuple[Text, ...] | None = None
    arg0: Text = field(default_factory=Text)
    cwd: str | None = None
    frames: tuple[dict[str, Var | None], ...] = ()
    prefixed: frozenset[str] = frozenset()
    kept: dict[str, Var] = field(default_factory=dict)
    stdin: list[Text] | None = None
    source: str = ""
    last_background: str = ""
    alive: bool = True
    leaving: str = ""
    may_leave: bool = False

    def copy(self) -> State:
        """An independent copy."""
        return replace(
            self,
            vars=dict(self.vars),
            functions=dict(self.functions),
            options=set(self.options),
            traps=dict(self.traps),
            handlers=dict(self.handlers),
            frames=tuple(dict(frame) for frame in self.frames),
            kept=dict(self.kept),
            stdin=None if self.stdin is None else list(self.stdin),
        )

    def take(self, other: State) -> None:
        """Become ``other``."""
        self.__dict__.update(other.__dict__)

    @classmethod
    def of(cls, env: Exported, *, cwd: str | None, args: tuple[Text, ...] | None, arg0: Text) -> State:
        """The state of a shell that starts with this environment."""
        listed = {n: Var(b.value, True, at=b.at, by=b.by) for n, b in env}
        functions = dict(env.functions)
        return cls(listed, env.rest, functions, cwd=cwd, args=args, arg0=arg0, shared=frozenset(functions))

    def value(self, name: str) -> Text | None:
        """The text of a variable (of the first element, for an array); None when unset."""
        var = self.vars.get(name)
        if var is None:
            return self._unlisted(name)
        if var.items is not None:
            return var.items[0] if var.items else None
        if var.table is not None:
            return var.table.get("0")
        return var.value

    def _unlisted(self, name: str) -> Text | None:
        for one in self.loose:
            if re.fullmatch(one.pattern, name):
                return Text((Symbol(name, Cause.OPAQUE, optional=True, reason=one.why),))
        return self.rest.value(name)

    def exported(self) -> Exported:
        """What a child process gets."""
        listed: dict[str, Bound] = {}
        for name, var in self.vars.items():
            if var.doubtful and not var.is_array:
                why = "a line that cannot be read may export it"
                text = Text.of(Symbol(name, Cause.OPAQUE, optional=True, reason=why))
                listed[name] = Bound(text, var.at, var.by)
            elif var.exported and (not var.is_array or var.outer is not None):
                listed[name] = Bound(var.handed, var.at, var.by)
            elif not self.rest.complete or (var.value is None and var.at is not None):
                listed[name] = Bound(None, var.at, var.by)
        for name, why in self.doubted.items():
            old = listed.get(name, Bound(None))
            text = Text.of(Symbol(name, Cause.OPAQUE, optional=True, reason=why))
            listed[name] = Bound(text, old.at, old.by)
        functions = {name: self.functions[name] for name in self.shared if name in self.functions}
        return Exported(listed, self.rest, functions)


def join_states(a: State, b: State, reason: str = "", likely: bool | None = None) -> State:
    """What is known when either path was taken; a path that ended counts for nothing.

    ``likely``: True for ``a`` and False for ``b`` when the submitter sets nothing more.
    """
    if not a.alive:
        return b
    if not b.alive:
        return a
    merged = a.copy()
    for name in {*a.vars, *b.vars}:
        merged.vars[name] = _join_var(name, a, b, reason, likely)
    for name in {*a.functions, *b.functions}:
        one, two = a.functions.get(name), b.functions.get(name)
        merged.functions[name] = one if one is two or two is None else (two if one is None else None)
    merged.options = a.options & b.options
    merged.traps = {**b.traps, **a.traps}
    merged.handlers = {**b.handlers, **a.handlers}
    merged.shared = a.shared | b.shared
    merged.doubted = {**b.doubted, **a.doubted}
    merged.loose = tuple(dict.fromkeys((*a.loose, *b.loose)))
    merged.source = a.source if a.source == b.source else ""
    merged.cwd = a.cwd if a.cwd == b.cwd else None
    merged.args = a.args if a.args == b.args else None
    merged.stdin = a.stdin if a.stdin == b.stdin else None
    merged.rest = a.rest if b.rest.complete else b.rest
    merged.leaving = a.leaving if a.leaving == b.leaving else ""
    merged.may_leave = a.may_leave or b.may_leave or a.leaving != b.leaving
    return merged


def _join_var(name: str, a: State, b: State, reason: str, likely: bool | None) -> Var:
    one, two = a.vars.get(name), b.vars.get(name)
    if one == two and one is not None:
        return one
    if one is not None and two is not None and one.is_array and two.is_array:
        items = _join_items(name, one.items or (), two.items or (), likely)
        return replace(one, items=items, table=None)
    inside = (one is not None and one.exported) or (two is not None and two.exported)
    at_one, at_two = (one.at if one else None), (two.at if two else None)
    if inside:
        left, right = _seen_outside(one, name, a), _seen_outside(two, name, b)
    else:
        left, right = a.value(name), b.value(name)
    chosen = None if likely is None else (left if likely else right) or Text()
    value = join(left, right, reason, chosen)
    fixed = one is not None and two is not None and one.fixed and two.fixed
    return Var(value, inside, at=at_one or at_two, by=(one or two or Var()).by, fixed=fixed)


def _join_items(name: str, a: tuple[Text, ...], b: tuple[Text, ...], likely: bool | None) -> tuple[Text, ...]:
    """What both arrays begin with is certain; of the rest, what the submitter leaves is assumed."""
    same = 0
    while same < min(len(a), len(b)) and a[same] == b[same]:
        same += 1
    if likely is None:
        return (*a[:same], Text.of(Symbol(f"{name}[@]", Cause.BRANCH, optional=True)))
    rest = (a if likely else b)[same:]
    assumed = [
        Text.of(Symbol(name, Cause.SUBMITTER, known=item.constant, assumed=True)) if item.constant else item
        for item in rest
    ]
    return (*a[:same], *assumed)


def _seen_outside(var: Var | None, name: str, state: State) -> Text | None:
    if var is None:
        return state.rest.value(name)
    return var.handed if var.exported else None
