"""Which folders belong to what is judged, and what of sys.path stays."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from lens_preflight.searchpath import home, inside, keep_out, roots, site_folders


def test_the_outermost_mark_makes_the_tree(tmp_path: Path) -> None:
    deep = tmp_path / "repo" / "jobs" / "deep"
    deep.mkdir(parents=True)
    assert roots(str(deep / "t.sbatch")) == (str(deep),)
    (deep.parent / "pyproject.toml").touch()
    assert roots(str(deep / "t.sbatch")) == (str(deep.parent),)
    (tmp_path / "repo" / ".git").mkdir()
    assert roots(str(deep / "t.sbatch")) == roots(str(deep)) == (str(tmp_path / "repo"),)


def test_a_link_belongs_to_both_of_its_ends(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name / ".git").mkdir(parents=True)
    (tmp_path / "other" / "t.py").touch()
    (tmp_path / "one" / "t.py").symlink_to(tmp_path / "other" / "t.py")
    assert set(roots(str(tmp_path / "one" / "t.py"))) == {str(tmp_path / "one"), str(tmp_path / "other")}
    assert inside(str(tmp_path / "one" / "t.py"), {str(tmp_path / "other")})


def test_a_folder_of_a_similar_name_is_another_one(tmp_path: Path) -> None:
    assert not inside(str(tmp_path / "repo2" / "x"), {str(tmp_path / "repo")})
    assert inside(str(tmp_path / "repo"), {str(tmp_path / "repo")})
    assert inside("/etc/x", {"/"})


def test_what_is_installed_stays_though_it_lies_in_the_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "src").mkdir()
    library = os.path.dirname(os.__file__)
    entries = ["", str(tmp_path), str(tmp_path / "src"), home(), library, str(tmp_path / "src")]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([".", str(tmp_path / "src"), home(), *site_folders()]))
    monkeypatch.setattr(sys, "path", list(entries))
    keep_out()
    assert sys.path == entries[3:]


def test_a_folder_elsewhere_stays_until_it_is_what_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("here", "job"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "job"))
    monkeypatch.setattr(sys, "path", [str(tmp_path / "job")])
    keep_out()
    assert sys.path == [str(tmp_path / "job")]
    keep_out((str(tmp_path / "job" / "t.sbatch"),))
    assert sys.path == []
