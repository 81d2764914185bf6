"""Where reports go: ``--report FORMAT[=PATH]``, standard output, files that appear whole or not at all."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from lens_preflight.core.data import dataclass, replace
from lens_preflight.core.errors import Broken, InputError
from lens_preflight.core.outcome import RunRecord
from lens_preflight.reports import REPORTS
from lens_preflight.reports.writer import PLAIN, ReportError, Style

FOREIGN_SECONDS = 10.0
"""What a report format from elsewhere may take to make its text."""

_CONSOLE = "console"
_STDOUT = ("", "-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
_ASCII = str.maketrans({"—": "-", "–": "-", "…": "...", "·": "-", "→": "->", "’": "'", "“": '"', "”": '"'})


@dataclass(frozen=True)
class Wanted:
    """One report that somebody asked for; ``path`` is None for standard output."""

    format: str
    path: str | None = None


def wanted(options: Iterable[str]) -> tuple[Wanted, ...]:
    """Read the values of ``--report``.

    Raises:
        InputError: an unknown format, an empty path, or two reports for one place.
    """
    found: dict[str, Wanted] = {}
    for option in options:
        one = _wanted(option)
        place = "standard output" if one.path is None else os.path.realpath(one.path)
        if place in found:
            raise InputError(f"--report {option}: {found[place].format} already goes to {one.path or place}")
        found[place] = one
    return tuple(found.values())


def _wanted(option: str) -> Wanted:
    name, equals, path = option.partition("=")
    if name not in REPORTS:
        from difflib import get_close_matches

        close = get_close_matches(name, list(REPORTS), n=1)
        hint = f"did you mean {close[0]}" if close else f"formats are {', '.join(REPORTS)}"
        raise InputError(f"--report {option}: no format is called {name!r}; {hint}")
    if (equals and not path) or "\0" in path:
        raise InputError(f"--report {option}: a path is missing; type {name}=FILE, or {name} alone")
    if path in _STDOUT:
        return Wanted(name)
    return Wanted(name, os.path.expanduser(path))


def console_on_stderr(reports: Iterable[Wanted]) -> bool:
    """Whether another report takes standard output; ask before looking which one is a terminal."""
    return any(one.path is None and one.format != _CONSOLE for one in reports)


def write_all(
    record: RunRecord,
    reports: Sequence[Wanted] = (),
    *,
    style: Style = PLAIN,
    stdout: TextIO | None = None,
    stderr: TextIO | None = None,
    seconds: float = FOREIGN_SECONDS,
) -> None:
    """Write every report of a redacted run, files first, the console last.

    The console goes to standard output, to standard error when another report takes that, nowhere
    when the verbosity is below 0. A reader that went away is no error. ``seconds`` is what a format from
    elsewhere may take.

    Raises:
        ReportError: one or several could not be written; the others are.
    """
    stdout, stderr = stdout or sys.stdout, stderr or sys.stderr
    plain = replace(style, color=False, verbosity=max(style.verbosity, 0))
    troubles: list[str] = []
    for one in reports:
        if one.path is not None:
            with _collected(one.format, one.path, troubles):
                write_file(Path(one.path), _render(one.format, record, plain, seconds))
    on_stdout = [one.format for one in reports if one.path is None]
    for name in on_stdout:
        with _collected(name, "standard output", troubles):
            shown = replace(style, verbosity=plain.verbosity) if name == _CONSOLE else plain
            write_stream(stdout, _render(name, record, shown, seconds))
    if style.verbosity >= 0 and _CONSOLE not in on_stdout:
        stream, place = (stderr, "standard error") if on_stdout else (stdout, "standard output")
        with _collected(_CONSOLE, place, troubles):
            write_stream(stream, _render(_CONSOLE, record, style, seconds))
    if troubles:
        raise ReportError("; ".join(troubles))


@contextmanager
def _collected(format: str, place: str, troubles: list[str]) -> Iterator[None]:
    try:
        yield
    except Broken as trouble:
        troubles.append(
            f"the {format} report was not made: its code broke ({trouble.reason}); correct or drop it"
        )
    except OSError as trouble:
        why = trouble.strerror or str(trouble)
        troubles.append(f"the {format} report cannot be written to {place}: {why}; give another path")
    except ValueError as trouble:
        troubles.append(f"the {format} report cannot be written to {place!r}: {trouble}; give another path")


def _render(format: str, record: RunRecord, style: Style, seconds: float) -> str:
    def write() -> str:
        text = io.StringIO()
        REPORTS[format].write(record, text, style)
        return text.getvalue()

    if REPORTS.is_ours(format):
        return write()
    from lens_preflight.core.guarded import within

    return within(seconds, write)


def write_stream(stream: TextIO | None, text: str) -> None:
    """Write all of a text to a stream, in the characters that it has.

    A closed pipe is silence, not an error: the stream is then pointed at the null device, so that
    the interpreter's last flush does not fail either. Raises OSError for anything else.
    """
    if stream is None or stream.closed:
        return
    try:
        stream.write(fitted(text, stream.encoding or "utf-8"))
        stream.flush()
    except BrokenPipeError:
        _silence(stream)
    except OSError:
        _silence(stream)
        raise


def fitted(text: str, encoding: str) -> str:
    """The text with what an encoding lacks replaced: dashes and arrows by ASCII, the rest by escapes."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_ASCII).encode(encoding, "backslashreplace").decode(encoding)
    return text


def _silence(stream: TextIO) -> None:
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def write_file(path: Path, text: str) -> None:
    """Write a file by way of a temporary one beside it, so that no reader sees a half.

    Devices and pipes are written directly; a symbolic link keeps pointing where it does. Raises
    OSError; then neither the file nor anything else has changed.
    """
    data = text.encode("utf-8", "backslashreplace")
    mode = _mode(path)
    if mode is not None and (not stat.S_ISREG(mode) or path.is_relative_to("/dev") or "/fd/" in str(path)):
        _overwrite(path, data)
        return
    target = Path(os.path.realpath(path))
    draft = target.with_name(f".lens-preflight-{os.getpid()}-{os.urandom(4).hex()}.tmp")
    try:
        with draft.open("xb") as file:
            if mode is not None:
                os.fchmod(file.fileno(), stat.S_IMODE(mode))
            file.write(data)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def _mode(path: Path) -> int | None:
    """The mode of an existing file; None when there is none."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _overwrite(path: Path, data: bytes) -> None:
    with path.open("wb") as file, suppress(BrokenPipeError):
        file.write(data)
        file.flush()
