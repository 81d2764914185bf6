"""``lens-preflight probe``: is it me or the network? One line per signal and stage."""

from __future__ import annotations

import json
import queue
import socket
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from lens_preflight.cli.options import subject_options
from lens_preflight.core.data import dataclass, replace
from lens_preflight.core.finding import Location
from lens_preflight.core.variable import Origin, Variable
from lens_preflight.core.words import State

if TYPE_CHECKING:
    from lens_preflight.core.deadline import Deadline
    from lens_preflight.otel.exporter import Exporter
    from lens_preflight.probe.model import ProbeResult
    from lens_preflight.probe.prober import Prober
    from lens_preflight.redact import Redactor
    from lens_preflight.subject.inputs import Inputs
    from lens_preflight.subject.launch import Launch
    from lens_preflight.subject.subject import Subject

SIGNALS = ("traces", "metrics", "logs")
PROTOCOLS = ("grpc", "http/protobuf")
SCHEMA = "lens-preflight/probe/1"


@dataclass(frozen=True)
class Row:
    """One signal of one launch: its result, or why there is none (and the verdict that this is)."""

    launch: str
    signal: str
    result: ProbeResult | None
    verdict: str
    reason: str = ""


@click.command()
@click.argument("targets", nargs=-1, type=click.Path(), metavar="[TARGET]...")
@click.option("--signal", "signals", multiple=True, type=click.Choice(SIGNALS), help="Only this signal.")
@click.option("--protocol", type=click.Choice(PROTOCOLS), help="Use this protocol instead of the job's own.")
@click.option(
    "--wait", type=click.FloatRange(0, 86_400), default=0.0, metavar="S", help="Keep trying for S seconds."
)
@click.option(
    "--timeout", type=click.FloatRange(0.1, 86_400), default=30.0, metavar="S", help="One deadline [30]."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@click.option("-v", "--verbose", count=True, help="Every address; twice for all that was seen.")
@subject_options
@click.pass_context
def probe(
    ctx: click.Context,
    /,
    targets: tuple[str, ...],
    signals: tuple[str, ...],
    protocol: str | None,
    wait: float,
    timeout: float,
    as_json: bool,
    verbose: int,
    **options: Any,
) -> int:
    """Send one empty request per signal as the job's exporter would, and say where it gets stuck.

    Uses this process's environment, or that of the job script TARGET. Exit code: 0 all requests were
    taken, 1 one was not, 3 cannot tell, 4 nothing to send.
    """
    from lens_preflight.cli.gather import gather
    from lens_preflight.cli.unread import unread
    from lens_preflight.core.deadline import Deadline
    from lens_preflight.probe.prober import Prober
    from lens_preflight.subject.builder import build
    from lens_preflight.subject.secrets import redactor

    inputs = gather(targets, ctx.obj or (), options)
    if protocol is not None:
        inputs = _with_protocol(inputs, protocol)
    subject = build(inputs)
    deadline = Deadline.after(timeout + wait)
    prober = Prober(deadline, subject.files, wait=wait)
    try:
        rows = ask(subject, signals, prober, deadline)
    finally:
        prober.close()
    hide = redactor(subject)
    if as_json:
        document = {"schema": SCHEMA, "host": socket.gethostname(), "results": [_data(row) for row in rows]}
        click.echo(json.dumps(hide.data(document), indent=2))
    else:
        for line in _text(rows, verbose, hide):
            click.echo(line)
    troubles = list(unread(subject))
    for text in troubles:
        click.echo(f"lens-preflight: {hide.redact(text)}", err=True)
    return exit_code(rows, unread=bool(troubles))


def _with_protocol(inputs: Inputs, protocol: str) -> Inputs:
    """The protocol in the general variable, and in those of single signals that would win over it."""
    own = [f"OTEL_EXPORTER_OTLP_{s.upper()}_PROTOCOL" for s in SIGNALS]
    listed = {v.name for v in (*inputs.process, *inputs.given)}
    origin = Origin("--protocol", Location.option("--protocol"))
    changes = [
        Variable(name, State.VALUE, protocol, origin)
        for name in ("OTEL_EXPORTER_OTLP_PROTOCOL", *(n for n in own if n in listed))
    ]
    return replace(inputs, given=inputs.given.over(changes))


def exit_code(rows: Sequence[Row], *, unread: bool = False) -> int:
    """The exit code of some rows; ``unread`` says that there may be more of them."""
    words = {row.verdict for row in rows} - {"skip"} | ({"unknown"} if unread else set())
    if "fail" in words:
        return 1
    if "unknown" in words:
        return 3
    return 0 if words else 4


def ask(subject: Subject, signals: Sequence[str], prober: Prober, deadline: Deadline) -> list[Row]:
    """All rows, asked for at the same time; those that are not there at the deadline are unknown."""
    jobs = [
        (launch, signal) for launch in subject.launches for signal in signals or _signals(subject, launch)
    ]
    done: queue.SimpleQueue[tuple[int, Row]] = queue.SimpleQueue()
    for number, (launch, signal) in enumerate(jobs):

        def work(number: int = number, launch: Launch = launch, signal: str = signal) -> None:
            done.put((number, _row(subject, launch, signal, prober)))

        threading.Thread(target=work, daemon=True).start()
    rows: dict[int, Row] = {}
    while len(rows) < len(jobs):
        try:
            number, row = done.get(timeout=min(deadline.remaining() + 1.0, threading.TIMEOUT_MAX))
        except queue.Empty:
            break
        rows[number] = row
    late = "the deadline was reached; give --timeout more seconds"
    return [
        rows.get(number) or Row(launch.key, signal, None, "unknown", late)
        for number, (launch, signal) in enumerate(jobs)
    ]


def _signals(subject: Subject, launch: Launch) -> tuple[str, ...]:
    """The signals that the launch exports; all of them when telemetry is off or not known."""
    from lens_preflight.context import enabled_signals
    from lens_preflight.core.errors import LibraryFailure, Undecided
    from lens_preflight.lens.config import LensConfig

    try:
        lens = LensConfig(launch.env, launch.framework, subject.generations(launch)[-1])
        return enabled_signals(lens) or SIGNALS
    except (Undecided, LibraryFailure):
        return SIGNALS


def _row(subject: Subject, launch: Launch, signal: str, prober: Prober) -> Row:
    from lens_preflight.core.errors import LibraryFailure, Undecided
    from lens_preflight.libraries import install, package

    try:
        exporter = _exporter(subject, launch, signal)
        if exporter.transport == "console":
            return Row(launch.key, signal, None, "skip", "printed to standard output, nothing is sent")
        result = prober.result(exporter, launch.env)
    except LibraryFailure as failure:
        blame = failure.variable or "the settings"
        reason = f"the exporter is never built: {failure.exception} because of {blame}"
        return Row(launch.key, signal, None, "fail", reason)
    except Undecided as undecided:
        return Row(launch.key, signal, None, "unknown", undecided.reason)
    except ModuleNotFoundError as error:
        name = package(error) or str(error.name)
        return Row(launch.key, signal, None, "unknown", f"{name} is not installed here; type {install(name)}")
    except Exception as error:  # else the others would wait for this row until the deadline
        reason = f"the probe itself broke: {type(error).__name__}; please report it"
        return Row(launch.key, signal, None, "unknown", reason)
    return Row(launch.key, signal, result, result.verdict.value, result.message)


def _exporter(subject: Subject, launch: Launch, signal: str) -> Exporter:
    from lens_preflight.otel.view import OtelView

    generation = subject.generations(launch)[-1]
    return OtelView(launch.env, generation, subject.files, launch.framework.prefixes).exporter(signal)


def _text(rows: Sequence[Row], verbose: int, hide: Redactor) -> Iterator[str]:
    many = len({row.launch for row in rows}) > 1
    for row in rows:
        name = f"{row.signal} @ {row.launch}" if many else row.signal
        for line in _lines(row, verbose):
            yield hide.redact(f"{name:<8} {line}")
    yield f"asked from {socket.gethostname()}"


def _lines(row: Row, verbose: int) -> Iterator[str]:
    result = row.result
    if result is None:
        yield f"{'-':<10} {row.verdict.upper():<8} {row.reason}"
        return
    for record in result.stages:
        head = f"{record.stage.value:<10} {record.state.value:<8}"
        yield f"{head} {record.text} ({record.seconds * 1000:.0f} ms)"
        if verbose:
            for key, value in record.evidence.items():
                yield f"{'':<10} {'':<8} {key}: {value}"
    code = f"{result.code}: " if result.code and result.code != "ok" else ""
    yield f"{'verdict':<10} {row.verdict.upper():<8} {code}{result.message}"
    for note in result.notes:
        yield f"{'':<10} {'note':<8} {note}"
    if result.remedy:
        yield f"{'':<10} {'do':<8} {result.remedy}"
    if verbose > 1:
        for key, value in result.evidence.items():
            yield f"{'':<10} {'':<8} {key}: {value}"


def _data(row: Row) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "launch": row.launch,
        "signal": row.signal,
        "verdict": row.verdict,
        "message": row.reason,
    }
    result = row.result
    if result is None:
        return plain
    return plain | {
        "transport": result.exporter.transport,
        "stage": result.stage.value,
        "code": result.code,
        "remedy": result.remedy,
        "settings": dict(result.settings),
        "notes": list(result.notes),
        "stages": [
            {
                "stage": r.stage.value,
                "state": r.state.value,
                "text": r.text,
                "seconds": round(r.seconds, 4),
                "evidence": dict(r.evidence),
            }
            for r in result.stages
        ],
        "evidence": dict(result.evidence),
    }
