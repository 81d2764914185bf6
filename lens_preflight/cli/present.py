"""A finished run on its way out: without secrets, in every format asked for, with its exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from lens_preflight.cli.exits import CANNOT_TELL
from lens_preflight.core.numbers import whole
from lens_preflight.core.outcome import RunRecord
from lens_preflight.core.words import Severity
from lens_preflight.guests import stdout
from lens_preflight.reports.writer import ReportError, Style, wants_color

if TYPE_CHECKING:
    from lens_preflight.reports.output import Wanted
    from lens_preflight.subject.subject import Subject

NARROW, WIDE = 60, 160


def style(color: str, verbosity: int, reports: Sequence[Wanted] = ()) -> Style:
    """How the console report looks on the terminal it goes to; 80 columns where there is none.

    The terminal is that of standard error when one of the reports takes standard output.
    """
    from lens_preflight.reports.output import console_on_stderr

    stream = sys.stderr if console_on_stderr(reports) else stdout()
    terminal = stream is not None and not stream.closed and stream.isatty()
    columns = _columns(stream) if terminal and stream is not None else 80
    columns = whole(os.environ.get("COLUMNS")) or columns
    coloured = wants_color(
        color,
        terminal=terminal,
        no_color=os.environ.get("NO_COLOR"),
        term=os.environ.get("TERM"),
    )
    return Style(min(max(columns, NARROW), WIDE), coloured, verbosity)


def _columns(stream: TextIO) -> int:
    """The width of a terminal; 80 when it does not tell."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def present(record: RunRecord, subject: Subject, reports: Sequence[Wanted], look: Style) -> int:
    """Write the reports of a run; its exit code, or 3 when one of them could not be written."""
    from lens_preflight.reports.output import write_all
    from lens_preflight.subject.secrets import redactor

    clean = redactor(subject).record(record)
    code = exit_code(record, reports)
    try:
        write_all(clean, reports, style=look, stdout=stdout())
    except ReportError as trouble:
        print(f"lens-preflight: {trouble}", file=sys.stderr)
        return code or CANNOT_TELL
    return code


def exit_code(record: RunRecord, reports: Sequence[Wanted]) -> int:
    """The exit code of a run; that of a monitoring plug-in when the nagios report is the output."""
    if any(one.path is None and one.format == "nagios" for one in reports):
        from lens_preflight.reports.nagios import state

        return state(record)
    return record.exit_code


def write_baseline(name: str, record: RunRecord) -> int:
    """Write the findings of a run as accepted, when the file does not exist yet; 3 when that fails.

    The run that writes it keeps its verdict, so that a mistyped path never turns a run green.
    """
    from pathlib import Path

    from lens_preflight.baseline import baseline_text
    from lens_preflight.core.anchor import Anchor
    from lens_preflight.reports.output import write_file

    if os.path.exists(name):
        return 0
    findings = [j.finding for outcome in record.results for j in outcome.findings]
    weighing = [f for f in findings if f.severity is not Severity.NOTE]
    try:
        write_file(Path(name), baseline_text(weighing, Anchor.of(record.run["settings"])))
    except OSError as error:
        print(
            f"lens-preflight: {name}: cannot be written ({error.strerror}); check --baseline", file=sys.stderr
        )
        return CANNOT_TELL
    print(
        f"lens-preflight: {len(weighing)} findings accepted in {name}, from the next run on", file=sys.stderr
    )
    return 0


def announce() -> None:
    """Say on standard error what is in this folder, when no target was named."""
    from pathlib import Path

    from lens_preflight.surroundings import as_word, look

    seen = look(Path())
    roles = {
        "job": seen.jobs,
        "script": seen.programs,
        "dashboard": seen.dashboards,
        "collector": seen.collectors,
        "rules": seen.rules,
    }
    found = [f"{as_word(name)} ({role})" for role, names in roles.items() for name in names[:3]]
    print("No target was named, so no script is judged.", file=sys.stderr)
    if found:
        print(f"Seen here: {', '.join(found)}", file=sys.stderr)
    print(f"To judge a job:  {seen.command or 'lens-preflight check train.sbatch'}\n", file=sys.stderr)
