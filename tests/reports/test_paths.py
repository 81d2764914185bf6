"""Paths from the root of the repository, whatever was typed and wherever."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

from lens_preflight.core.finding import Location
from lens_preflight.reports.paths import Repository, Starts
from tests.reports.records import record
from tests.reports.strategies import texts


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a job in a folder, which is the working directory, and a link to outside."""
    root = tmp_path / "checkout"
    (root / ".git").mkdir(parents=True)
    (root / "jobs").mkdir()
    (root / "lib").mkdir()
    (root / "lib" / "train.py").write_text("")
    (root / "jobs" / "link.py").symlink_to("../lib/train.py")
    (tmp_path / "shared.py").write_text("")
    (root / "jobs" / "shared.py").symlink_to(tmp_path / "shared.py")
    monkeypatch.chdir(root / "jobs")
    return root


def test_paths_are_told_from_the_root(checkout: Path) -> None:
    here = Repository.here()
    assert here.root == str(checkout.resolve())
    assert here.relative("a.sbatch") == "jobs/a.sbatch"
    assert here.relative("./a.sbatch") == "jobs/a.sbatch"
    assert here.relative("../b.py") == "b.py"
    assert here.relative(str(checkout / "c.py")) == "c.py"


def test_links_are_resolved_while_they_stay_inside(checkout: Path) -> None:
    here = Repository.here()
    assert here.relative("link.py") == "lib/train.py"
    assert here.relative("shared.py") == "jobs/shared.py"


def test_a_path_outside_is_absolute(checkout: Path) -> None:
    here = Repository.here()
    assert here.relative("/opt/a b.py") == "/opt/a b.py"
    assert here.uri("/opt/a b.py") == "file:///opt/a%20b.py"
    assert here.uri("a:b.py") == "jobs/a%3Ab.py"


def test_without_a_repository_the_working_directory_is_the_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert Repository.here().relative("sub/../a.py") == "a.py"


@settings(deadline=None)
@given(texts())
def test_any_text_becomes_a_uri(text: str) -> None:
    here = Repository.here()
    assert here.uri(text).isascii()
    here.relative(text).encode()


@pytest.mark.parametrize("at", ["jobs/a.sbatch:13", "jobs/a.sbatch:13:2", Location.file("jobs/a.sbatch", 13)])
def test_a_launch_is_started_at_its_line(at: object) -> None:
    other = {"key": "b", "at": "b.sh:2"}
    launches = [{"key": "a.sbatch:13", "at": at}, other, {"key": "$X", "at": "$X"}, {"key": "n", "at": None}]
    found = Starts.read(record(subject={"launches": launches}))
    assert found.of("traces @ a.sbatch:13") == ("jobs/a.sbatch", 13)
    assert found.of("$X") is None
    assert found.all == (("jobs/a.sbatch", 13), ("b.sh", 2))
