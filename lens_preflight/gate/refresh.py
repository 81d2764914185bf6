"""One refresh: run the preflight of this node and leave the verdict where hooks, people and metrics look."""

from __future__ import annotations

import contextlib
import hashlib
import io
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from lens_preflight.core.data import dataclass
from lens_preflight.core.deadline import Deadline
from lens_preflight.core.outcome import RunRecord
from lens_preflight.core.words import Status
from lens_preflight.gate import cache, syslog, textfile
from lens_preflight.gate import state as states
from lens_preflight.gate.cache import Word
from lens_preflight.gate.classes import Class, Fault, faults, inconclusive
from lens_preflight.gate.control import Controls, probe
from lens_preflight.gate.fleet import open_fleet
from lens_preflight.gate.lock import only_one
from lens_preflight.gate.options import GateSettings, Policy
from lens_preflight.gate.state import State

REPORT = "report.json"


@dataclass(frozen=True)
class Judgement:
    """What the record of a run means for this node."""

    word: Word
    text: str
    faults: tuple[Fault, ...] = ()

    @property
    def fault(self) -> Fault | None:
        """The fault to act on."""
        return self.faults[0] if self.faults else None


def phase(node: str, ttl: float) -> float:
    """The seconds that this node waits before each refresh: its own, spread evenly over ``ttl``."""
    digest = hashlib.sha256(node.encode("utf-8", "surrogateescape")).digest()
    return int.from_bytes(digest[:8], "big") / 2**64 * ttl


def judge(record: RunRecord, controls: Callable[[], Controls]) -> Judgement:
    """The word and text of a run; ``controls`` is asked only when something failed."""
    stopped = record.incomplete and "deadline" not in record.incomplete
    if stopped:  # whoever ended this process may have ended the client that asked the endpoint, too
        return Judgement(Word.UNKNOWN, record.incomplete)
    if any(_failed(record)):
        found = faults(record, controls())
        words = {Class.HOST: Word.FAIL_HOST, Class.SHARED: Word.FAIL_SHARED, Class.JOB: Word.FAIL_JOB}
        if found:
            return Judgement(words[found[0].cause], f"{found[0].rule} {found[0].message}", found)
    open_question = inconclusive(record)
    if open_question:
        return Judgement(Word.UNKNOWN, open_question)
    if any(outcome.status is Status.WARN for outcome in record.results):
        return Judgement(Word.WARN, record.headline)
    return Judgement(Word.PASS, record.headline)


def _failed(record: RunRecord) -> Iterator[bool]:
    return (outcome.status is Status.FAIL for outcome in record.results)


def refresh(settings: GateSettings, node: str, run: Callable[[Deadline], RunRecord]) -> Judgement | None:
    """Run the preflight and publish its verdict; None when another refresh of this node is under way.

    ``run`` is given the deadline and returns a redacted record. What cannot be written does not keep
    the rest from being written.

    Raises:
        OSError, Untrusted: the verdict itself could not be left for the hooks.
    """
    folder = settings.folder(node)
    cache.prepare(folder)
    with only_one(folder, "refresh") as got:
        if not got:
            return None
        started = time.monotonic()
        deadline = Deadline.after(settings.timeout)
        record = run(deadline)
        judgement = judge(record, lambda: _controls(settings, deadline))
        state = _state(settings, node, judgement, states.load(folder))
        judgement, state = _with_fleet(settings, node, judgement, state)
        with _undisturbed():
            _publish(settings, folder, record, judgement, state, time.monotonic() - started)
        return judgement


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Ignore signals until all of the verdict is written: that takes milliseconds.

    Blocking them would not do: any other thread takes them, and Python raises in the main one.
    """
    mine = threading.current_thread() is threading.main_thread()
    numbers = (signal.SIGTERM, signal.SIGINT) if mine else ()
    before = {number: signal.signal(number, signal.SIG_IGN) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _controls(settings: GateSettings, deadline: Deadline) -> Controls:
    """The controls get seconds of their own when the run has used up its time."""
    own = deadline if deadline.remaining() > 2 else Deadline.after(4)
    return probe(settings.control_address, settings.control_name, own)


def _state(settings: GateSettings, node: str, judgement: Judgement, before: State | None) -> State:
    known: Mapping[str, float] = before.failing if before is not None and before.node == node else {}
    now = time.time()
    fault = judgement.fault
    return State(
        node=node,
        boot_id=cache.boot_id(),
        word=judgement.word.value,
        expiry=int(cache.uptime() + settings.lifetime),
        rule=fault.rule if fault else "",
        message=fault.message if fault else "",
        cause=fault.cause.value if fault else "",
        failing={f.rule: min(known.get(f.rule, now), now) for f in judgement.faults},
    )


def _with_fleet(
    settings: GateSettings, node: str, judgement: Judgement, state: State
) -> tuple[Judgement, State]:
    """Tell the fleet, and ask it about a fault of this host; it alone can turn that into a quarantine."""
    fleet = open_fleet(settings.fleet, min(settings.timeout, 5.0))
    if judgement.word is not Word.UNKNOWN:
        with contextlib.suppress(OSError):
            fleet.publish(node, state.failing)
    fault = judgement.fault
    wanted = settings.policy is Policy.QUARANTINE and fault is not None and fault.cause is Class.HOST
    if not (wanted and fault is not None and fault.proven):
        return judgement, state
    answer = fleet.answer(node, fault.rule, state.failing[fault.rule])
    text = f"{judgement.text} ({answer.why})"
    word = Word.QUARANTINE if answer.own else judgement.word
    changed = State(**{**state.__dict__, "word": word.value})
    return Judgement(word, text, judgement.faults), changed


def _publish(
    settings: GateSettings,
    folder: Path,
    record: RunRecord,
    judgement: Judgement,
    state: State,
    seconds: float,
) -> None:
    """The log first, since it needs no space; the verdict next; metrics and report last."""
    fault = judgement.fault
    levels = {Word.PASS: "info", Word.WARN: "notice", Word.QUARANTINE: "err"}
    syslog.send(
        settings.syslog,
        syslog.message(
            levels.get(judgement.word, "warning"),
            judgement.text,
            event="refresh",
            node=state.node,
            verdict=judgement.word.value,
            cause=fault.cause.value if fault else "none",
            rule=fault.rule if fault else "none",
            seconds=f"{seconds:.2f}",
            tool_ok=int(_whole(record)),
        ),
    )
    troubles: list[OSError] = []
    line = cache.Line(state.boot_id, state.expiry, judgement.word.value, cache.plain(judgement.text))
    cause = fault.cause if fault else None
    metrics = textfile.text(judgement.word, cause, seconds, time.time(), tool_ok=_whole(record))
    writers: tuple[Callable[[], None], ...] = (
        lambda: cache.write(folder / cache.NAME, str(line)),
        lambda: textfile.write(settings.textfile_dir.replace("%n", state.node), metrics),
        lambda: states.save(folder, state),
        lambda: cache.write(folder / REPORT, _json(record)),
    )
    for write in writers:
        try:
            write()
        except OSError as trouble:
            troubles.append(trouble)
    if troubles:
        raise troubles[0]


def _whole(record: RunRecord) -> bool:
    """Whether every check came to an end; one that only ran out of time is not broken."""
    return bool(record.incomplete) or all(o.status is not Status.ERROR for o in record.results)


def _json(record: RunRecord) -> str:
    from lens_preflight.reports import jsonreport

    text = io.StringIO()
    jsonreport.write(record, text)
    return text.getvalue()
