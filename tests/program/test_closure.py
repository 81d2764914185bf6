"""The files of a program: roots, packages, and what of a large one is parsed."""

from __future__ import annotations

from pathlib import Path

from lens_preflight.core.variable import Environment
from lens_preflight.core.world import World
from lens_preflight.lens.generations import GENERATIONS
from lens_preflight.program import analyse
from lens_preflight.program.closure import Closure
from lens_preflight.program.relevance import plan
from tests.program.big import write


def test_packages_modules_and_namespaces(tmp_path: Path) -> None:
    for name in ("a/__init__.py", "a/b.py", "n/inner/c.py", "single.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    closure = Closure([str(tmp_path)], str(tmp_path))
    found = {name: closure.find(name) for name in ("a", "a.b", "n", "n.inner.c", "single", "torch", "a.x")}
    paths = {name: f.path and Path(f.path).name for name, f in found.items() if f is not None}
    assert paths == {"a": "__init__.py", "a.b": "b.py", "n": None, "n.inner.c": "c.py", "single": "single.py"}


def test_the_first_root_wins(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "m.py").touch()
    closure = Closure([str(tmp_path / "one")], str(tmp_path))
    closure.add_root("two")
    found = closure.find("m")
    assert found is not None
    assert found.path == str(tmp_path / "two" / "m.py")


def test_src_beside_pyproject(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "src" / "proj").mkdir(parents=True)
    (tmp_path / "src" / "proj" / "tele.py").touch()
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "train.py").touch()
    assert analyse("scripts/train.py", base=str(tmp_path)).closure.find("proj.tele") is not None


def test_modules_run_as_main(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    for name in ("__init__", "__main__", "train"):
        (tmp_path / "pkg" / f"{name}.py").touch()
    assert analyse(module="pkg", base=str(tmp_path)).entry.endswith("__main__.py")
    model = analyse(module="pkg.train", base=str(tmp_path))
    assert (Path(model.entry).name, model.package) == ("train.py", "pkg")


def test_paths_are_shown_relative_to_the_working_directory(tmp_path: Path) -> None:
    closure = Closure([str(tmp_path)], str(tmp_path))
    assert closure.shown(str(tmp_path / "a" / "b.py")) == "a/b.py"
    assert closure.shown("/elsewhere/c.py") == "/elsewhere/c.py"


def test_of_a_large_program_only_the_way_is_parsed(tmp_path: Path) -> None:
    entry = write(tmp_path, 120)
    model = analyse(entry.name, base=str(tmp_path))
    reading = model.reading(Environment(), World(8, 4), GENERATIONS[0])
    parsed = {Path(p).name for p in model.closure.sources}
    assert parsed == {"pretrain.py", "globals.py", "training.py"}
    assert [s.site.line for s in reading.setups] == [30]


def test_a_small_program_is_followed_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import b\n")
    (tmp_path / "b.py").write_text("x = 1\n")
    found = plan(Closure([str(tmp_path)], str(tmp_path)), str(tmp_path / "a.py"), "")
    assert (found.small, found.scanned) == (True, 2)
