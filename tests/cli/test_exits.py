"""Exceptions that click turns into its own keep the code that they mean."""

from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path

import click
import pytest

from lens_preflight.cli.exits import CANNOT_TELL, INTERRUPTED, TERMINATED, Terminated, _run
from tests.cli.running import environment


def through_click(error: BaseException) -> int:
    @click.command()
    def command() -> None:
        raise error

    return _run(lambda: command.main(args=[], standalone_mode=False))


def test_a_reader_that_left_is_not_exit_1(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("stdout", "stderr"):  # click wraps both
        monkeypatch.setattr(sys, name, getattr(sys, name))
    assert through_click(BrokenPipeError(errno.EPIPE, "Broken pipe")) == CANNOT_TELL


@pytest.mark.parametrize("code", [0, 1, None, "text"])
def test_no_command_is_done_because_something_called_exit(code: object) -> None:
    assert through_click(SystemExit(code)) == CANNOT_TELL


def test_sigterm_is_told_from_ctrl_c(capsys: pytest.CaptureFixture[str]) -> None:
    assert through_click(Terminated("terminated")) == TERMINATED
    assert through_click(KeyboardInterrupt()) == INTERRUPTED
    said = capsys.readouterr().err.split()
    assert said == ["lens-preflight:", "terminated", "lens-preflight:", "interrupted"]


def test_a_warning_of_python_is_no_word_of_ours() -> None:
    code = (
        "import re; from lens_preflight.cli.exits import leave; "
        "leave(lambda: len(re.compile('x[[:alpha:]]').pattern))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, env=environment())
    assert (done.returncode, done.stderr) == (len("x[[:alpha:]]"), b"")


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_closed_stream_does_not_change_the_code(closed: str, tmp_path: Path) -> None:
    words = "check --offline --no-environ --profile ci --select rollback --set NEMO_LENS_ENABLED=1"
    line = f"{sys.executable} -m lens_preflight {words} {closed}"
    done = subprocess.run(
        ["sh", "-c", line], env=environment(), cwd=tmp_path, capture_output=True, timeout=120
    )
    assert done.returncode == 4
