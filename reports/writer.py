"""What a report format is: a name, and a function that writes a finished run."""

from __future__ import annotations

from typing import Final, Protocol, TextIO

from lens_preflight.core.data import dataclass
from lens_preflight.core.outcome import RunRecord


class ReportError(Exception):
    """A report could not be written; one line saying which, where and why; exit code 3."""


@dataclass(frozen=True)
class Style:
    """How a report for people looks; formats for machines ignore it.

    ``width`` is in columns; ``verbosity`` is -1 for ``-q``, 0, 1 for ``-v``, 2 for ``-vv``.
    """

    width: int = 80
    color: bool = False
    verbosity: int = 0


PLAIN: Final = Style()
"""80 columns, no colour, the default amount of detail."""


class Writer(Protocol):
    """One format; a module with these two names is one."""

    @property
    def name(self) -> str:
        """The word that ``--report`` takes."""
        ...

    def write(self, record: RunRecord, to: TextIO, style: Style = PLAIN) -> None:
        """Write the whole report of a redacted run; raises only what ``to`` raises."""
        ...


def wants_color(choice: str, *, terminal: bool, no_color: str | None, term: str | None = None) -> bool:
    """Decide about colour: ``--color`` beats ``NO_COLOR``, which beats looking at the terminal.

    ``no_color`` and ``term`` are the values of NO_COLOR (any non-empty text counts) and TERM.
    """
    if choice != "auto":
        return choice == "always"
    return terminal and not no_color and term != "dumb"
