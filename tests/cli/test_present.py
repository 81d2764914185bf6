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

from lens_preflight.cli.present import style
from lens_preflight.reports.output import Wanted


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
