"""One word of a command after expansion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lens_preflight.core.data import dataclass
from lens_preflight.jobs.text import Text

if TYPE_CHECKING:
    pass


@dataclass(frozen=True)
class Field:
    """One word after expansion; ``line`` is where it begins in its script.

    ``placed``: the text stands there as written, so that lines inside it can be counted.
    ``lone``: the word was one unquoted expansion.
    ``script`` is the text with its continued lines, when it has any.
    """

    text: Text
    line: int
    placed: bool = False
    lone: bool = False
    script: Text | None = None

    @property
    def constant(self) -> str:
        """The text, with ``{NAME}`` for what is not known."""
        known = self.text.constant
        return self.text.template if known is None else known
