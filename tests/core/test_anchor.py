"""One name for a file, however it was typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.core.anchor import Anchor


def test_a_file_is_named_from_the_folder_of_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "g" / "sub").mkdir(parents=True)
    (tmp_path / "g" / "train.py").touch()
    (tmp_path / "train.py").touch()
    (tmp_path / "g" / "link.py").symlink_to("train.py")
    (tmp_path / "h").symlink_to("g")
    for folder, settings, typed in (
        (tmp_path / "g", "", "train.py"),
        (tmp_path / "g", "preflight.toml", "./train.py"),
        (tmp_path, "g/preflight.toml", "g/train.py"),
        (tmp_path, "g/preflight.toml", "h/train.py"),
        (tmp_path / "g" / "sub", "../preflight.toml", "../train.py"),
        (tmp_path, f"{tmp_path}/g/preflight.toml", f"{tmp_path}/g/sub/../train.py"),
    ):
        monkeypatch.chdir(folder)
        assert Anchor.of(settings).path(typed) == "train.py"
    monkeypatch.chdir(tmp_path)
    assert Anchor.of("g/preflight.toml").path("train.py") == "../train.py"
    assert Anchor.of("g/preflight.toml").path("g/link.py") == "link.py"
    assert Anchor.of("g/preflight.toml").path("g/train.py#cell2") == "train.py#cell2"
    assert Anchor.of("g/preflight.toml").whole("g/train.py") == str(tmp_path / "g" / "train.py")


@pytest.mark.parametrize(
    "path", ["", "gone.py", "/opt/gone/train.py", "a\0b", "\ud800", "x" * 5000, "#", "a#b"]
)
def test_what_is_no_file_here_keeps_its_name(path: str) -> None:
    assert Anchor.of("g/preflight.toml").path(path) == path
