"""No report is written over what the run reads: ``--report json=train.sbatch`` is a slip, not a wish."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lens_preflight.core.errors import InputError

if TYPE_CHECKING:
    from lens_preflight.reports.output import Wanted
    from lens_preflight.subject.subject import Subject


def refuse(reports: Iterable[Wanted], read: Iterable[str]) -> None:
    """Refuse a report whose path, by whatever link, is one of the files that are read.

    Raises:
        InputError: there is one.
    """
    files = [one for one in reports if one.path is not None]
    if not files:
        return
    for name in read:
        for one in files:
            if one.path is not None and _same(one.path, name):
                raise InputError(
                    f"--report {one.format}={one.path}: would overwrite {name}, which is read; "
                    "give another path"
                )


def inputs_of(subject: Subject, options: Mapping[str, Any]) -> Iterator[str]:
    """The files that a check reads by name, and the programs that its launches start."""
    inputs = subject.inputs
    for names in (inputs.targets, inputs.dashboards, inputs.collector, inputs.rules):
        yield from names
    yield from (*options["env_files"], *options["local"])
    settings = inputs.settings
    yield from (str(Path(settings.source).parent / file) for file in settings.local)
    single = (settings.source, options["baseline"], options["node_report"])
    yield from (name for name in single if name)
    yield from (launch.program_file for launch in subject.launches if launch.program_file)


def _same(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:  # one of them is not there yet
        return os.path.realpath(one) == os.path.realpath(other)
