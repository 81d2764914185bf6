"""Findings: what a reader should act on, where, and what to type."""

from __future__ import annotations

import enum
from collections.abc import Mapping

from lens_preflight.core.data import dataclass, field, replace
from lens_preflight.core.words import Owner, Severity


class Place(enum.Enum):
    """The kind of thing a location points into."""

    FILE = "file"
    VARIABLE = "variable"
    URL = "url"
    PANEL = "panel"
    OPTION = "option"
    HOST = "host"


@dataclass(frozen=True)
class Location:
    """Where to look.

    ``what`` is a path, a variable name without ``$``, a URL, a panel, an option or a host name;
    ``line``, ``column`` and ``end_line`` count from 1 and are given for files only. ``of_variable``
    and ``of_panel`` name the environment variable that is set there and the panel (its title, else its
    id) that stands there: they say more about the place, and are no part of it.
    """

    kind: Place
    what: str
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    of_variable: str = field(default="", compare=False)
    of_panel: str = field(default="", compare=False)

    @classmethod
    def file(
        cls, path: str, line: int | None = None, column: int | None = None, end_line: int | None = None
    ) -> Location:
        """A place in a file."""
        return cls(Place.FILE, path, line, column, end_line)

    @classmethod
    def variable(cls, name: str) -> Location:
        """An environment variable."""
        return cls(Place.VARIABLE, name)

    @classmethod
    def option(cls, name: str) -> Location:
        """An option of the command line or a key of the settings."""
        return cls(Place.OPTION, name)

    def setting(self, variable: str) -> Location:
        """The same place, where an environment variable is set or lost."""
        return replace(self, of_variable=variable)

    def __str__(self) -> str:
        if self.kind is Place.VARIABLE:
            return f"${self.what}"
        parts = [self.what, *(str(n) for n in (self.line, self.column) if n is not None)]
        return ":".join(parts)


@dataclass(frozen=True)
class Related:
    """A second place that explains a finding."""

    text: str
    at: Location


@dataclass(frozen=True)
class Rule:
    """A stable reason for findings; declared beside its check.

    ``id`` is ``check/rule``; ``summary`` one line; ``help`` the paragraph of the docs page: why it
    matters, what was measured, what to do.
    """

    id: str
    summary: str
    severity: Severity
    owner: Owner = Owner.JOB
    help: str = ""

    @property
    def check(self) -> str:
        """The id of the check that declares this rule."""
        return self.id.partition("/")[0]

    @property
    def name(self) -> str:
        """The part of the id behind the slash."""
        return self.id.partition("/")[2]


@dataclass(frozen=True)
class Finding:
    """One thing that a reader should act on.

    ``message`` is one line without a trailing stop and holds no host, pid, port or time
    (``evidence`` does), so that findings fold over nodes and runs. ``remedy`` ends in something to
    type. ``settings`` are the environment assignments of the remedy (``None``: unset it); all of a
    run end in one pasteable block.
    """

    rule: Rule
    message: str
    at: Location
    related: tuple[Related, ...] = ()
    evidence: Mapping[str, str] = field(default_factory=dict, hash=False)
    remedy: str = ""
    settings: tuple[tuple[str, str | None], ...] = ()

    @property
    def severity(self) -> Severity:
        """The weight, as the rule (after the settings' overrides) says."""
        return self.rule.severity

    @property
    def fingerprint(self) -> str:
        """A name for this finding that survives moved lines: 16 hex digits."""
        import hashlib
        import re

        what = self.at.what
        message = re.sub(re.escape(what) + r"(:\d+)+", lambda _: what, self.message) if what else self.message
        text = "\x1f".join((self.rule.id, self.at.kind.value, what, message))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True)
class Proof:
    """What a check saw that makes it pass; not a finding.

    ``text`` is one line without host, port or time; those go into ``evidence``. With a
    ``missing_input`` the check passes but its checklist item stays open: it says what to type to have
    the item itself judged.
    """

    text: str
    evidence: Mapping[str, str] = field(default_factory=dict, hash=False)
    missing_input: str = ""


@dataclass(frozen=True)
class Assumption:
    """Something taken for granted because nobody said otherwise."""

    what: str
    value: str
    why: str
