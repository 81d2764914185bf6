"""Large programs: which functions lie on the way to telemetry, so that nothing else is parsed.

The imports of every file are found in its bytes. Files that name the life of telemetry are parsed,
and from their functions the importing files are followed upwards, name by name.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from lens_preflight.core.data import dataclass, field
from lens_preflight.program import slices
from lens_preflight.program.closure import Closure
from lens_preflight.program.import_graph import SMALL_FILES, Imported, Scan
from lens_preflight.program.source import Unreadable
from lens_preflight.program.trees import walk

SMALL_BYTES = 1_000_000
SMALL_FUNCTION = 60
"""Functions of at most so many nodes are always followed."""

GLOBAL = re.compile(rb"^[ \t]+global[ \t]+([\w, \t]+)", re.M)
WORD = re.compile(rb"[A-Za-z_]\w*")
SETUP = ("setup_telemetry", "TelemetryHandle", "NemoLensConfig", "setup_logging_bridge")
ELSEWHERE = ("execv", "execve", "execvp", "execl")
ENDS = ("_exit", "abort", "atexit", "SIGTERM")
NEEDLES = {
    "setup": (b"setup_telemetry", b"NemoLensConfig", b"setup_logging_bridge"),
    "elsewhere": (b"os.exec",),
    "ends": (b"_exit(", b"os.abort", b"SIGTERM", b"atexit"),
}
"""The words that files on the way hold; ways to end a process matter only where telemetry is set up."""

TOPIC = (b"elemetry", b"otel", b"nemo.lens")
"""A file that shuts telemetry down somewhere names it in one of these ways."""


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
    sizes: dict[ast.AST, int] = field(default_factory=dict)
    decided: dict[ast.AST, bool] = field(default_factory=dict)
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
            self.slices[owner] = slices.slice_of(body, words)
        return id(node) in self.slices[owner]

    def loose_globals(self, path: str, data: bytes) -> set[str]:
        """Module variables that a function may write which is not followed: nobody knows their values."""
        if self.small:
            return set()
        found: set[str] = set()
        spans = self.ranges.get(path, [])
        at = data.find(b"global")
        while at >= 0:
            match = GLOBAL.match(data, data.rfind(b"\n", 0, at) + 1)
            if match is not None and match.start(1) > at:
                line = data.count(b"\n", 0, at) + 1
                if not any(first <= line <= last for first, last in spans):
                    found.update(match.group(1).decode("utf-8", "replace").replace(" ", "").split(","))
            at = data.find(b"global", at + 6)
        return found

    def short(self, node: ast.AST) -> bool:
        """True for a function that is followed whatever it does."""
        if node not in self.sizes:
            few = zip(walk(node), range(SMALL_FUNCTION + 1), strict=False)
            self.sizes[node] = sum(1 for _ in few)
        return self.sizes[node] <= SMALL_FUNCTION


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
        data = scan.closure.bytes
        self.hits = {
            kind: [path for path in scan.imports if any(word in data.get(path, b"") for word in words)]
            for kind, words in NEEDLES.items()
        }
        self.shutting = [
            path
            for path in scan.imports
            if b".shutdown" in data.get(path, b"") and any(topic in data[path] for topic in TOPIC)
        ]
        self.seeds = frozenset((*SETUP, *ELSEWHERE, *(ENDS if self.hits["setup"] else ())))
        self.names: dict[str, set[str]] = {}
        self.words: dict[str, set[str]] = {}
        self.indexes: dict[str, slices.Index] = {}
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
        for kind, paths in self.hits.items():
            if kind != "ends" or self.hits["setup"]:
                todo.extend((path, frozenset()) for path in paths)
        while todo:
            path, words = todo.pop()
            fresh = self.inside(path, words) | words
            if fresh:
                todo.extend(self.above(path, fresh))
            if not todo:
                todo.extend((other, frozenset()) for other in self.closers())
        self.mark()

    def closers(self) -> list[str]:
        """Files that name a shutdown and import something from a file on the way."""
        found = []
        for path in self.shutting:
            if path not in self.plan.files:
                sources = (self.scan.find(one.module) for one in self.scan.imports[path])
                if any(s is not None and s.path in self.plan.files for s in sources):
                    found.append(path)
        return found

    def inside(self, path: str, words: frozenset[str]) -> frozenset[str]:
        """Names of a file that lead to telemetry and were not known to, given names from outside."""
        try:
            source = self.scan.closure.source(path)
        except Unreadable:
            return frozenset()
        self.plan.files.add(path)
        data = self.scan.closure.bytes.get(path, b"")
        index = self.indexes.get(path) or slices.Index.of(source.tree, data)
        self.indexes[path] = index
        known = self.names.setdefault(path, set())
        before = set(known)
        seeds = self.seeds | words | ({"shutdown"} if self.hits["setup"] else set())
        while True:
            reach = seeds | known
            raw = {w.encode() for w in reach}
            more = {
                name
                for name, used in index.tops.items()
                if name not in known
                and not used.isdisjoint(raw)
                and not index.census(name).words.isdisjoint(reach)
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
            known = {id(n): name for name, n in index.nodes.items() if name in self.names[path]}
            for name in known.values():
                for node, used in index.census(name).functions:
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
