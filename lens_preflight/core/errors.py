"""Exceptions that carry a verdict or a message for the user."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lens_preflight.core.finding import Location


class Skip(Exception):
    """The check does not apply here; the text says why.

    ``missing_input`` is what to type to have it judged, empty when nothing would help.
    """

    def __init__(self, reason: str, *, missing_input: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.missing_input = missing_input


class Undecided(Exception):
    """The check looked and cannot tell; the text says what is missing, ``at`` says where."""

    def __init__(self, reason: str, at: Location | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at


class Broken(Exception):
    """The check cannot be run at all; the text says why and what to do, and becomes its error."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class InputError(Exception):
    """Bad input from the user: one line saying what, where and what to do; exit code 2."""


class Harm(enum.Enum):
    """What a library does to the process that gives it a setting it cannot use."""

    RAISES = "raises"
    """An exception leaves ``setup_telemetry`` and the job dies."""
    ABORTS = "aborts"
    """The interpreter is killed by a signal."""
    HANGS = "hangs"
    """The call does not return."""


class LibraryFailure(Exception):
    """What the real library would do with this setting instead of giving a value.

    ``exception`` is the name of the Python exception or of the signal; ``variable`` the
    environment variable to blame (empty when none); ``when`` the call in which it happens,
    such as ``from_env`` or ``setup_telemetry``. ``plugin``: a package that is installed where the job
    runs may provide what the variable names, and nothing happens.
    """

    def __init__(
        self,
        harm: Harm,
        exception: str,
        *,
        variable: str = "",
        message: str = "",
        when: str = "",
        plugin: bool = False,
    ) -> None:
        super().__init__(message or f"{exception} because of {variable}")
        self.harm = harm
        self.exception = exception
        self.variable = variable
        self.message = message
        self.when = when
        self.plugin = plugin
