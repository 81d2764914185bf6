"""The small interface of all backends: five questions, each with one reading."""

from __future__ import annotations

import threading
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from typing import Any, ClassVar

from lens_preflight.backends.http import Client
from lens_preflight.backends.words import Answered, Marker, Reading, Scope, Step, Word
from lens_preflight.core.data import replace

RUN_ID = "nemo.run.id"

MARKER = "preflight.canary.marker"
"""The span attribute in which a canary is unlike every other."""

GAUGE = "preflight.canary"
"""The gauge of a canary; its value is the mark."""


class Backend(ABC):
    """One place where telemetry is searched for.

    A question never raises: what goes wrong is a word of the reading. The same question is sent only
    once; ``again`` forgets the answers. ``holds`` are the signals that it stores; ``bogus`` is a run
    id that nobody has ever used.
    """

    kind: ClassVar[str]
    title: ClassVar[str]
    holds: ClassVar[frozenset[str]]
    between: ClassVar[float] = 1.0
    """Seconds between two questions about the same thing, by the limits of the vendor."""

    def __init__(self, name: str, client: Client, scope: Scope) -> None:
        self.name = name
        self.client = client
        self.scope = scope
        self.bogus = f"preflight-bogus-{uuid.uuid4()}"
        self._memo: dict[tuple[Hashable, ...], Reading] = {}
        self._lock = threading.RLock()

    @abstractmethod
    def _reach(self) -> Reading: ...

    @abstractmethod
    def _presence(self) -> Reading: ...

    @abstractmethod
    def _positive(self, run_id: str, marker: Marker | None) -> Reading: ...

    @abstractmethod
    def _negative(self, run_id: str) -> Reading: ...

    @abstractmethod
    def _freshness(self, run_id: str) -> Reading: ...

    def reach(self) -> Reading:
        """P1: the cheapest read that needs our credentials."""
        return self.ask(Step.REACH, self._reach)

    def presence(self) -> Reading:
        """P2: the service, or any training data, is there in the window."""
        return self.ask(Step.PRESENCE, self._presence)

    def positive(self, run_id: str, marker: Marker | None = None) -> Reading:
        """P3: the filter finds the run, and every item that comes back carries its id.

        With a marker only the one canary counts that carries it.
        """
        return self.ask(Step.POSITIVE, self._positive, run_id, marker)

    def negative(self, run_id: str) -> Reading:
        """P4: the same filter finds nothing for an id that was never used."""
        return self.ask(Step.NEGATIVE, self._negative, run_id)

    def freshness(self, run_id: str) -> Reading:
        """P5: the newest data of the run is recent, and moves."""
        return self.ask(Step.FRESHNESS, self._freshness, run_id)

    def again(self) -> None:
        """Forget all answers, so that the next question is sent."""
        with self._lock:
            self._memo.clear()

    def ask(self, step: Step, question: Callable[..., Reading], *args: Hashable) -> Reading:
        """The reading of any question about this backend, never an exception; asked only once."""
        key = (step, question, *args)
        with self._lock:
            if key not in self._memo:
                self._memo[key] = self._named(self._answer(step, question, *args))
            return self._memo[key]

    def _answer(self, step: Step, question: Callable[..., Reading], *args: Any) -> Reading:
        try:
            reading = question(*args)
        except Answered as answered:
            reading = answered.reading(step)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError):
            text = "the answer has not the documented shape"
            return Reading(step, Word.MALFORMED, text, "report this with the version of the backend")
        return reading if reading.step is step else replace(reading, step=step)

    def _named(self, reading: Reading) -> Reading:
        """The reading with the name of this backend in what there is to type."""
        remedy = reading.remedy.replace("<NAME>", variable_part(self.name))
        return replace(reading, remedy=remedy.replace("--backend NAME", f"--backend {self.name}"))


def variable_part(name: str) -> str:
    """A backend's name as part of a variable: upper case, one underscore for each other sign."""
    return "".join(c if c.isalnum() else "_" for c in name).upper()


def nothing_for(run_id: str) -> Reading:
    """P4 as it should be."""
    return Reading(
        Step.NEGATIVE, Word.OK, "an id that was never used finds nothing", evidence={"bogus": run_id}
    )


def something_for(run_id: str, remedy: str) -> Reading:
    """P4 as it must not be: the filter lets everything through."""
    text = "an id that was never used finds data: the filter by the run id is ignored"
    return Reading(Step.NEGATIVE, Word.FILTER_IGNORED, text, remedy, evidence={"bogus": run_id})


def age(newest: float, now: float, within: float, *, moving: bool = False) -> Reading:
    """P5 from the time of the newest item; ``moving`` is said by backends that can tell."""
    seconds = now - newest
    evidence = {"age": f"{seconds:.1f} s", "bound": f"{within:g} s"}
    if seconds < -60.0:
        return Reading(
            Step.FRESHNESS,
            Word.INCONCLUSIVE,
            "the newest data lies in the future: the clocks of the job's hosts and of the backend differ",
            "synchronise the clocks (chronyc tracking), then run lens-preflight again",
            newest=newest,
            evidence=evidence,
        )
    if seconds > within:
        return Reading(
            Step.FRESHNESS,
            Word.STALE,
            "the newest data of the run is old: nothing arrives any more",
            "run lens-preflight again while the job runs, or give --send-canary",
            newest=newest,
            evidence=evidence,
        )
    text = "the newest data of the run is recent" + (", and moves" if moving else "")
    return Reading(Step.FRESHNESS, Word.OK, text, newest=newest, evidence=evidence)
