"""Large programs: which functions lie on the way to telemetry, so that nothing else is parsed.

The imports of every file are found in its bytes. Files that name the life of telemetry are parsed,
and from their functions the importing files are followed upwards, name by name.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lens_preflight.program.closure import Closure, Found
from lens_preflight.program.scopes import FUNCTIONS, INNER
from lens_preflight.program.source import Unreadable

SMALL_FILES = 60
SMALL_BYTES = 1_000_000
MAX_FILES = 6_000
SMALL_FUNCTION = 60
"""Functions of at most so many nodes are always followed."""

IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+(\.*[ \t]*[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#;]+)|import[ \t]+([\w., \t]+))",
    re.M,
)
GLOBAL = re.compile(rb"^[ \t]+global[ \t]+([\w, \t]+)", re.M)
WORD = re.compile(rb"[A-Za-z_]\w*")
NEEDLES = (
    b"setup_telemetry",
    b"NemoLensConfig",
    b"setup_logging_bridge",
    b"_exit(",
    b"os.exec",
    b"os.abort",
    b"SIGTERM",
    b"atexit",
)
NAMES = frozenset(
    (
        "setup_telemetry",
        "TelemetryHandle",
        "NemoLensConfig",
        "setup_logging_bridge",
        "_exit",
        "abort",
        "atexit",
        "SIGTERM",
        "execv",
        "execve",
        "execvp",
        "execl",
    )
)
TOPIC = (b"elemetry", b"otel", b"nemo.lens")


@dataclass(frozen=True, slots=True)
class Imported:
    """One import of a file: the module, and (name, alias) pairs; no pairs for a plain import."""

    module: str
    names: tuple[tuple[str, str], ...]


@dataclass
class Plan:
    """What of a program is followed.

    ``small`` programs are followed as a whole. Else ``files`` are the files that are run when they
    are imported, ``nodes`` the ids of the functions that are followed with the words that matter in
    them; of those functions, and of the top level of files, only the statements of ``slice`` are.
    """

    small: bool = True
    files: set[str] = field(default_factory=set)
    nodes: dict[int, set[str]] = field(default_factory=dict)
    modules: dict[str, set[str]] = field(default_factory=dict)
    slices: dict[int, set[int]] = field(default_factory=dict)
    ranges: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    scanned: int = 0
    size: int = 0

    def runs(self, path: str) -> bool:
        """True when the top level of a file is run."""
        return self.small or path in self.files

    def follows(self, node: ast.AST) -> bool:
        """True when a function is followed."""
        if self.small or id(node) in self.nodes or isinstance(node, ast.Lambda):
            return True
        return self.short(node)

    def matters(self, node: ast.stmt, func: ast.AST | None, path: str, body: list[ast.stmt]) -> bool:
        """True when a statement is followed, False when it is summed up."""
        if self.small:
            return True
        owner, words = (
            (id(func), self.nodes.get(id(func))) if func is not None else (hash(path), self.modules.get(path))
        )
        if words is None:
            return True
        if owner not in self.slices:
            self.slices[owner] = slice_of(body, words)
        return id(node) in self.slices[owner]

    def loose_globals(self, path: str, data: bytes) -> set[str]:
        """Module variables that a function may write which is not followed: nobody knows their values."""
        if self.small:
            return set()
        found: set[str] = set()
        spans = self.ranges.get(path, [])
        for match in GLOBAL.finditer(data):
            line = data.count(b"\n", 0, match.start()) + 1
            if not any(first <= line <= last for first, last in spans):
                found.update(match.group(1).decode("utf-8", "replace").replace(" ", "").split(","))
        return found

    def short(self, node: ast.AST) -> bool:
        """True for a function that is followed whatever it does."""
        return sum(1 for _ in zip(ast.walk(node), range(SMALL_FUNCTION + 1), strict=False)) <= SMALL_FUNCTION


@dataclass
class Scan:
    """The import graph of a program, from the bytes of its files."""

    closure: Closure
    modules: dict[str, str] = field(default_factory=dict)
    imports: dict[str, list[Imported]] = field(default_factory=dict)
    found: dict[str, Found | None] = field(default_factory=dict)
    size: int = 0

    def find(self, name: str) -> Found | None:
        """``Closure.find``, remembered."""
        if name not in self.found:
            top = name.partition(".")[0]
            if top != name and self.find(top) is None:
                self.found[name] = None
            else:
                self.found[name] = self.closure.find(name)
        return self.found[name]

    def walk(self, entry: str, package: str) -> None:
        """Read every file that the entry reaches by imports."""
        todo = [(entry, package)]
        self.modules[entry] = "__main__"
        while todo and len(self.imports) < MAX_FILES:
            path, package = todo.pop()
            try:
                data = self.closure.data(path)
            except Unreadable:
                self.imports[path] = []
                continue
            self.size += len(data)
            self.imports[path] = list(imports_of(data, package))
            for one in self.imports[path]:
                for name in targets(one):
                    for found in self.chain(name):
                        if found.path is not None and found.path not in self.modules:
                            self.modules[found.path] = found.name
                            inner = found.name if found.folders else found.name.rpartition(".")[0]
                            todo.append((found.path, inner))

    def chain(self, name: str) -> Iterator[Found]:
        """A module and the packages above it, as far as they are in the tree."""
        head = ""
        for word in name.split("."):
            head = f"{head}.{word}" if head else word
            found = self.find(head)
            if found is None:
                return
            yield found


def imports_of(data: bytes, package: str) -> Iterator[Imported]:
    """The imports in the bytes of a file; a relative one is made absolute."""
    for match in IMPORT.finditer(data):
        source, names, plain = match.groups()
        if plain is not None:
            for word in plain.decode("utf-8", "replace").split(","):
                yield Imported(word.split(" as ")[0].strip(), ())
            continue
        module = absolute(source.decode("utf-8", "replace").replace(" ", ""), package)
        if module is None:
            continue
        pairs = []
        for word in re.sub(rb"#[^\n]*", b"", names).decode("utf-8", "replace").strip("() \n\t").split(","):
            name, _, alias = word.strip().partition(" as ")
            if name.strip():
                pairs.append((name.strip(), alias.strip() or name.strip()))
        yield Imported(module, tuple(pairs))


def absolute(module: str, package: str) -> str | None:
    """The absolute name of a module in a from-import."""
    dots = len(module) - len(module.lstrip("."))
    if not dots:
        return module
    words = package.split(".") if package else []
    if dots - 1 > len(words):
        return None
    base = words[: len(words) - (dots - 1)]
    rest = module.lstrip(".")
    return ".".join([*base, *([rest] if rest else [])]) or None


def targets(one: Imported) -> Iterator[str]:
    """The modules that an import may load."""
    yield one.module
    for name, _ in one.names:
        if name != "*":
            yield f"{one.module}.{name}"


def plan(closure: Closure, entry: str, package: str) -> Plan:
    """What of a program is to be followed."""
    scan = Scan(closure)
    scan.walk(entry, package)
    found = Plan(scanned=len(scan.imports), size=scan.size)
    if len(scan.imports) <= SMALL_FILES and scan.size <= SMALL_BYTES:
        return found
    found.small = False
    Climb(scan, found).run(entry)
    return found


class Climb:
    """From the functions that touch telemetry up to the entry."""

    def __init__(self, scan: Scan, found: Plan) -> None:
        self.scan = scan
        self.plan = found
        self.names: dict[str, set[str]] = {}
        self.words: dict[str, set[str]] = {}
        self.indexes: dict[str, Index] = {}
        self.importers: dict[str, list[tuple[str, str, str]]] = {}
        self.plain: dict[str, set[str]] = {}
        for path, imported in scan.imports.items():
            for one in imported:
                self.index(path, one)

    def index(self, path: str, one: Imported) -> None:
        """Who imports what: (importing file, name, alias) by imported file; plain imports apart."""
        source = self.scan.find(one.module)
        if not one.names:
            if source is not None and source.path is not None:
                self.plain.setdefault(source.path, set()).add(path)
            return
        for name, alias in one.names:
            inner = self.scan.find(f"{one.module}.{name}") if source is None or source.folders else None
            if inner is not None and inner.path is not None:
                self.plain.setdefault(inner.path, set()).add(path)
            if source is not None and source.path is not None:
                self.importers.setdefault(source.path, []).append((path, name, alias))

    def run(self, entry: str) -> None:
        """Parse the hits, then climb until nothing new is found."""
        todo: list[tuple[str, frozenset[str]]] = [(entry, frozenset())]
        for path in self.scan.imports:
            data = self.scan.closure.bytes.get(path, b"")
            if any(needle in data for needle in NEEDLES):
                todo.append((path, frozenset()))
        while todo:
            path, words = todo.pop()
            fresh = self.inside(path, words) | words
            if fresh:
                todo.extend(self.above(path, fresh))
        self.mark()

    def inside(self, path: str, words: frozenset[str]) -> frozenset[str]:
        """Names of a file that lead to telemetry and were not known to, given names from outside."""
        try:
            source = self.scan.closure.source(path)
        except Unreadable:
            return frozenset()
        self.plan.files.add(path)
        data = self.scan.closure.bytes.get(path, b"")
        index = self.indexes.get(path) or Index.of(source.tree, data)
        self.indexes[path] = index
        known = self.names.setdefault(path, set())
        before = set(known)
        seeds = NAMES | words | ({"shutdown"} if any(t in data for t in TOPIC) else set())
        while True:
            reach = seeds | known
            raw = {w.encode() for w in reach}
            more = {
                name
                for name, used in index.tops.items()
                if name not in known and not used.isdisjoint(raw) and not index.words(name).isdisjoint(reach)
            }
            if not more:
                break
            known |= more
        self.words[path] = set(seeds | known)
        return frozenset(known - before)

    def mark(self) -> None:
        """The functions that are followed in each parsed file, and the statements that matter in them."""
        for path, index in self.indexes.items():
            reach = self.words.get(path, set())
            for top in {id(n): n for name, n in index.nodes.items() if name in self.names[path]}.values():
                for node, used in functions_in(top):
                    if not used.isdisjoint(reach):
                        self.plan.nodes[id(node)] = reach
                        span = (getattr(node, "lineno", 0), getattr(node, "end_lineno", None) or 0)
                        self.plan.ranges.setdefault(path, []).append(span)
            self.plan.modules[path] = reach

    def above(self, path: str, fresh: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
        """The files that import one of the names, and the names they know them by."""
        by_file: dict[str, set[str]] = {}
        for other, name, alias in self.importers.get(path, ()):
            if name in fresh or name == "*":
                by_file.setdefault(other, set()).update(fresh if name == "*" else (alias,))
        for other in self.plain.get(path, ()):
            data = self.scan.closure.bytes.get(other, b"")
            hits = {name for name in fresh if name.encode() in data}
            if hits:
                by_file.setdefault(other, set()).update(hits)
        for other, words in by_file.items():
            known = self.names.setdefault(other, set())
            new = words - known
            if new:
                known |= new
                yield other, frozenset(new)


EXITS = frozenset(("exit", "quit", "_exit"))
JUMPS = (ast.Return, ast.Raise, ast.Break, ast.Continue, ast.Yield, ast.YieldFrom)
PLAIN = (
    ast.Import,
    ast.ImportFrom,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Global,
    ast.Nonlocal,
)


@dataclass
class Index:
    """The words of one file by top-level name, from its bytes; of functions and statements on demand."""

    tops: dict[str, frozenset[bytes]] = field(default_factory=dict)
    nodes: dict[str, ast.stmt] = field(default_factory=dict)
    exact: dict[str, frozenset[str]] = field(default_factory=dict)

    def words(self, name: str) -> frozenset[str]:
        """The names that a definition mentions in its code, comments and texts left out."""
        if name not in self.exact:
            self.exact[name] = frozenset(w for n in ast.walk(self.nodes[name]) for w in words_of(n))
        return self.exact[name]

    @classmethod
    def of(cls, tree: ast.Module, data: bytes) -> Index:
        """The words between the first and last line of every definition."""
        index = cls()
        lines = data.splitlines()
        for top in tree.body:
            names = defined(top)
            if names:
                text = b"\n".join(lines[top.lineno - 1 : top.end_lineno])
                words = frozenset(WORD.findall(text))
                for name in names:
                    index.tops[name] = words
                    index.nodes[name] = top
        return index


def functions_in(top: ast.AST) -> Iterator[tuple[ast.AST, frozenset[str]]]:
    """The functions in a definition, each with the names that it mentions."""
    for node in ast.walk(top):
        if isinstance(node, FUNCTIONS):
            yield node, frozenset(w for here in ast.walk(node) for w in words_of(here))


def slice_of(body: list[ast.stmt], reach: set[str]) -> set[int]:
    """The statements that name something, jump or define, and those about what they assign.

    Functions inside are definitions: their own statements are sliced when they are followed.
    """
    rows: list[Row] = []
    stack: list[tuple[ast.AST, tuple[Row, ...]]] = [(s, ()) for s in body]
    while stack:
        node, around = stack.pop()
        if isinstance(node, ast.stmt):
            row = Row(id(node), assigned(node), isinstance(node, PLAIN))
            rows.append(row)
            around = (*around, row)
        words = words_of(node)
        if around:
            around[-1].head.update(words)
        for row in around:
            row.words.update(words)
            row.keep = (
                row.keep
                or isinstance(node, (*JUMPS, ast.ImportFrom, ast.Import))
                or not EXITS.isdisjoint(words)
            )
        if not isinstance(node, INNER):
            stack.extend((child, around) for child in ast.iter_child_nodes(node))
    chosen: set[int] = set()
    known, needed = set(reach), set[str]()
    fresh = True
    while fresh:
        fresh = False
        for row in rows:
            if row.id in chosen:
                continue
            named = not row.words.isdisjoint(known)
            if row.keep or named or not needed.isdisjoint(row.names):
                chosen.add(row.id)
                fresh = True
                needed |= row.head if named else set()
                known.update(row.names if named else ())
    return chosen


@dataclass
class Row:
    """One statement: what it binds, the names in it, and those in its own line.

    ``keep``: it defines or imports something, or holds a jump.
    """

    id: int
    names: tuple[str, ...]
    keep: bool
    words: set[str] = field(default_factory=set)
    head: set[str] = field(default_factory=set)


def assigned(node: ast.stmt) -> tuple[str, ...]:
    """The plain names that an assignment binds."""
    if isinstance(node, ast.Assign):
        return tuple(t.id for t in node.targets if isinstance(t, ast.Name))
    return (node.target.id,) if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) else ()


def words_of(node: ast.AST) -> tuple[str, ...]:
    """The names that one node mentions by itself."""
    if isinstance(node, ast.Name):
        return (node.id,)
    if isinstance(node, ast.Attribute):
        return (node.attr,)
    if isinstance(node, ast.Import | ast.ImportFrom):
        return tuple(a.name for a in node.names)
    return ()


def defined(node: ast.AST) -> list[str]:
    """The names that a top-level statement defines."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [t.id for t in node.targets if isinstance(t, ast.Name)]
    return []
