"""``#SBATCH`` lines and the options of ``sbatch``: what counts, in which order.

Source: measured on Slurm 22.05.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence

from lens_preflight.core.data import dataclass
from lens_preflight.core.finding import Location
from lens_preflight.core.numbers import whole
from lens_preflight.jobs.model import Directive, Signal

LONG = {
    "-N": "--nodes",
    "-n": "--ntasks",
    "-J": "--job-name",
    "-a": "--array",
    "-G": "--gpus",
    "-D": "--chdir",
    "-t": "--time",
    "-c": "--cpus-per-task",
    "-p": "--partition",
    "-A": "--account",
    "-o": "--output",
    "-e": "--error",
    "-w": "--nodelist",
    "-x": "--exclude",
    "-d": "--dependency",
    "-q": "--qos",
    "-C": "--constraint",
    "-L": "--licenses",
    "-M": "--clusters",
    "-m": "--distribution",
    "-i": "--input",
    "-b": "--begin",
    "-B": "--extra-node-info",
    "-F": "--nodefile",
    "-S": "--core-spec",
    "-u": "--usage",
}
VALUELESS = frozenset(
    [
        "--requeue",
        "--no-requeue",
        "--exclusive",
        "--overcommit",
        "--hold",
        "--parsable",
        "--wait",
        "--test-only",
        "--verbose",
        "--quiet",
        "--contiguous",
        "--spread-job",
        "--get-user-env",
        "--no-kill",
        "--reboot",
        "--oversubscribe",
        "--use-min-nodes",
        "-W",
        "-H",
        "-s",
        "-O",
        "-v",
        "-Q",
        "-k",
        "--no-container-mount-home",
        "--container-mount-home",
        "--container-remap-root",
        "--container-writable",
        "--container-readonly",
        "--no-container-entrypoint",
        "--container-entrypoint",
        "--ignore-pbs",
    ]
)
INPUT = {
    "SBATCH_EXPORT": "--export",
    "SBATCH_ARRAY_INX": "--array",
    "SBATCH_JOB_NAME": "--job-name",
    "SBATCH_REQUEUE": "--requeue",
    "SBATCH_NO_REQUEUE": "--no-requeue",
    "SBATCH_SIGNAL": "--signal",
    "SBATCH_GPUS_PER_NODE": "--gpus-per-node",
    "SBATCH_GPUS": "--gpus",
    "SBATCH_TIMELIMIT": "--time",
    "SBATCH_EXCLUSIVE": "--exclusive",
}
LATEST = 65_535
"""Seconds before the end at which ``--signal`` may ask for one; sbatch refuses more."""

_SIGNAL = re.compile(r"(?:([BR]+):)?(?:SIG)?([A-Z0-9]+)(?:@(\d+))?", re.IGNORECASE)
_COMMENT = re.compile(r"\s#.*$")


def scan(text: str, path: str) -> list[Directive]:
    """All ``#SBATCH`` options of a script, in order; those below the first command are inert.

    Of a heterogeneous job only the first component, in which the script itself runs.
    """
    found: list[Directive] = []
    body = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("#SBATCH"):
            at = Location.file(path, number)
            if words_of(line[7:])[:1] in (["hetjob"], ["packjob"]):
                break
            for option, value in options_of(words_of(_COMMENT.sub("", line[7:]))):
                found.append(Directive(option, value, at, inert=body))
        elif number > 1 or not line.startswith("#!"):
            stripped = line.strip()
            body = body or bool(stripped and not stripped.startswith("#"))
    return found


def words_of(text: str) -> list[str]:
    """The words of a directive; quotes as in a shell, nothing is expanded."""
    try:
        return shlex.split(text.rstrip("\\"))
    except ValueError:
        return text.split()


def options_of(words: Sequence[str]) -> list[tuple[str, str | None]]:
    """Options with their values under their long names; stops at the first word that is none."""
    found: list[tuple[str, str | None]] = []
    index = 0
    while index < len(words):
        word = words[index]
        if not word.startswith("-") or word == "-":
            break
        name, equals, value = word.partition("=")
        if name.startswith("--"):
            if not equals and name not in VALUELESS and index + 1 < len(words):
                index += 1
                equals, value = "=", words[index]
            found.append((name, value if equals else None))
        elif word[:2] in LONG:
            value = word[2:].removeprefix("=")
            if not value and index + 1 < len(words):
                index += 1
                value = words[index]
            found.append((LONG[word[:2]], value))
        else:
            found.append((word, None))
        index += 1
    return found


def rest_of(words: Sequence[str]) -> list[str]:
    """The words behind the options: the script and its arguments."""
    index = 0
    while index < len(words):
        word = words[index]
        if not word.startswith("-") or word == "-":
            break
        name, equals, _ = word.partition("=")
        separate = (name.startswith("--") and not equals and name not in VALUELESS) or (
            word[:2] in LONG and len(word) == 2
        )
        index += 2 if separate else 1
    return list(words[index:])


@dataclass(frozen=True)
class Submission:
    """The options in force: command line, then input variables, then directives."""

    directives: tuple[Directive, ...]

    def get(self, option: str) -> Directive | None:
        """The occurrence that counts: the last live one."""
        live = [d for d in self.directives if d.option == option and not d.inert]
        return live[-1] if live else None

    def value(self, option: str) -> str | None:
        """The value that counts."""
        found = self.get(option)
        return None if found is None else found.value

    def number(self, option: str) -> int | None:
        """The value as a number, None when it is none (a range, a variable)."""
        text = (self.value(option) or "").strip()
        return whole(text)


def in_force(
    directives: Iterable[Directive], inputs: Iterable[Directive], command: Iterable[Directive]
) -> Submission:
    """Directives, overridden by input variables, overridden by the command line."""
    return Submission((*directives, *inputs, *command))


def signal_of(submission: Submission) -> Signal | None:
    """``--signal`` as it counts, None when it is not given or is none that sbatch takes."""
    found = submission.get("--signal")
    if found is None or not found.value:
        return None
    match = _SIGNAL.fullmatch(found.value)
    if match is None:
        return None
    numbers = {"15": "TERM", "10": "USR1", "12": "USR2", "2": "INT", "1": "HUP"}
    name = match[2].upper()
    seconds = whole(match[3] or "60", LATEST)
    if seconds is None:
        return None
    return Signal(numbers.get(name, name), float(seconds), "B" in (match[1] or "").upper(), found.at)
