"""What of a program may run although the interpreter never got there: told by names, generously."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from lens_preflight.core.data import dataclass, field
from lens_preflight.program.scopes import dotted
from lens_preflight.program.trees import children

PLAIN_DECORATORS = frozenset(
    (
        *("staticmethod", "classmethod", "property", "cached_property", "abstractmethod", "override"),
        *("contextmanager", "asynccontextmanager", "wraps", "cache", "lru_cache", "dataclass", "final"),
        *("setter", "getter", "deleter", "no_grad", "inference_mode", "record", "total_ordering"),
    )
)
"""Decorators that keep no list of what they were given."""

COMPUTED = frozenset(("globals", "methodcaller", "attrgetter", "eval", "exec"))
"""Words of code that finds a function by a text."""

Definition = ast.FunctionDef | ast.AsyncFunctionDef
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Place:
    """Where a function or class is defined: its file, the function around it, and the class around it."""

    path: str
    function: Definition | None
    cls: ast.ClassDef | None


@dataclass
class Liveness:
    """The functions that may run, from the statements that did run.

    ``words`` are the names and attributes that live code reads, ``texts`` its literal texts.
    """

    ran: set[ast.AST]
    passed_over: set[ast.AST]
    functions: dict[Definition, Place] = field(default_factory=dict)
    classes: dict[ast.ClassDef, Place] = field(default_factory=dict)
    live: set[ast.AST] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    modules: set[str] = field(default_factory=set)
    by_text: bool = False

    def add(self, path: str, tree: ast.Module) -> None:
        """The definitions of one file, and the name of its module."""
        folder, _, name = path.rpartition("/")
        self.modules.add(folder.rpartition("/")[2] if name == "__init__.py" else name.removesuffix(".py"))
        for node, place in definitions(tree, Place(path, None, None)):
            if isinstance(node, ast.ClassDef):
                self.classes[node] = place
            else:
                self.functions[node] = place

    def start(self, trees: Iterable[ast.Module]) -> None:
        """What the statements read that ran, once all files are added."""
        for body in (*(tree.body for tree in trees), *(f.body for f in self.functions)):
            self.read_if_run(body)

    def read_if_run(self, body: list[ast.stmt]) -> None:
        """What the statements of a body read that ran."""
        for statement in statements(body):
            if statement in self.ran:
                self.reads(statement)

    def spread(self) -> None:
        """Until nothing new is found: what live code names is live too."""
        while True:
            fresh = [f for f in self.functions if f not in self.live and not self.ended(f) and self.called(f)]
            if not fresh:
                return
            for function in fresh:
                self.live.add(function)
                for statement in statements(function.body):
                    self.reads(statement)

    def ended(self, function: Definition) -> bool:
        """True when the function did run, so that what it does is in sight, or this launch does not choose it."""
        return function.body[0] in self.ran or function in self.passed_over

    def called(self, function: Definition) -> bool:
        """True when something live may call the function."""
        place = self.functions[function]
        if not self.defined(function, place):
            return False
        if any(not plain(d) for d in function.decorator_list):
            return True
        if place.cls is None:
            return self.named(function.name)
        if not self.in_use(place.cls):
            return False
        special = function.name.startswith("__") and function.name.endswith("__")
        return special or self.named(function.name) or self.foreign(place.cls)

    def defined(self, node: ast.AST, place: Place) -> bool:
        """True when the definition itself may have been carried out."""
        if node in self.ran:
            return True
        return place.function is not None and place.function in self.live

    def named(self, name: str) -> bool:
        """True when live code reads the name, or may put it together from a text."""
        if name in self.words:
            return True
        return self.by_text and any(
            len(text) > 2 and (name.startswith(text) or name.endswith(text)) for text in self.texts
        )

    def in_use(self, cls: ast.ClassDef) -> bool:
        """True when live code reads the class, or something keeps a list of it."""
        family = [cls, *self.above(cls)]
        if self.named(cls.name) or any(not plain(d) for d in cls.decorator_list):
            return True
        if any(c.keywords or "__init_subclass__" in methods(c) for c in family):
            return True
        return "__subclasses__" in self.words and bool(cls.bases)

    def foreign(self, cls: ast.ClassDef) -> bool:
        """True when a class, or one that inherits from it, has a base of a library, which may call methods."""
        family = [c for c in self.classes if c is cls or cls in self.above(c)]
        names = {c.name for c in self.classes} | {"object", "ABC", "Protocol", "Generic", "type"}
        return any(last(b) not in names for c in family for b in c.bases)

    def above(self, cls: ast.ClassDef) -> list[ast.ClassDef]:
        """The classes of the tree that a class inherits from, by name."""
        found: list[ast.ClassDef] = []
        todo = [cls]
        while todo:
            wanted = {last(b) for b in todo.pop().bases}
            more = [c for c in self.classes if c.name in wanted and c not in found and c is not cls]
            found += more
            todo += more
        return found

    def reads(self, statement: ast.stmt) -> None:
        """Take up the words and texts of one live statement."""
        if isinstance(statement, ast.Import | ast.ImportFrom):
            return
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            return
        for node in own_parts(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                self.words.add(node.id)
            elif isinstance(node, ast.Attribute):
                self.words.add(node.attr)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                self.texts.add(node.value)
            elif isinstance(node, ast.Call) and last(node.func) == "getattr" and len(node.args) > 1:
                self.by_text = self.by_text or self.computed(node.args[0], node.args[1])
        self.by_text = self.by_text or not self.words.isdisjoint(COMPUTED)

    def computed(self, target: ast.expr, name: ast.expr) -> bool:
        """True for ``getattr`` with a computed name on a module or class of the tree, or on what a call gives."""
        if isinstance(name, ast.Constant):
            return False
        if not isinstance(target, ast.Name):
            return isinstance(target, ast.Call | ast.Subscript)
        return target.id in ("self", "cls") or target.id in self.modules or target.id in self.bases

    @property
    def bases(self) -> set[str]:
        """The names of the classes of the tree."""
        return {cls.name for cls in self.classes}


def definitions(node: ast.AST, place: Place) -> Iterator[tuple[Definition | ast.ClassDef, Place]]:
    """The functions and classes below a node with their places."""
    for below in children(node):
        if isinstance(below, SCOPES):
            yield below, place
            yield from definitions(below, Place(place.path, below, None))
        elif isinstance(below, ast.ClassDef):
            yield below, place
            yield from definitions(below, Place(place.path, place.function, below))
        elif not isinstance(below, ast.expr):
            yield from definitions(below, place)


def statements(body: Iterable[ast.AST]) -> Iterator[ast.stmt]:
    """The statements of a body and of the blocks in it, without those of functions; class bodies count."""
    for node in body:
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, SCOPES) and not isinstance(node, ast.expr):
            yield from statements(children(node))


def own_parts(statement: ast.stmt) -> Iterator[ast.AST]:
    """The expressions of a statement itself: of a block only its head, of a definition what runs at once."""
    todo = [c for c in children(statement) if not isinstance(c, ast.stmt)]
    while todo:
        node = todo.pop()
        yield node
        todo += [c for c in children(node) if not isinstance(c, ast.stmt)]


def methods(cls: ast.ClassDef) -> set[str]:
    """The names of the functions that a class defines."""
    return {node.name for node in cls.body if isinstance(node, SCOPES)}


def plain(decorator: ast.expr) -> bool:
    """True for a decorator that keeps no list of what it was given."""
    return last(decorator.func if isinstance(decorator, ast.Call) else decorator) in PLAIN_DECORATORS


def last(node: ast.expr) -> str:
    """The last word of a dotted name; of a subscript, of what it is taken from."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return dotted(node).rpartition(".")[2]
