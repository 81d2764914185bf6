"""What a library does with a setting other than what its writer meant, without dying of it."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from typing import TypeAlias

from lens_preflight.core.data import dataclass


class Volume(enum.Enum):
    """How loudly a library says so."""

    WARNS = "warns"
    """One record in the log of the process."""
    SILENT = "silent"
    """Nothing at all."""


@dataclass(frozen=True)
class Remark:
    """A setting that is replaced, cut or not read.

    ``code`` names the kind, for tables; ``variable`` is the one to blame; ``effect`` says in one
    line what the library does instead. No value of a header or of a URL is in it.
    """

    code: str
    variable: str
    volume: Volume
    effect: str


Part: TypeAlias = Callable[[], Iterable[Remark]]
"""One look at the settings of an exporter; may raise Undecided or LibraryFailure."""
