"""The outermost layer: exceptions become one line and an exit code, and nothing leaves as 1 by chance."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import warnings
from collections.abc import Callable
from types import FrameType
from typing import NoReturn

import click

from lens_preflight.core.errors import InputError
from lens_preflight.gate.guard import allowed

NO_WORDS: tuple[type[BaseException], ...] = tuple(
    kind for kind in (getattr(click.exceptions, "NoArgsIsHelpError", None),) if kind is not None
)
"""What click raises for a command without any word; 8.1 prints the help itself."""

_end = os._exit
"""Taken before code from elsewhere is loaded, for which it raises."""

USAGE, CANNOT_TELL, INTERRUPTED, TERMINATED = 2, 3, 130, 143


class Terminated(KeyboardInterrupt):
    """SIGTERM arrived; treated like Ctrl-C, with its own code."""


def _terminate(_number: int, _frame: FrameType | None) -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # what is ending already is not interrupted again
    raise Terminated("terminated")


def leave(command: Callable[[], object]) -> NoReturn:
    """Run a command and end the process with its code.

    A command returns an exit code, or None for 0. ``os._exit`` ends it, so that a thread stuck in a
    name look-up cannot hold the process.
    """
    if hasattr(signal, "SIGTERM"):
        signal.signal(signal.SIGTERM, _terminate)
    gc.set_threshold(50_000)  # a short process; at the default the collector takes a thirtieth of a small run
    if not sys.warnoptions:  # what Python thinks of a pattern in somebody's file is no finding of ours
        warnings.simplefilter("ignore")
    code, why = allowed(_run(command), os.environ)
    if why:
        _say(f"lens-preflight: {why}")
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            if stream is not None:  # as it is when the caller has closed it
                stream.flush()
    _end(code)


def _run(command: Callable[[], object]) -> int:
    try:
        result = command()
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        _usage(error)
        return USAGE
    except InputError as error:
        _say(f"lens-preflight: {error}")
        return USAGE
    except Terminated:
        _say("lens-preflight: terminated")
        return TERMINATED
    except (KeyboardInterrupt, click.Abort) as stop:
        if isinstance(stop.__cause__, Terminated):  # click makes an Abort of it
            _say("lens-preflight: terminated")
            return TERMINATED
        _say("lens-preflight: interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        return CANNOT_TELL
    except (
        SystemExit
    ):  # no command ends so: click does, with 1, when a reader is gone, and somebody's plug-in
        return CANNOT_TELL
    except BaseException as error:  # a traceback must not leave as 1, which reads as "not ready"
        _broke(error)
        return CANNOT_TELL


def _usage(error: click.ClickException) -> None:
    if isinstance(error, NO_WORDS):
        error.show()
        return
    hint = ""
    if isinstance(error, click.UsageError) and error.ctx is not None:
        hint = f"; see {error.ctx.command_path} --help"
    _say(f"lens-preflight: {error.format_message().rstrip('.')}{hint}")


def _broke(error: BaseException) -> None:
    """Name the kind and the place of a crash; the message and values may hold secrets."""
    places = []
    frame = error.__traceback__
    while frame is not None:
        places.append(f"{frame.tb_frame.f_globals.get('__name__', '?')}:{frame.tb_lineno}")
        frame = frame.tb_next
    where = " > ".join(places[-4:])
    _say(f"lens-preflight: internal error: {type(error).__name__} in {where}; please report it")


def _say(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        print(one_line(text), file=sys.stderr)


def one_line(text: str) -> str:
    """A message as it may be printed: on one line, and without what looks like a secret.

    The message of bad input quotes what was written, which may be a URL with a password.
    """
    from lens_preflight.redact.shapes import mask

    return mask(" ".join(text.split())).encode("utf-8", "backslashreplace").decode()
