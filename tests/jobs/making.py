"""A job file from a text, read in a folder of its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lens_preflight.core.variable import Environment, Variable
from lens_preflight.core.words import State
from lens_preflight.jobs import JobLaunch, JobModel, read_job

LOGIN = {"PATH": "/usr/bin:/bin", "HOME": "/home/user", "USER": "user"}


def job(
    folder: Path,
    text: str,
    *,
    submit: str | None = "bash job.sh",
    login: Mapping[str, str] | None = None,
    files: Mapping[str, str] | None = None,
    open_: bool = False,
    name: str = "job.sh",
) -> JobModel:
    """The model of a script; ``login`` is what the submitter has more, ``open_``: nobody knows what."""
    (folder / name).write_text(text)
    for path, content in (files or {}).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content)
    submitter = None if open_ else Environment.of({**LOGIN, **(login or {})})
    return read_job(str(folder / name), submit=submit, submitter=submitter)


def batch(
    folder: Path, body: str, *, directives: str = "-N2 --ntasks-per-node=8", **options: object
) -> JobModel:
    """The model of a batch script with some directives."""
    text = f"#!/bin/bash\n#SBATCH {directives}\n{body}\n"
    return job(folder, text, **{"submit": "sbatch job.sh", **options})  # type: ignore[arg-type]


def only(model: JobModel) -> JobLaunch:
    """The one launch."""
    assert len(model.launches) == 1, [(one.key, one.chain) for one in model.launches]
    return model.launches[0]


def seen(variable: Variable) -> str | None:
    """A variable in one word: its text, None when unset, ``?`` when unknown, ``+`` when provided."""
    return {State.VALUE: variable.value, State.UNSET: None, State.UNKNOWN: "?", State.PROVIDED: "+"}[
        variable.state
    ]
