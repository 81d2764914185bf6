"""Where the live stack is kept, and what is said when it cannot be built."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.live.stack import build
from tests.live.stack.__main__ import main


@pytest.fixture(autouse=True)
def empty_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A cache of its own for each test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


def test_the_cache_lies_outside_the_clone_and_is_keyed_by_versions(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = build.home("collector"), build.home("jaeger")
    assert empty_cache in before[0].parents
    pinned = build.versions()
    pinned["collector"]["version"] = "0.0.1"
    monkeypatch.setattr(build, "versions", lambda: pinned)
    assert build.home("collector") != before[0]
    assert build.home("jaeger") == before[1]


def test_what_was_built_is_taken_as_it_is() -> None:
    assert build.built("jaeger") is None
    path = build.home("jaeger") / "jaeger"
    path.parent.mkdir(parents=True)
    path.write_text("")
    assert build.jaeger() == build.Part("jaeger", path)


def test_without_go_the_build_is_red_and_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    assert main(["build", "collector", "jaeger"]) == 1
    said = capsys.readouterr().out
    assert said.count("could not be built") == 2
    assert "Go" in said


def test_a_step_that_fails_gives_its_last_lines(tmp_path: Path) -> None:
    with pytest.raises(build.CannotBuild, match="the reason"):
        build._run(["sh", "-c", "echo the reason >&2; exit 3"], tmp_path, "a step")


def test_the_manifest_names_every_module_with_its_version() -> None:
    pinned = build.versions()["collector"]
    manifest = build._manifest(pinned, Path("out"))
    modules = [m["gomod"] for group in build.GROUPS for m in manifest[group]]
    assert len(modules) == len(pinned["core"]) + len(pinned["contrib"])
    assert all(m.endswith(f" v{pinned['version']}") for m in modules)
