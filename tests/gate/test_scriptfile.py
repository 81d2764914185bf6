from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.gate.scriptfile import assigned, can_run, troubles


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


@pytest.mark.parametrize("first", ["#!/bin/sh\0x", "#!/bin/sh", "#!", "#!\0"])
def test_the_kernel_reads_the_interpreter_up_to_a_nul(tmp_path: Path, first: str) -> None:
    path = tmp_path / "prolog"
    path.write_text(f"{first}\n")
    path.chmod(0o755)
    assert list(troubles(path)) == []


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000, "x/" * 5000])
def test_what_can_be_no_path_does_not_exist(name: str) -> None:
    assert [trouble.what.endswith("does not exist") for trouble in troubles(Path("/", name))] == [True]


def test_what_can_be_no_path_cannot_be_run() -> None:
    assert [can_run(program) for program in ("/bin/sh", "/bin/sh\0", "/bin/sh/x", "")] == [
        True,
        False,
        False,
        False,
    ]
