"""The end of a chain: Python and its program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lens_preflight.jobs.draft import Draft, Step, resolve
from lens_preflight.jobs.field import Field
from lens_preflight.jobs.launchers import LAUNCHERS
from lens_preflight.jobs.text import Text
from lens_preflight.jobs.written import made

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell


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


_PYTHON_VALUED = ("-W", "-X", "-Q", "--check-hash-based-pycs")


def python(step: Step, shell: Shell) -> None:
    """``python [options] script args`` or ``python -m module args``."""
    words = list(step.words[1:])
    while words:
        text = words[0].constant
        if text == "-c":
            _snippet(step, words[1].text if len(words) > 1 else None, shell)
            return
        if text == "-":
            _snippet(step, step.heredoc.text if step.heredoc is not None else None, shell)
            return
        if text in ("-V", "--version", "-h", "--help"):
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
    if not words and step.heredoc is not None:
        _snippet(step, step.heredoc.text, shell)
    if words:
        if words[0].constant.rpartition("/")[2] in ("setup.py",):
            return
        launch(
            step.next(step.words, where=step.where.link("python")), shell, words[0], None, tuple(words[1:])
        )


_TRAINS = re.compile(
    r"nemo\.lens|setup_telemetry|init_process_group|\.backward\(|\b(?:Trainer|Accelerator|run_path|run_module)\("
)
_IMPORTED = re.compile(r"(?:^|[;\n:])\s*(?:from|import)\s+([A-Za-z_][\w.]*)")


def _snippet(step: Step, text: Text | None, shell: Shell) -> None:
    """Python from ``-c`` or standard input: a launch when it, or a file of the job that it imports, trains."""
    if text is None:
        return
    if any(_TRAINS.search(one) for one in (text.template, *_imported(step, text.template, shell))):
        why = "a Python program that is no file: its text stands on the command line or comes from standard input"
        launch(step.next(step.words, where=step.where.link("python")), shell, None, None, (), opaque=why)


def _imported(step: Step, text: str, shell: Shell) -> Iterator[str]:
    """The files beside the job that a text imports."""
    for name in _IMPORTED.findall(text):
        for end in (".py", "/__init__.py", "/__main__.py"):
            full = resolve(name.replace(".", "/") + end, step.cwd, step.where, shell.run.extra_map)
            found = shell.run.files.text(full) if full is not None else None
            if found is not None:
                yield found


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
    if program is not None and made(shell.run, program.text, step.cwd, step.where) is not None:
        opaque = (
            f"the job script itself writes {program.text.template}: a file of that name here may be another"
        )
        program = None
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
