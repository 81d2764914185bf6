"""One probe: the real client and the stages side by side, then the cause."""

from __future__ import annotations

import contextlib
import errno
import math
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lens_preflight.core.data import dataclass
from lens_preflight.core.deadline import Deadline
from lens_preflight.probe.advice import advice, blamed
from lens_preflight.probe.causes import CAUSES
from lens_preflight.probe.client import Answer, Pending, request
from lens_preflight.probe.configure import configure
from lens_preflight.probe.diagnose import accepted, diagnose
from lens_preflight.probe.model import ProbeResult, Stage, State, Verdict
from lens_preflight.probe.peer import Speech
from lens_preflight.probe.remedies import Advice
from lens_preflight.probe.replies import Judged
from lens_preflight.probe.second_look import SecondLook
from lens_preflight.probe.stages import Stages
from lens_preflight.probe.trail import Trail
from lens_preflight.probe.trust import trust

if TYPE_CHECKING:
    from lens_preflight.core.variable import Environment
    from lens_preflight.otel.exporter import Exporter
    from lens_preflight.otel.files import Files

GRACE = 0.3
"""Seconds that the real client gets to report its own time-out."""

ENOUGH = 2.0
"""Seconds of silence that say something even when the exporter would wait longer."""

SLOW = ("hung", "slow-server", "syn-dropped", "dripping", "dns-failed", "proxy-down")
"""Causes that rest on waiting."""

Send = Callable[[dict[str, Any], bool], Pending]
"""Hands a request to the real client; True: with the system's resolver instead of c-ares."""


@dataclass(frozen=True)
class Probe:
    """One exporter and all that is needed to try it. ``roots`` replaces the roots of grpcio."""

    exporter: Exporter
    files: Files
    deadline: Deadline
    send: Send
    roots: str | None = None
    env: Environment | None = None

    def run(self) -> ProbeResult:
        """Try it once."""
        trail = self._trail()
        able = configure(trail, self.files, self.env)
        pending = None
        answer = Answer()
        if (
            able
            or trail.blame is None
            or trail.blame.code not in ("client-pair-incomplete", "setting-invalid")
        ):
            pending = self.send(request(self.exporter, trail.seconds), False)
            # loading its libraries counts for nobody, however busy this host is
            pending.started.wait(min(self.deadline.remaining(), threading.TIMEOUT_MAX))
            self._begin(trail)
        if able and pending is not None:
            answer = self._walk(trail, pending)
        elif pending is not None:
            answer = pending.wait(trail.budget.remaining() + GRACE) or pending.give_up()
        return Conclusion(trail, answer).result()

    def _trail(self) -> Trail:
        trail = Trail(self.exporter, self.deadline, 0.0)
        self._begin(trail)
        return trail

    def _begin(self, trail: Trail) -> None:
        """Start the clock: the exporter's time-out, cut to what is left of the run."""
        wanted = self.exporter.timeout
        wanted = wanted if math.isfinite(wanted) and wanted > 0 else 10.0
        trail.seconds = self.deadline.remaining(wanted)
        trail.budget = self.deadline.within(trail.seconds)
        trail.cut = trail.seconds < min(wanted, ENOUGH)

    @staticmethod
    def _more_addresses(trail: Trail) -> float:
        """Seconds that requests takes beyond its time-out: it gives all of it to each silent address."""
        silent = sum(a.error == errno.ETIMEDOUT for a in trail.attempts)
        return silent * trail.seconds if trail.exporter.transport == "http" and trail.reached else 0.0

    def _walk(self, trail: Trail, pending: Pending) -> Answer:
        judge = trust(self.exporter, self.roots)
        stages = Stages(trail, judge, pending.settled, pending.pleased)
        with contextlib.closing(stages):
            stages.walk()
            left = trail.budget.remaining() + GRACE + self._more_addresses(trail)
            answer = pending.wait(min(left, self.deadline.remaining())) or pending.give_up()
            if not accepted(trail, answer):
                SecondLook(stages, answer, self.deadline, self.send).look()
        return answer


@dataclass(frozen=True)
class Conclusion:
    """What trail and answer come to."""

    trail: Trail
    answer: Answer

    def result(self) -> ProbeResult:
        """The result; where stages and client disagree nothing is claimed."""
        trail, answer = self.trail, self.answer
        if accepted(trail, answer):
            self._forgive()
        judged = None if answer.died else diagnose(trail, answer)
        if answer.died:
            return self._unknown("the client process ended before it had an answer")
        if trail.cut and (judged is None or judged.code in SLOW):
            return self._unknown("there was no time left to wait for an answer; give --timeout more seconds")
        if judged is None:
            text = "the real client fails, and no stage shows why"
            self._finish(Stage.REQUEST, text)
            return self._make(
                Verdict.FAIL,
                None,
                Judged("client-failed", text, stage=Stage.REQUEST),
                advice("client-failed", trail),
            )
        if judged.code in ("ok", "partly-reachable") and trail.failed is not None:
            return self._unknown(
                f"the real client succeeds, though the stage {trail.failed.stage.value} failed"
            )
        cause = CAUSES[judged.code]
        self._finish(judged.stage or cause.stage, judged.text)
        return self._make(cause.verdict, judged.code, judged, advice(judged.code, trail))

    def _forgive(self) -> None:
        """Take back failures that only say that a stage got no answer before the client got one."""
        trail = self.trail
        if self.answer.status is not None or trail.speech is Speech.NOTHING:
            trail.records = [r for r in trail.records if r.stage is not Stage.PROTOCOL]
        if trail.tls is not None and trail.tls.ended == "silence":
            trail.records = [r for r in trail.records if r.stage is not Stage.TLS]

    def _unknown(self, text: str) -> ProbeResult:
        return self._make(Verdict.UNKNOWN, None, Judged("", text), advice("stages-disagree", self.trail))

    def _finish(self, failed: Stage, text: str) -> None:
        """Complete the records with the stages that only the client's own answer shows."""
        trail, answer = self.trail, self.answer
        seen = {record.stage for record in trail.records}
        if accepted(trail, answer) and trail.exporter.tls and Stage.TLS not in seen:
            trail.record(Stage.TLS, State.OK, "the client's own handshake shows it")
        if (answer.status is not None or accepted(trail, answer)) and Stage.PROTOCOL not in seen:
            version = "HTTP/1" if answer.status is not None else "HTTP/2"
            trail.record(Stage.PROTOCOL, State.OK, f"the peer speaks {version}")
        if trail.failed is not None or failed in seen:
            return
        order = (Stage.PROTOCOL, Stage.REQUEST, Stage.REPLY)
        for stage in order:
            if stage is failed:
                trail.record(stage, State.FAILED, text, answer.seconds)
                return
            if (
                stage not in seen
                and (failed in order or failed is Stage.NONE)
                and stage is not Stage.PROTOCOL
            ):
                words = "empty request sent" if stage is Stage.REQUEST else text
                trail.record(stage, State.OK, words, answer.seconds)
        if failed is not Stage.NONE:
            trail.record(failed, State.FAILED, text)

    def _make(self, verdict: Verdict, code: str | None, judged: Judged, remedy: Advice) -> ProbeResult:
        trail, answer = self.trail, self.answer
        evidence = {}
        if trail.destination is not None:
            evidence["endpoint"] = f"{trail.destination.host}:{trail.destination.port}"
        if trail.attempts:
            evidence["address"] = " ".join(f"{a.address}={a.text}" for a in trail.attempts[:8])
        if answer.status is not None or answer.code:
            evidence["answer"] = str(answer.status or answer.code)
        evidence["seconds"] = f"{answer.seconds:.2f}"
        return ProbeResult(
            exporter=trail.exporter,
            verdict=verdict,
            cause=CAUSES[code] if code else None,
            stage=judged.stage or (CAUSES[code].stage if code else Stage.NONE),
            message=judged.text,
            remedy=remedy.text,
            settings=remedy.settings,
            stages=tuple(sorted(trail.records, key=lambda r: list(Stage).index(r.stage))),
            notes=judged.notes,
            evidence=evidence,
            blame=blamed(code or "", trail),
        )
