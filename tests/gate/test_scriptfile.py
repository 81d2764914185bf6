from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.gate.scriptfile import assigned


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("python=/usr/bin/python3", "/usr/bin/python3"),
        ("python='/opt/my python'", "/opt/my python"),
        ("python=", ""),
        ("python='/opt/open", ""),
        ("other=1", ""),
    ],
)
def test_what_a_script_assigns(tmp_path: Path, line: str, value: str) -> None:
    path = tmp_path / "prolog"
    path.write_text(f"#!/bin/sh\n{line}\n")
    assert assigned(path, "python") == value
