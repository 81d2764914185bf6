"""What one answer of a backend means: the step it answers, one word, and a line for people."""

from __future__ import annotations

import enum
from collections.abc import Mapping

from lens_preflight.core.data import dataclass, field
from lens_preflight.core.words import Status


class Step(enum.Enum):
    """The questions that are asked of every backend, in this order."""

    REACH = "P1"
    """Does it answer, and take our credentials?"""
    PRESENCE = "P2"
    """Does it hold anything of the service at all?"""
    POSITIVE = "P3"
    """Does the filter by the run id find the run, and nothing else?"""
    NEGATIVE = "P4"
    """Does the same filter find nothing for an id that nobody ever used?"""
    FRESHNESS = "P5"
    """Is the newest data recent, and does it move?"""


class Word(enum.Enum):
    """The closed vocabulary of answers; the second part of each value is what it makes of a step."""

    OK = ("ok", Status.PASS)
    KEYWORD_ONLY = ("filterable by its exact sub-field only", Status.WARN)
    FAILED_BEFORE = ("well now, failed before", Status.WARN)
    PARTIAL = ("alive, credentials not proven", Status.UNKNOWN)
    UNREACHABLE = ("unreachable", Status.FAIL)
    NOT_THE_BACKEND = ("something else answers", Status.FAIL)
    AUTH = ("credentials missing or refused", Status.FAIL)
    PERMISSION = ("permission missing", Status.FAIL)
    NOT_FOUND = ("nothing found under the id", Status.FAIL)
    NOT_FILTERABLE = ("not filterable by the id", Status.FAIL)
    WRONG_ID = ("items of another run came back", Status.FAIL)
    FILTER_IGNORED = ("the filter is ignored", Status.FAIL)
    STALE = ("stale", Status.FAIL)
    ABSENT = ("no such thing", Status.FAIL)
    UNHEALTHY = ("not healthy", Status.FAIL)
    NO_DATA = ("no data to judge by", Status.UNKNOWN)
    INVISIBLE = ("absent, or hidden from this token", Status.UNKNOWN)
    RATE_LIMIT = ("rate limit", Status.UNKNOWN)
    POLL = ("not finished yet", Status.UNKNOWN)
    MALFORMED = ("answer cut short or unreadable", Status.UNKNOWN)
    INCONCLUSIVE = ("inconclusive", Status.UNKNOWN)
    INTERNAL = ("our request was refused as malformed", Status.UNKNOWN)
    QUERY_ERROR = ("query refused", Status.ERROR)

    def __init__(self, text: str, status: Status) -> None:
        self.text = text
        self.status = status

    @property
    def code(self) -> str:
        """The word with hyphens, as reports and documentation write it."""
        return self.name.replace("_", "-")


@dataclass(frozen=True)
class Reading:
    """One answer, understood.

    ``text`` is one line without host, port, time or secret; ``remedy`` ends in something to type.
    ``newest`` is the time of the newest item seen, in Unix seconds. ``evidence`` may hold hosts and
    times. ``final``: asking again later would not change it.
    """

    step: Step
    word: Word
    text: str
    remedy: str = ""
    newest: float | None = None
    evidence: Mapping[str, str] = field(default_factory=dict, hash=False)
    final: bool = False

    @property
    def status(self) -> Status:
        """What the answer makes of its step."""
        return self.word.status

    @property
    def ok(self) -> bool:
        """True when the step holds, cautions included."""
        return self.status in (Status.PASS, Status.WARN)


class Answered(Exception):
    """An answer that ends a step before its content is looked at: it carries the word for it."""

    def __init__(
        self, word: Word, text: str, remedy: str = "", *, status: int | None = None, final: bool = False
    ) -> None:
        super().__init__(text)
        self.final = final
        self.word = word
        self.text = text
        self.remedy = remedy
        self.status = status

    def reading(self, step: Step) -> Reading:
        """The same as the reading of a step."""
        evidence = {} if self.status is None else {"http status": str(self.status)}
        return Reading(step, self.word, self.text, self.remedy, evidence=evidence, final=self.final)


@dataclass(frozen=True)
class Marker:
    """What makes one canary unlike every other: a span attribute and the value of a gauge."""

    text: str
    value: float


@dataclass(frozen=True)
class Scope:
    """What to look for besides a run id.

    ``services`` are values of service.name (empty: any); ``metrics`` names of training metrics in
    OpenTelemetry spelling; in seconds: ``lookback`` is how far back to search, ``fresh`` how old the
    newest sample of a metric may be, ``moving`` the time in which a live run must have written
    something new (a step of a large model takes minutes).
    """

    services: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    lookback: float = 3600.0
    fresh: float = 300.0
    moving: float = 600.0
