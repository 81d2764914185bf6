"""Calls that may never return: a look-up, a shared file system that hangs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def bounded(call: Callable[[], T], seconds: float, instead: T) -> T:
    """The result of a call, or ``instead`` when it does not come within ``seconds``.

    The call goes on in a daemon thread, since nothing can end it. What it raises is raised here.
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(call())
        except BaseException as error:  # for whoever waits
            errors.append(error)

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    worker.join(seconds)
    if errors:
        raise errors[0]
    return results[0] if results else instead
