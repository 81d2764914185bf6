"""Names that no file can have: one line that says so, wherever they were given."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import run
from tests.cli.test_bad_input import GOOD, one_line

LONG = "x" * 5000


@pytest.mark.parametrize(
    "option",
    ["", "--dashboard", "--rules", "--collector-config", "--config", "--env-file"],
)
def test_a_name_longer_than_any_file_has(option: str, tmp_path: Path) -> None:
    done = run(*GOOD, *([option] if option else []), LONG, cwd=tmp_path)
    assert done.returncode == 2
    assert "File name too long" in one_line(done.stderr)


@pytest.mark.parametrize("words", [("--baseline", LONG), ("--report", f"json={LONG}")])
def test_nothing_can_be_written_to_such_a_name(words: tuple[str, str], tmp_path: Path) -> None:
    done = run(*GOOD, *words, cwd=tmp_path)
    assert done.returncode == 3
    assert "File name too long" in one_line(done.stderr.splitlines()[-1])


def test_a_local_check_of_such_a_name_is_an_error_outcome(tmp_path: Path) -> None:
    done = run(*GOOD, "--local", LONG, cwd=tmp_path)
    assert "there is no such file; correct --local" in "".join(done.stdout.split("\n       ")).replace(
        "  ", " "
    )


@pytest.mark.parametrize("key", ["local", "dashboards", "rules", "collector_config"])
def test_a_zero_byte_in_the_settings(key: str, tmp_path: Path) -> None:
    (tmp_path / "preflight.toml").write_text(f'{key} = ["a\\u0000b"]\n')
    done = run(*GOOD, cwd=tmp_path)
    assert done.returncode == 2
    assert f"{key}.0 holds a zero byte" in one_line(done.stderr)
