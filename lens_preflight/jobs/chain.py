"""From a command line to the program: one link after the other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lens_preflight.core.data import replace
from lens_preflight.jobs.containers import apptainer, enroot
from lens_preflight.jobs.docker import docker
from lens_preflight.jobs.draft import Step, resolve
from lens_preflight.jobs.field import Field
from lens_preflight.jobs.launchers import LAUNCHERS
from lens_preflight.jobs.programs import _PYTHON, launch, python
from lens_preflight.jobs.run import DEPTH, MAX_LAUNCHES, TooMuch
from lens_preflight.jobs.scripts import SHELLS, _missing_script, _script_file, inner_shell
from lens_preflight.jobs.srun import srun
from lens_preflight.jobs.telling import spoken_of, telling
from lens_preflight.jobs.text import Cause, Text, shown
from lens_preflight.jobs.touching import touch
from lens_preflight.jobs.wrappers import WRAPPERS, Link
from lens_preflight.jobs.written import made

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell

_SHELL_SHEBANG = re.compile(r"#!\s*(?:/usr/bin/env\s+(?:-S\s+)?)?(?:\S*/)?(bash|sh|dash|zsh|ksh)\b")
_PYTHON_SHEBANG = re.compile(r"#!\s*(?:/usr/bin/env\s+(?:-S\s+)?)?(?:\S*/)?(?:python|pypy)[\d.]*\b")
_TOOLS = frozenset(
    [
        "hostname",
        "nvidia-smi",
        "echo",
        "printf",
        "mkdir",
        "rm",
        "cp",
        "mv",
        "ln",
        "ls",
        "cat",
        "sleep",
        "date",
        "true",
        "false",
        "sync",
        "rsync",
        "tar",
        "df",
        "du",
        "free",
        "top",
        "ps",
        "env",
        "printenv",
        "id",
        "whoami",
        "ulimit",
        "lscpu",
        "numactl",
        "ip",
        "ifconfig",
        "ping",
        "curl",
        "wget",
        "scontrol",
        "squeue",
        "sacct",
        "sinfo",
        "scancel",
        "tee",
        "touch",
        "chmod",
        "find",
        "sed",
        "awk",
        "grep",
        "head",
        "tail",
        "cut",
        "sort",
        "xargs",
        "pip",
        "pip3",
        "git",
        "make",
        "cmake",
        "gcc",
        "nvcc",
        "nc",
        "ibstat",
        "dcgmi",
        "pkill",
        "kill",
        "killall",
        "which",
        "type",
        "unzip",
        "zip",
        "otelcol",
        "otelcol-contrib",
        "rotel",
        "prometheus",
        "all_reduce_perf",
        "ibv_devinfo",
        "ssh-keygen",
        "trap",
        "wait",
        "test",
        "seq",
        "basename",
        "dirname",
        "readlink",
        "realpath",
        "mktemp",
        "stat",
        "lsof",
        "netstat",
        "ss",
        "host",
        "dig",
        "nslookup",
        "tmux",
        "screen",
        "enroot",
        "docker",
        "podman",
        "apptainer",
        "singularity",
        "hf",
        "huggingface-cli",
        "aws",
        "gsutil",
        "gcloud",
        "jq",
        "yq",
        "bc",
        "expr",
        "uname",
        "sha256sum",
        "module",
        "ldconfig",
        "apt-get",
        "apt",
        "yum",
        "python-config",
        "sbcast",
        "time",
    ]
)


def follow(step: Step, shell: Shell) -> None:
    """Take the next link of a command; ends in a launch, a shell, or nothing of interest."""
    if len(shell.run.drafts) > MAX_LAUNCHES:
        raise TooMuch(f"it starts more than {MAX_LAUNCHES} programs")
    if not step.words:
        return
    if step.where.depth > DEPTH or len(step.where.chain) > DEPTH:
        raise TooMuch(f"a command stands behind more than {DEPTH} others")
    word = step.words[0]
    name = (word.text.constant or "").rpartition("/")[2]
    if word.text.constant is None:
        path = word.text.path
        name = path.rpartition("/")[2] if path else ""
        if not path and not _ends_in_name(word.text):
            _unknown_command(step, shell)
            return
        name = name or _ends_in_name(word.text)
    if name in SHELLS:
        inner_shell(step, shell)
    elif _PYTHON.fullmatch(name):
        python(step, shell)
    elif name in _LINKS:
        _LINKS[name](step, shell)
    else:
        other(step, name, shell)


def is_link(words: Sequence[Field], shell: Shell, given: Field | None) -> bool:
    """True when a command may lead to a program; the many others need no environment."""
    text = words[0].text
    name = (text.constant or "").rpartition("/")[2]
    if text.constant is None or name in SHELLS or name in _LINKS or _PYTHON.fullmatch(name):
        return True
    if "/" in (text.constant or "") or name.endswith((".py", ".sh", ".bash")):
        return True
    if made(shell.run, text, shell.state.cwd, shell.where) is not None:
        return True
    return bool(telling(shell, words, shell.state.cwd, shell.where, given))


def _ends_in_name(text: Text) -> str:
    """The name behind the last slash, as in ``$VENV/bin/python``."""
    last = text.pieces[-1] if text.pieces else ""
    if isinstance(last, str) and "/" in last:
        return last.rpartition("/")[2]
    return ""


def _unknown_command(step: Step, shell: Shell) -> None:
    text = step.words[0].text
    arguments = any(s.cause in (Cause.ARGUMENT, Cause.SUBMITTER) for s in text.symbols)
    arguments = arguments or bool(_spoken(step, shell))
    if step.where.in_step or step.where.container is not None or arguments or step.where.execs:
        why = f"the command {shown(text)} is not known before the job starts"
        launch(step, shell, None, None, (), opaque=why)


def _spoken(step: Step, shell: Shell) -> str:
    """What the words behind a command say that it starts."""
    return spoken_of(shell, " ".join(w.text.template for w in step.words[1:]), step.cwd, step.where)


def other(step: Step, name: str, shell: Shell) -> None:
    """A command that is no known link: a script, a Python file, or something opaque."""
    word = step.words[0]
    named = word.text.path
    full = resolve(named, step.cwd, step.where, shell.run.extra_map) if named and "/" in named else None
    touch(shell, step.words, step.cwd, step.where, step.heredoc)
    written = made(shell.run, word.text, step.cwd, step.where)
    own = written.text if written is not None else None
    content = own.text.template if own is not None else shell.run.files.text(full) if full else None
    if name.endswith(".py") or (content is not None and _PYTHON_SHEBANG.match(content)):
        launch(step, shell, word, None, step.words[1:])
    elif content is not None and (_SHELL_SHEBANG.match(content) or name.endswith((".sh", ".bash"))):
        pid1 = "shell file" if step.where.pid1 == "program" else step.where.pid1
        where = replace(step.where.link("script"), pid1=pid1)
        _script_file(step.next(step.words, where=where), shell)
    elif written is not None and not written.gone:
        pid1 = "shell file" if step.where.pid1 == "program" else step.where.pid1
        _script_file(step.next(step.words, where=replace(step.where.link("script"), pid1=pid1)), shell)
    elif name.endswith((".sh", ".bash")):
        _missing_script(step, shell)
    elif (
        (step.where.in_step or step.where.container is not None)
        and "/" in (named or "")
        and name not in _TOOLS
    ):
        launch(
            step,
            shell,
            None,
            None,
            (),
            opaque=f"{word.text.template} is a program that cannot be read from here",
        )
    elif told := telling(shell, step.words, step.cwd, step.where, step.heredoc):
        why = f"{name} may start {told}, and what it hands on is not known"
        may = step.next(step.words, where=replace(step.where, conditional=True))
        launch(may, shell, None, None, (), opaque=why)


_LINKS: dict[str, Link] = {
    "srun": srun,
    "docker": docker,
    "podman": docker,
    "nerdctl": docker,
    "apptainer": apptainer,
    "singularity": apptainer,
    "enroot": enroot,
    **WRAPPERS,
    **LAUNCHERS,
}
