"""The import arrows of the house, and what may not be imported at start."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "lens_preflight"

MODELS = {"jobs", "program", "dashboards", "collector", "backends", "probe"}
FACTS = {"lens", "otel", "documents"}
ALLOWED: dict[str, set[str]] = {
    "core": set(),
    "redact": {"core"},
    "suggest": set(),
    **{name: {"core", "redact", "suggest"} | FACTS for name in FACTS | MODELS},
    "subject": {"core", "redact", "suggest", "settings", "libraries"} | FACTS | MODELS,
    "context": {"core", "settings", "subject"} | FACTS,
    "choices": set(),
    "gifts": {"core"},
    "needs": {"core", "context", "gifts"},
    "settings": {"core", "suggest", "choices", "waiver_settings"},
    "waiver_settings": {"core", "suggest"},
    "baseline": {"core"},
    "searchpath": set(),
    "guests": {"core"},
    "plugins": {"core", "searchpath"},
    "surroundings": {"core"},
    "lifted": {"core", "settings"},
    "path_glob": set(),
    "rule_names": {"core", "settings", "suggest"},
    "waiver_match": {"core", "path_glob"},
    "waivers": {"core", "waiver_match"},
    "checks": {"core", "redact", "suggest", "settings", "subject", "context"} | FACTS | MODELS,
    "reports": {"core"},
    "registry": {"core", "checks", "suggest"},
    "libraries": set(),
    "runner": {"core", "context", "needs", "libraries"},
    "verdict": {"core", "registry"},
    "pages": {"core", "gifts", "registry"},
}
ALLOWED["jobs"] |= {"program"}
OUTER = {"cli", "preflight", "describe", "api", "testing", "gate", "__main__"}
FACADES = {"api", "testing"}


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE).parts[0].removesuffix(".py"), path
    for folder in ("checks", "reports"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield folder, path


def imports(path: Path, *, types_too: bool) -> Iterator[tuple[int, str]]:
    """Line and first name below the package of each import of our own."""
    todo: list[ast.AST] = [ast.parse(path.read_bytes())]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" and not types_too:
            todo.extend(node.orelse)
            continue
        todo.extend(ast.iter_child_nodes(node))
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "lens_preflight" and len(parts) > 1:
                yield node.lineno, parts[1]  # type: ignore[attr-defined]


def test_arrows_point_one_way() -> None:
    wrong = []
    for part, path in modules():
        if part in OUTER or part == "__init__":
            continue
        for line, target in imports(path, types_too=False):
            if target not in {part, "__version__"} | ALLOWED[part]:
                wrong.append(f"{path.relative_to(ROOT)}:{line}: {part} -> {target}")
    assert not wrong, "\n".join(wrong)


def test_facades_are_for_others() -> None:
    used = [
        f"{path.relative_to(ROOT)}:{line}"
        for part, path in modules()
        if part not in FACADES
        for line, target in imports(path, types_too=True)
        if target in FACADES
    ]
    assert not used


def test_checks_import_no_model() -> None:
    """A check reaches models through its context; for types alone it may name them."""
    wrong = []
    for part, path in modules():
        if part != "checks":
            continue
        tree = ast.parse(path.read_bytes())
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.module:
                parts = node.module.split(".")
                if parts[0] == "lens_preflight" and parts[1] not in {"core", "checks"}:
                    wrong.append(f"{path.name}:{node.lineno}: {node.module}")
    assert not wrong


FORBIDDEN = {"os.environ", "os.getenv", "socket.socket", "time.time", "time.monotonic", "open"}


def test_checks_see_nothing_of_the_machine() -> None:
    wrong = []
    for path in sorted((ROOT / "checks").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Attribute | ast.Name) and ast.unparse(node) in FORBIDDEN:
                wrong.append(f"{path.name}:{node.lineno}: {ast.unparse(node)}")
    assert not wrong


def test_files_stay_small() -> None:
    large = {}
    for _part, path in modules():
        lines = path.read_text().count("\n")
        docstring = ast.get_docstring(ast.parse(path.read_bytes())) or ""
        if lines > 300 and "300 lines" not in docstring:
            large[str(path.relative_to(ROOT))] = lines
    assert not large


def test_links_are_links_into_the_repository() -> None:
    for name in ("checks", "reports"):
        link = PACKAGE / name
        if not link.is_symlink():
            pytest.skip("this checkout has no symbolic links")
        assert link.resolve() == ROOT / name
