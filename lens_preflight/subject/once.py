"""A memo that many threads share: each thing is made once, and its failure is remembered too."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")


class Once:
    """Makes each keyed value at the first question, under a lock of its own."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: dict[Hashable, threading.Lock] = {}
        self._made: dict[Hashable, tuple[bool, Any]] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of ``key``; an exception that ``make`` raised is raised again."""
        with self._guard:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key not in self._made:
                try:
                    self._made[key] = (True, make())
                except Exception as error:
                    self._made[key] = (False, error)
        good, value = self._made[key]
        if good:
            result: T = value
            return result
        raise value

    def made(self, kind: str) -> list[Any]:
        """The values so far whose key is a tuple that begins with ``kind``."""
        with self._guard:
            found = list(self._made.items())
        return [value for key, (good, value) in found if good and isinstance(key, tuple) and key[0] == kind]
