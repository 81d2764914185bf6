"""Calls into code from elsewhere, which may raise anything and may never come back."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import TypeVar

from lens_preflight.core.errors import Broken

T = TypeVar("T")


def kind(error: BaseException) -> str:
    """The kind of an exception and, for a syntax error, its line; never a value that it carries."""
    if isinstance(error, SyntaxError):
        return f"SyntaxError in line {error.lineno}"
    if isinstance(error, ImportError) and isinstance(error.name, str):
        return f"{type(error).__name__}: no module {error.name}"
    return type(error).__name__


def within(seconds: float, call: Callable[[], T]) -> T:
    """What a call returns, on a thread of its own, so that neither its end nor its hanging is ours.

    Raises:
        Broken: it raised something, which is named by its kind, or is still running.
    """
    ended: queue.SimpleQueue[tuple[T | None, BaseException | None]] = queue.SimpleQueue()

    def work() -> None:
        try:
            ended.put((call(), None))
        except BaseException as error:  # an interrupt of the user never comes to this thread
            ended.put((None, error))

    threading.Thread(target=work, daemon=True).start()
    try:
        value, error = ended.get(timeout=max(0.0, min(seconds, threading.TIMEOUT_MAX)))
    except queue.Empty:
        raise Broken(f"still running after {seconds:.1f} s") from None
    if error is not None:
        raise Broken(kind(error))
    return value  # type: ignore[return-value]
