"""Programs are found by whole folders of PATH alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.core.commands import on_path


@pytest.mark.parametrize(("path", "found"), [("{here}", True), ("", False), (".", False), (":bin:", False)])
def test_a_folder_that_depends_on_where_one_stands_is_passed_over(
    path: str, found: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in (tmp_path, tmp_path / "bin"):
        folder.mkdir(exist_ok=True)
        (folder / "shfmt").write_text("#!/bin/sh\n")
        (folder / "shfmt").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", path.format(here=tmp_path))
    assert on_path("shfmt") == (str(tmp_path / "shfmt") if found else None)
