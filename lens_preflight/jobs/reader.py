"""Read a job file: recognise it, follow it, and put what was met into the model."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from lens_preflight.core.data import replace
from lens_preflight.core.errors import InputError
from lens_preflight.core.finding import Location
from lens_preflight.core.variable import Environment
from lens_preflight.jobs import directives, environment
from lens_preflight.jobs.field import Field
from lens_preflight.jobs.launches import launches_of
from lens_preflight.jobs.model import JobModel
from lens_preflight.jobs.run import Files, Run, TooMuch
from lens_preflight.jobs.shell import Shell
from lens_preflight.jobs.start import (
    COMMAND_LINE,
    Start,
    login_environment,
    looks_like_batch,
    read_start,
)
from lens_preflight.jobs.submit import run_batch, run_plain, submission
from lens_preflight.jobs.syntax import LIMIT, NoParser

_SHEBANG = re.compile(r"#!\s*(?:/usr/bin/env\s+(?:-\S+\s+)*)?(?:\S*/)?([A-Za-z]+)")
_MANIFEST = re.compile(r"^apiVersion:\s*\S+", re.MULTILINE)
_KIND = re.compile(r"^kind:\s*\S+", re.MULTILINE)
_JSON_MANIFEST = re.compile(r"\s*\{(?=[^\0]*\"apiVersion\"\s*:)(?=[^\0]*\"kind\"\s*:)")
_SHELLS = ("bash", "sh", "dash", "ksh")


def read_job(
    path: str,
    *,
    submit: str | None = None,
    submitter: Environment | None = None,
    path_map: Sequence[tuple[str, str]] = (),
) -> JobModel:
    """The model of one job file.

    ``submit`` is the command that starts it, ``submitter`` the environment of the shell that does
    (unknown when None); ``path_map`` pairs paths inside containers with paths here.

    Raises:
        InputError: the file cannot be opened.
    """
    data = _bytes(path)
    if len(data) > LIMIT:
        return _unread(path, "unknown", f"it is longer than {LIMIT >> 20} MB, and is not read")
    if b"\0" in data:
        return _unread(path, "binary", "it is no text")
    written = data.decode("utf-8", "surrogateescape")
    text = written.removeprefix("\ufeff")
    kind = recognise(path, text)
    folder = os.path.dirname(os.path.abspath(path))
    extra = tuple((inside, os.path.abspath(outside)) for inside, outside in path_map)
    run = Run(path, folder, Files(folder), extra_map=extra)
    if submitter is None:
        submitter = Environment(complete=False, opaque=environment.SUBMITTER)
    if kind == "kubernetes":
        from lens_preflight.jobs.kubernetes import read_manifest

        return read_manifest(path, text, run)
    login = login_environment(submitter)
    if kind not in ("shell", "python"):
        found = tuple(directives.scan(text, path))
        why = f"it is a {kind} script: its #SBATCH lines are understood, its statements are not"
        return replace(_unread(path, kind, why), directives=found)
    refused = _refused(written, submit)
    text = text.replace("\r\n", "\n")
    try:
        return _shell_job(path, text, submit, login, run, kind, refused)
    except NoParser as missing:
        model = _unread(path, kind, "there is no parser for shell scripts")
        return replace(model, remedy=str(missing).rpartition("type ")[2].strip("`"),
                       directives=tuple(directives.scan(text, path)))  # fmt: skip


def _bytes(path: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            return file.read(LIMIT + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        raise InputError(f"{path}: cannot be opened ({reason}); check the path") from None


def _unread(path: str, kind: str, why: str) -> JobModel:
    return JobModel(path, kind, unread=why, unread_at=Location.file(path, 1))


def recognise(path: str, text: str) -> str:
    """``shell``, ``python``, ``kubernetes``, or the name of another language; by content."""
    shebang = _SHEBANG.match(text)
    if shebang:
        name = shebang[1].lower()
        if name in _SHELLS:
            return "shell"
        return "python" if name.startswith(("python", "pypy")) else name
    if (_MANIFEST.search(text) and _KIND.search(text)) or _JSON_MANIFEST.match(text):
        return "kubernetes"
    suffix = os.path.splitext(path)[1].lower()
    by_suffix = {".csh": "csh", ".tcsh": "csh", ".zsh": "zsh", ".fish": "fish", ".py": "python"}
    return by_suffix.get(suffix, "shell")


def _refused(text: str, submit: str | None) -> str:
    """Why sbatch does not take the script, empty when it does."""
    batch = looks_like_batch(text) or (submit or "").lstrip().startswith("sbatch")
    if not batch:
        return ""
    if "\r\n" in text:
        return "sbatch refuses a script with DOS line ends: type `sed -i 's/\\r$//' {path}`"
    if text.startswith("\ufeff"):
        return "sbatch refuses a script with a byte order mark: type `sed -i '1s/^\\xEF\\xBB\\xBF//' {path}`"
    if not text.startswith("#!"):
        return "sbatch refuses a script without #! in its first line: put #!/bin/bash there"
    return ""


def _shell_job(
    path: str, text: str, submit: str | None, login: object, run: Run, kind: str, refused: str
) -> JobModel:
    from lens_preflight.jobs.state import Exported

    assert isinstance(login, Exported)
    try:
        start = read_start(submit, login, text, run)
    except (TooMuch, RecursionError) as stopped:
        why = str(stopped) if isinstance(stopped, TooMuch) else "it is nested too deeply"
        model = _unread(path, kind, f"the command that starts it is not understood: {why}")
        return replace(model, unread_at=COMMAND_LINE, directives=tuple(directives.scan(text, path)))
    options = submission(text, path, start)
    traps, unread = _followed(run, path, text, kind, start, options)
    launches = launches_of(run, traps)
    requeue = options.get("--requeue") is not None or any("requeue" in t for t, _ in traps.values())
    return JobModel(
        path,
        "sbatch" if start.batch else kind,
        launches,
        unread=unread,
        unread_at=Location.file(path, 1) if unread else None,
        refused=refused.format(path=path),
        directives=(tuple(directives.scan(text, path)) if start.batch else ()) + tuple(start.options),
        remarks=tuple(run.remarks),
        secrets=tuple(run.secrets),
        opaque=tuple(run.opaque),
        sourced=tuple(run.shown(p) for p in run.sourced),
        images=tuple(dict.fromkeys(run.images)),
        path_map=tuple((inside, run.shown(outside)) for inside, outside in run.mounts.items()),
        requeue=requeue or "scontrol requeue" in text,
        resubmits=run.resubmits,
        signal=directives.signal_of(options) if start.batch else None,
        batch=start.batch,
    )


def _followed(
    run: Run, path: str, text: str, kind: str, start: Start, options: directives.Submission
) -> tuple[Mapping[str, tuple[str, int]], str]:
    """Follow the script; its traps at the end, and why it was not followed to there."""
    try:
        if kind == "python":
            _python_job(run, path, start, options)
            return {}, ""
        shell = (
            run_batch(run, path, text, start, options) if start.batch else run_plain(run, path, text, start)
        )
        return shell.state.traps, ""
    except TooMuch as stopped:
        return {}, str(stopped)
    except RecursionError:
        return {}, "it is nested too deeply"


def _python_job(run: Run, path: str, start: Start, options: directives.Submission) -> None:
    """A Python file that sbatch starts as it stands."""
    from lens_preflight.jobs import slurm
    from lens_preflight.jobs.draft import Step, Where
    from lens_preflight.jobs.programs import launch
    from lens_preflight.jobs.run import Frame
    from lens_preflight.jobs.state import State
    from lens_preflight.jobs.text import literal

    counts = slurm.counts_of(options)
    export = options.get("--export")
    env, where = slurm.export_at_submission(start.env, None if export is None else export.value,
                                            None if export is None else export.at)  # fmt: skip
    env = env.with_(slurm.batch_variables(options, counts, path, run.folder))
    where = replace(where, in_job=True, counts=counts, execs=True, chain=("python",),
                    array=slurm.array_of(options), signal=directives.signal_of(options))  # fmt: skip
    at = Location.file(path, 1)
    word = Field(literal(os.path.basename(path)), 1)
    shell = Shell(run, State.of(env, cwd=run.folder, args=(), arg0=literal(path)), Frame(path), Where())
    words = tuple(Field(t, 1) for t in start.args or ())
    launch(Step((word,), env, where, run.folder, at), shell, word, None, words)
