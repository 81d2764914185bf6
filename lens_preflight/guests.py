"""Room for code from elsewhere: it may break, hang, print or try to leave, and the run goes on.

The code is not contained: it runs in this process with all rights. What is caught here is what a plug-in
does by mistake. ``os.abort``, a signal to the own process or a crash of a compiled library still end the run,
and a call that never gives the interpreter back, such as an endless regular expression, still holds it.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn, TextIO

from lens_preflight.core.errors import Broken

LEAVING = ("_exit", "execv", "execve")
MOVING = ("chdir", "fchdir")

_stdout: list[TextIO | None] = []
_undo: list[Callable[[], object]] = []


class ProcessExit(SystemExit):
    """Code from elsewhere wanted to end the process."""


def receive() -> None:
    """Prepare the process for code from elsewhere, until it ends.

    What it prints goes to standard error, standard output being for reports. The functions that end or
    replace the process raise, as ``sys.exit`` does; those that move it to another folder raise as well,
    since all checks share one. Children that it forks are its own.
    """
    if _stdout:
        return
    _stdout.append(_set_aside(sys.stdout))
    _undo.append(partial(setattr, threading, "excepthook", threading.excepthook))
    threading.excepthook = _quiet
    home = os.getpid()
    for name in (*LEAVING, *MOVING):
        real = getattr(os, name, None)
        if real is None:  # not on this system
            continue
        for module in (os, sys.modules.get("posix")):
            if module is not None:
                _undo.append(partial(setattr, module, name, real))
                setattr(module, name, _stopping(name, real, home))


def dismiss() -> None:
    """Undo what ``receive`` did, for a caller that lives on after a command."""
    while _undo:
        _undo.pop()()
    _stdout.clear()


def stdout() -> TextIO | None:
    """The real standard output."""
    return _stdout[0] if _stdout else sys.stdout


def _set_aside(real: TextIO | None) -> TextIO | None:
    """Standard output by another handle; the usual one leads to standard error from now on."""
    if real is None or real.closed or sys.stderr is None:
        return real
    _undo.append(partial(setattr, sys, "stdout", real))
    try:
        real.flush()
        number = real.fileno()
        kept = open(os.dup(number), "w", encoding=real.encoding, errors=real.errors)  # noqa: SIM115
        os.dup2(sys.stderr.fileno(), number)
        _undo.extend((kept.close, partial(os.dup2, kept.fileno(), number)))
    except (OSError, ValueError):  # not a stream of the system
        kept = real  # type: ignore[assignment]
    sys.stdout = _Aside()
    return kept


class _Aside:
    """A standard output that goes to standard error, and cannot be closed."""

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def close(self) -> None:
        """Nothing: the stream is not theirs."""

    def __getattr__(self, name: str) -> Any:
        return getattr(sys.stderr, name)


def _quiet(_about: object) -> None:
    """Say nothing of a thread that ends in an exception, whose text may hold a secret."""


def _stopping(name: str, real: Callable[..., Any], home: int) -> Callable[..., Any]:
    def stopped(*words: Any, **options: Any) -> Any:
        """As the original in a child process; here an exception."""
        return real(*words, **options) if os.getpid() != home else _refuse(name)

    return stopped


def _refuse(name: str) -> NoReturn:
    if name in LEAVING:
        raise ProcessExit(f"os.{name}")
    raise Broken(f"os.{name} would move all checks to another folder; use whole paths instead")
