"""From a command line to the program: one link after the other."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from lens_preflight.jobs.containers import apptainer, docker, enroot
from lens_preflight.jobs.draft import Draft, Step, resolve
from lens_preflight.jobs.launchers import LAUNCHERS
from lens_preflight.jobs.options import split
from lens_preflight.jobs.run import DEPTH, MAX_LAUNCHES, Frame, Run, TooMuch
from lens_preflight.jobs.slurm import srun
from lens_preflight.jobs.state import State
from lens_preflight.jobs.text import Cause, Text, literal
from lens_preflight.jobs.words import Field
from lens_preflight.jobs.wrappers import WRAPPERS, Link

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell

SHELLS = frozenset({"bash", "sh", "dash", "zsh", "ksh"})
_SHELL_SHEBANG = re.compile(r"#!\s*(?:/usr/bin/env\s+(?:-S\s+)?)?(?:\S*/)?(bash|sh|dash|zsh|ksh)\b")
_PYTHON_SHEBANG = re.compile(r"#!\s*(?:/usr/bin/env\s+(?:-S\s+)?)?(?:\S*/)?(?:python|pypy)[\d.]*\b")
_PYTHON = re.compile(r"(?:python|pypy)(?:\d(?:\.\d+)?)?t?")
_HELPERS = frozenset(
    [
        "pip",
        "venv",
        "ensurepip",
        "json.tool",
        "http.server",
        "compileall",
        "pytest",
        "py_compile",
        "site",
        "uv",
        "build",
        "twine",
    ]
)
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
    if not step.words or step.where.depth > DEPTH or len(step.where.chain) > DEPTH:
        return
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


def is_link(text: Text, run: Run) -> bool:
    """True when a command may lead to a program; the many others need no environment."""
    name = (text.constant or "").rpartition("/")[2]
    if text.constant is None or name in SHELLS or name in _LINKS or _PYTHON.fullmatch(name):
        return True
    return "/" in (text.constant or "") or name.endswith((".py", ".sh", ".bash")) or text.template in run.made


def shown(text: Text) -> str:
    """A text for a message: one line, not too long."""
    flat = " ".join(text.template.split())
    return flat if len(flat) <= 60 else flat[:57] + "..."


def _ends_in_name(text: Text) -> str:
    """The name behind the last slash, as in ``$VENV/bin/python``."""
    last = text.pieces[-1] if text.pieces else ""
    if isinstance(last, str) and "/" in last:
        return last.rpartition("/")[2]
    return ""


def _unknown_command(step: Step, shell: Shell) -> None:
    text = step.words[0].text
    arguments = any(s.cause in (Cause.ARGUMENT, Cause.SUBMITTER) for s in text.symbols)
    if step.where.in_step or step.where.container is not None or arguments or step.where.execs:
        why = f"the command {shown(text)} is not known before the job starts"
        launch(step, shell, None, None, (), opaque=why)


def inner_shell(step: Step, shell: Shell) -> None:
    """``bash -c '...'``, ``bash script``, ``bash <<EOF``."""
    name = step.words[0].constant.rpartition("/")[2]
    words = list(step.words[1:])
    login = command = False
    while words and words[0].constant[:1] in ("-", "+") and len(words[0].constant) > 1:
        flag = words.pop(0).constant
        if flag == "--":
            break
        login = login or flag in ("--login",) or (not flag.startswith("--") and "l" in flag)
        if not flag.startswith("--") and "c" in flag:
            command = True
            break
        if flag in ("-o", "+o", "--rcfile", "--init-file", "-O") and words:
            words.pop(0)
        elif flag == "-s":
            break
        elif flag == "-n":
            return
    while command and words and words[0].constant[:1] == "-" and len(words[0].constant) > 1:
        words.pop(0)
    label = f"{name} -lc" if login and command else (f"{name} -c" if command else name)
    pid1 = step.where.pid1
    if pid1 == "program":
        dash = name in ("sh", "dash")
        pid1 = "sh" if dash else ("shell -c" if command else "shell file")
    where = replace(step.where.link(label), pid1=pid1)
    if command:
        if words:
            args = tuple(w.text for w in words[2:])
            run_script(step.next(tuple(words), where=where), words[0], args, shell)
    elif words:
        _script_file(step.next(tuple(words), where=where), shell)
    elif step.heredoc is not None:
        run_script(step.next((), where=where), step.heredoc, (), shell)


def run_script(step: Step, text: Field, args: tuple[Text, ...], shell: Shell) -> None:
    """A text as a script of its own process."""
    from lens_preflight.jobs.shell import Shell as Process

    body = text.script or text.text
    if any(s.likely is not None for s in body.symbols):
        body = body.settled
    loose = [s for s in body.symbols if s.known is None]
    if loose and not "".join(p for p in body.pieces if isinstance(p, str)).strip():
        causes = {s.cause for s in loose}
        if causes <= {Cause.ARGUMENT, Cause.SUBMITTER, Cause.COMMAND, Cause.OPAQUE, Cause.BRANCH, Cause.LOOP}:
            _scripts_of(step, text, args, shell)
            return
    here = shell.frame
    spelled = shell.run.spelled(body)
    known = shell.run.places.get(spelled.strip("\n")) if "\n" in spelled.strip("\n") else None
    if known is not None and here.outer is None:
        frame = Frame(here.path, offset=known - 1, outer=here.outer)
    elif text.placed and here.fixed is None:
        frame = Frame(here.path, offset=here.offset + text.line - 1, outer=here.outer)
    else:
        frame = Frame(here.path, fixed=here.inner(text.line).line, outer=here.outer)
    named = len(step.words) > 1 and step.words[0] is text
    arg0 = step.words[1].text if named else literal("bash")
    _run(Process, step, shell, frame, spelled, args, arg0)


def _scripts_of(step: Step, text: Field, args: tuple[Text, ...], shell: Shell) -> None:
    """A script that is one of a few texts, or not known at all."""
    one = text.text.symbols[0]
    known = [v for v in one.values if v is not None]
    if len(text.text.pieces) == 1 and known and len(known) == len(one.values) <= 4:
        for value in known:
            inner = replace(step, where=replace(step.where, conditional=True))
            run_script(inner, replace(text, text=value), args, shell)
        return
    why = f"the script {shown(text.text)} is not known before the job starts"
    launch(step, shell, None, None, (), opaque=why)


def _run(
    process: type[Shell], step: Step, shell: Shell, frame: Frame, text: str, args: object, arg0: Text
) -> None:
    if shell.depth > DEPTH:
        shell.run.cannot_read("a script", "scripts start one another too deeply", step.at)
        return
    assert isinstance(args, tuple)
    state = State.of(step.env, cwd=step.cwd, args=args, arg0=arg0)
    where = replace(step.where, execs=False, last=False)
    inner = process(shell.run, state, frame, where, shell.depth + 1)
    inner.script(shell.run.tree(text))


def _script_file(step: Step, shell: Shell) -> None:
    """``bash FILE args`` or an executable script."""
    word = step.words[0]
    named = word.text.path
    full = resolve(named, step.cwd, step.where, shell.run.extra_map) if named else None
    made = shell.run.made.get(word.text.template)
    if made is not None:
        _made_script(step, made, shell)
        return
    content = shell.run.files.text(full) if full else None
    if content is None or full is None:
        _missing_script(step, shell)
        return
    from lens_preflight.jobs.shell import Shell as Process

    if full not in shell.run.sourced:
        shell.run.sourced.append(full)
    frame = Frame(shell.run.shown(full), outer=shell.frame.outer or step.at, executed=True)
    arg0 = Text.of(*word.text.pieces)
    _run(Process, step, shell, frame, content, tuple(w.text for w in step.words[1:]), arg0)


def _made_script(step: Step, made: Field, shell: Shell) -> None:
    """A script that the job itself wrote a few lines above."""
    from lens_preflight.jobs.shell import Shell as Process

    line = shell.frame.inner(made.line).line or made.line
    frame = Frame(shell.frame.path, offset=made.line - 1 if made.placed else 0,
                  fixed=None if made.placed else line, outer=shell.frame.outer)  # fmt: skip
    if not made.placed:
        frame = Frame(
            shell.frame.path, fixed=shell.frame.inner(step.words[0].line).line, outer=shell.frame.outer
        )
    text = shell.run.spelled(made.text)
    _run(Process, step, shell, frame, text, tuple(w.text for w in step.words[1:]), step.words[0].text)


def _missing_script(step: Step, shell: Shell) -> None:
    name = shown(step.words[0].text)
    shell.run.cannot_read(name, "the script cannot be read from here", step.at)
    if step.where.in_step or step.where.container is not None:
        launch(step, shell, None, None, (), opaque=f"the script {name} cannot be read from here")


def other(step: Step, name: str, shell: Shell) -> None:
    """A command that is no known link: a script, a Python file, or something opaque."""
    word = step.words[0]
    named = word.text.path
    full = resolve(named, step.cwd, step.where, shell.run.extra_map) if named and "/" in named else None
    content = shell.run.files.text(full) if full else None
    if name.endswith(".py") or (content is not None and _PYTHON_SHEBANG.match(content)):
        launch(step, shell, word, None, step.words[1:])
    elif content is not None and (_SHELL_SHEBANG.match(content) or name.endswith((".sh", ".bash"))):
        pid1 = "shell file" if step.where.pid1 == "program" else step.where.pid1
        where = replace(step.where.link("script"), pid1=pid1)
        _script_file(step.next(step.words, where=where), shell)
    elif word.text.template in shell.run.made:
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


_PYTHON_VALUED = ("-W", "-X", "-Q", "--check-hash-based-pycs")


def python(step: Step, shell: Shell) -> None:
    """``python [options] script args`` or ``python -m module args``."""
    words = list(step.words[1:])
    while words:
        text = words[0].constant
        if text in ("-c", "-", "-V", "--version", "-h", "--help"):
            return
        if text == "-m" or (
            text.startswith("-") and not text.startswith("--") and text.endswith("m") and len(text) > 2
        ):
            if len(words) > 1:
                _module(step, words[1], tuple(words[2:]), shell)
            return
        if text.startswith("-m") and len(text) > 2:
            _module(step, words[0], tuple(words[1:]), shell)
            return
        if text in _PYTHON_VALUED:
            words = words[2:]
        elif text.startswith("-"):
            words = words[1:]
        else:
            break
    if words:
        if words[0].constant.rpartition("/")[2] in ("setup.py",):
            return
        launch(
            step.next(step.words, where=step.where.link("python")), shell, words[0], None, tuple(words[1:])
        )


def _module(step: Step, word: Field, rest: tuple[Field, ...], shell: Shell) -> None:
    name = word.constant.removeprefix("-m")
    if name.partition(".")[0] in _HELPERS or name in _HELPERS:
        return
    launcher = {
        "torch.distributed.run": "torchrun",
        "torch.distributed.launch": "torchrun",
        "accelerate.commands.launch": "accelerate-launch",
        "deepspeed.launcher.runner": "deepspeed",
        "deepspeed": "deepspeed",
        "nvidia_resiliency_ext.fault_tolerance.launcher": "ft_launcher",
    }.get(name)
    if launcher is not None:
        LAUNCHERS[launcher](step.next((word, *rest)), shell)
        return
    opaque = ""
    if name == "submitit.core._submit":
        opaque = "the program is a pickle of submitit"
    launch(
        step.next(step.words, where=step.where.link("python")),
        shell,
        None,
        name,
        rest,
        opaque=opaque,
        at=word,
    )


def launch(
    step: Step,
    shell: Shell,
    program: Field | None,
    module: str | None,
    args: tuple[Field, ...],
    *,
    opaque: str = "",
    at: Field | None = None,
) -> None:
    """The end of a chain: one start of a program."""
    line = (program or at or step.words[0]).line
    shell.run.drafts.append(
        Draft(
            shell.at(line),
            step.where,
            step.env,
            step.env,
            program,
            module,
            args,
            step.cwd,
            shell.run.tick(),
            opaque,
            framework_hint=step.words[0].constant if step.words else "",
            traps=dict(shell.state.traps),
        )
    )


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

__all__ = ["follow", "launch", "run_script", "split"]
