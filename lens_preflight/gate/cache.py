"""The one line that hooks read: ``boot_id expiry verdict text``, on a file system in memory.

``expiry`` is in whole seconds since the host started, so that no change of the clock makes a line
older or younger; the boot id makes a line of an earlier start worthless.
"""

from __future__ import annotations

import contextlib
import enum
import os
import stat
import time
from pathlib import Path

from lens_preflight.core.data import dataclass
from lens_preflight.core.numbers import whole

NAME = "verdict"
MAX_TEXT = 160
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class Word(enum.Enum):
    """What a hook may read; only the first and the last but one make it do nothing or something."""

    PASS = "pass"
    WARN = "warn"
    FAIL_JOB = "fail-job"
    FAIL_SHARED = "fail-shared"
    FAIL_HOST = "fail-host"
    QUARANTINE = "quarantine"
    """A proven fault of this host alone: the hook starts the quarantine, apart from the job."""
    UNKNOWN = "unknown"


class Untrusted(Exception):
    """A folder or file that somebody else could have written; the text says why and what to do."""


@dataclass(frozen=True)
class Line:
    """A verdict with its time of validity."""

    boot_id: str
    expiry: int
    word: str
    text: str

    def __str__(self) -> str:
        return f"{self.boot_id} {self.expiry} {self.word} {self.text}\n"


def boot_id() -> str:
    """The id of this start of the host."""
    return _BOOT_ID.read_text("ascii").strip()


def uptime() -> float:
    """Seconds since the host started, time asleep included: the first number of /proc/uptime."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def line(word: Word, text: str, lifetime: float) -> Line:
    """A line that holds from now on for ``lifetime`` seconds."""
    return Line(boot_id(), int(uptime() + lifetime), word.value, plain(text))


def plain(text: str) -> str:
    """A text as one short line of printable ASCII, safe for sh, syslog and a Reason of Slurm."""
    words = " ".join(text.split())
    safe = "".join(c if 32 <= ord(c) < 127 and c not in "`$\\\"'|" else "?" for c in words)
    return safe[:MAX_TEXT].rstrip()


def parse(text: str) -> Line | None:
    """A line as read from a file; None when it is not one."""
    parts = text.rstrip("\n").split(" ", 3)
    expiry = whole(parts[1], 10**15) if len(parts) > 2 else None
    if expiry is None:
        return None
    return Line(parts[0], expiry, parts[2], parts[3] if len(parts) > 3 else "")


def fresh(found: Line, longest: float) -> bool:
    """Whether a line still holds; one that claims more than ``longest`` seconds is wrong."""
    left = found.expiry - uptime()
    return found.boot_id == boot_id() and 0 < left <= longest + 1


def prepare(folder: Path) -> None:
    """Make the folder of the verdict, or check that nobody else can write there.

    Raises:
        Untrusted: it is a symbolic link, belongs to another user, or others may write to it.
        OSError: it cannot be made.
    """
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    distrust = complaint(folder)
    if distrust:
        raise Untrusted(distrust)


def complaint(path: Path) -> str:
    """Why a folder or file cannot be trusted, with what to type; empty when it can."""
    state = path.lstat()
    if stat.S_ISLNK(state.st_mode):
        return f"{path} is a symbolic link; type rm {path}"
    if state.st_uid != os.geteuid():
        return f"{path} belongs to user {state.st_uid}; type chown {os.geteuid()} {path}"
    if state.st_mode & 0o022:
        mode = stat.S_IMODE(state.st_mode)
        return f"{path} may be written by others (mode {mode:04o}); type chmod go-w {path}"
    return ""


def write(path: Path, text: str, mode: int = 0o644) -> None:
    """Put a text in place of a file, whole or not at all. Raises OSError."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, mode)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            os.fchmod(handle, mode)
            file.write(text)
        draft.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise


def read(folder: Path) -> tuple[Line | None, str]:
    """The line of a folder, and why there is none that can be used."""
    path = folder / NAME
    try:
        distrust = complaint(folder) or complaint(path)
        if distrust:
            return None, distrust
        found = parse(path.read_text("utf-8", "replace"))
    except OSError as error:
        return None, f"{path}: {error.strerror}"
    return found, "" if found else f"{path} does not hold a verdict"
