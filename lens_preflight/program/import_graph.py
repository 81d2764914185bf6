"""The import graph of a program, found in the bytes of its files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from lens_preflight.core.data import dataclass, field
from lens_preflight.program.closure import Closure, Found
from lens_preflight.program.source import Unreadable

SMALL_FILES = 60


MAX_FILES = 6_000


IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+(\.*[ \t]*[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#;]+)|import[ \t]+([\w., \t]+))",
    re.M,
)


class Imported(NamedTuple):
    """One import of a file: the module, and (name, alias) pairs; no pairs for a plain import."""

    module: str
    names: tuple[tuple[str, str], ...]


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
        followed: set[str] = set()
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
                    if name in followed:
                        continue
                    followed.add(name)
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
    for match in matches(data):
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


def matches(data: bytes) -> Iterator[re.Match[bytes]]:
    """The import statements in the bytes of a file: its lines with that word, tried one by one."""
    at, known = data.find(b"import"), 0
    while at >= 0:
        start = data.rfind(b"\n", 0, at) + 1
        match = IMPORT.match(data, start) if start >= known else None
        if match is not None:
            known = match.end()
            yield match
        at = data.find(b"import", max(known, at + 6))


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
