"""The console's colour and width follow the stream that it really goes to."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import struct
import sys
import termios
from collections.abc import Iterator
from typing import TextIO

import pytest

from lens_preflight.cli.present import exit_code, style
from lens_preflight.reports.output import Wanted
from tests.reports.records import record


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[TextIO]:
    """A terminal of 100 columns."""
    monkeypatch.setenv("TERM", "xterm")
    outer, inner = pty.openpty()
    _resize(inner)
    with os.fdopen(inner, "w") as stream:
        yield stream
    os.close(outer)


def _resize(handle: int) -> None:
    fcntl.ioctl(handle, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))


JSON_OUT = (Wanted("json"),)
JSON_FILE = (Wanted("json", "r.json"),)


@pytest.mark.parametrize(
    ("on_out", "reports", "coloured"),
    [(True, (), True), (True, JSON_FILE, True), (True, JSON_OUT, False), (False, JSON_OUT, True)],
)
def test_the_console_looks_like_its_own_terminal(
    monkeypatch: pytest.MonkeyPatch,
    terminal: TextIO,
    on_out: bool,
    reports: tuple[Wanted, ...],
    coloured: bool,
) -> None:
    monkeypatch.setattr(sys, "stdout", terminal if on_out else io.StringIO())
    monkeypatch.setattr(sys, "stderr", io.StringIO() if on_out else terminal)
    look = style("auto", 0, reports)
    assert look.color is coloured
    assert look.width == (100 if coloured else 80)


@pytest.mark.parametrize(
    ("verdict", "code", "expected"), [("not-ready", 1, 2), ("cannot-tell", 3, 3), ("ready", 0, 0)]
)
def test_only_the_nagios_line_on_standard_output_changes_the_exit_code(
    verdict: str, code: int, expected: int
) -> None:
    run = record(verdict=verdict, exit_code=code)
    assert exit_code(run, (Wanted("nagios"), Wanted("json", "r.json"))) == expected
    for reports in ((), JSON_OUT, (Wanted("nagios", "state.txt"), Wanted("json"))):
        assert exit_code(run, reports) == code
