"""Calls of the setup that stand in the source and that the interpreter never got to: may one run after all?"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path

from lens_preflight.program.closure import Closure
from lens_preflight.program.liveness import Liveness, last, own_parts, statements
from lens_preflight.program.seen import Seen
from lens_preflight.program.source import Source, Unreadable, read_bytes
from lens_preflight.program.state import Site

SETUP = "setup_telemetry"
NEEDLE = SETUP.encode()
IMPORTERS = frozenset(("import_module", "__import__", "exec_module", "load_module", "run_path", "run_module"))
"""Calls that load a file whose name is computed."""

MAX_FOLDERS = 200
MAX_FILES = 100
SKIPPED = ("site-packages", "node_modules", "__pycache__")


def unreached(closure: Closure, seen: Seen) -> tuple[str, Site] | None:
    """Why a setup that was not reached may run all the same, and where; None when it is dead or not there."""
    sources = closure.sources
    if any(NEEDLE in closure.bytes.get(path, b"") for path in sources):
        found = in_sight(sources, seen)
        if found is not None:
            return found
    return by_computed_import(closure, seen.ran)


def in_sight(sources: dict[str, Source], seen: Seen) -> tuple[str, Site] | None:
    """A setup in a function of a parsed file that may be called, or one that is handed on."""
    known = Liveness(seen.ran, seen.passed_over)
    for path, source in sources.items():
        known.add(path, source.tree)
    known.start(source.tree for source in sources.values())
    for source in sources.values():
        known.words |= originals(source.tree, known.words)
    known.spread()
    names = {path: aliases(source.tree) for path, source in sources.items()}
    for function, place in known.functions.items():
        for statement in statements(function.body):
            line = mention(statement, names[place.path])
            if line and function in known.live:
                words = f"{function.name}() names {SETUP}, and what calls {function.name}() is not followed"
                return words, Site(place.path, line, f"{function.name}()")
            if line and statement in seen.ran and handed_on(statement, names[place.path]):
                return handed(place.path, line)
    for path, source in sources.items():
        for statement in statements(source.tree.body):
            if statement in seen.ran and handed_on(statement, names[path]):
                return handed(path, statement.lineno)
    return None


def handed(path: str, line: int) -> tuple[str, Site]:
    """The reason for a setup that is given away uncalled."""
    return f"{SETUP} is handed on, and what calls it is not followed", Site(path, line, f"{SETUP}()")


def aliases(tree: ast.Module) -> set[str]:
    """The names under which a file knows the library's setup."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names.update(a.asname or a.name for a in node.names if a.name == SETUP)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and is_setup(node.value, names):
            names.update(target.id for target in node.targets if isinstance(target, ast.Name))
    return names


def originals(tree: ast.Module, words: set[str]) -> set[str]:
    """What the names of a file that are read are called where they come from."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            found.update(a.name for a in node.names if a.asname and a.asname in words)
    return found


def mention(statement: ast.stmt, names: set[str]) -> int:
    """The line in a statement that reads the setup; 0 when it does not."""
    for node in own_parts(statement):
        if is_setup(node, names):
            return int(getattr(node, "lineno", statement.lineno))
    return 0


def is_setup(node: ast.AST, names: set[str]) -> bool:
    """True for the setup by one of its names in a file, or as an attribute of a module."""
    if isinstance(node, ast.Attribute):
        return node.attr == SETUP
    return isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load)


def handed_on(statement: ast.stmt, names: set[str]) -> bool:
    """True when a statement gives the setup away uncalled: as an argument, an item, or a result."""
    if isinstance(statement, ast.Return) and statement.value is not None:
        return is_setup(statement.value, names)
    for node in own_parts(statement):
        given: list[ast.expr] = []
        if isinstance(node, ast.Call) and last(node.func) != "callable":
            given = [*node.args, *(k.value for k in node.keywords)]
        elif isinstance(node, ast.Dict):
            given = node.values
        elif isinstance(node, ast.List | ast.Tuple | ast.Set):
            given = node.elts
        if any(is_setup(g, names) for g in given):
            return True
    return False


def by_computed_import(closure: Closure, ran: set[ast.AST]) -> tuple[str, Site] | None:
    """A file of the tree that names the setup and that code which ran may load by a computed name."""
    for path, source in closure.sources.items():
        for node in ast.walk(source.tree):
            if node in ran and isinstance(node, ast.stmt) and loads(node):
                found = next(unread(closure), None)
                if found is None:
                    return None
                words = f"{closure.shown(found)} names {SETUP}, and a module is imported by a computed name"
                return words, Site(path, node.lineno, "import_module()")
    return None


def loads(statement: ast.stmt) -> bool:
    """True for a statement that loads a file whose name it computes."""
    for node in own_parts(statement):
        if isinstance(node, ast.Call) and last(node.func) in IMPORTERS:
            return not (node.args and isinstance(node.args[0], ast.Constant))
    return False


def unread(closure: Closure) -> Iterator[str]:
    """The files below the import roots that were not parsed and name the setup."""
    folders = 0
    for root in closure.roots:
        for folder, inner, files in os.walk(root):
            inner[:] = sorted(n for n in inner if n not in SKIPPED and n[:1] != ".")
            folders += 1
            if folders > MAX_FOLDERS:
                return
            for name in sorted(files)[:MAX_FILES]:
                path = os.path.join(folder, name)
                if name.endswith(".py") and path not in closure.sources and names_setup(path):
                    yield path


def names_setup(path: str) -> bool:
    """True when a file names the setup."""
    try:
        return NEEDLE in read_bytes(Path(path))
    except Unreadable:
        return False
