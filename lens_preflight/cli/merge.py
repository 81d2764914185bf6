"""``lens-preflight merge``: one report out of those of many nodes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lens_preflight.choices import FAIL_ON
from lens_preflight.cli.completing import formats
from lens_preflight.cli.options import REPORT_HELP

if TYPE_CHECKING:
    from lens_preflight.core.outcome import RunRecord


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="FILE|DIR...")
@click.option("--nodes", metavar="LIST", help="The nodes that must have reported [SLURM_JOB_NODELIST].")
@click.option("--job", metavar="ID", help="The job whose reports count [SLURM_JOB_ID, else the newest].")
@click.option(
    "--report", "reports", multiple=True, metavar="FORMAT[=PATH]", shell_complete=formats, help=REPORT_HELP
)
@click.option("--fleet", type=click.Path(), metavar="FILE", help="Also publish a fleet verdict for the gate.")
@click.option("--fail-on", type=click.Choice(FAIL_ON), default="unknown", help="As for check [unknown].")
@click.option("-v", "--verbose", count=True, help="Say more.")
@click.option("-q", "--quiet", is_flag=True, help="No console report.")
@click.option("--color", type=click.Choice(("auto", "always", "never")), default="auto", help="Colour.")
def merge(
    files: Sequence[str],
    nodes: str | None,
    job: str | None,
    reports: Sequence[str],
    fleet: str | None,
    fail_on: str,
    verbose: int,
    quiet: bool,
    color: str,
) -> int:
    """Merge the reports of the nodes of an allocation.

    \b
    srun --ntasks-per-node=1 --output=preflight-%N.json \\
        lens-preflight check --profile node --report json=- -q
    lens-preflight merge preflight-*.json

    Findings are folded over node sets, nodes without a report are named, and files that are no
    report of this job are named and left out.
    """
    from lens_preflight.cli.collisions import refuse
    from lens_preflight.cli.exits import CANNOT_TELL
    from lens_preflight.cli.present import exit_code, style
    from lens_preflight.gate.gathered import Gathered
    from lens_preflight.gate.merge import merge as join
    from lens_preflight.gate.nodeset import expand
    from lens_preflight.redact import Redactor
    from lens_preflight.reports.output import wanted, write_all
    from lens_preflight.reports.writer import ReportError

    asked = wanted(reports)
    names = list(_paths(files))
    refuse(asked, names)
    expected = expand(nodes if nodes is not None else os.environ.get("SLURM_JOB_NODELIST", ""))
    gathered = Gathered()
    gathered.take_all(names)
    record = join(
        gathered,
        expected=expected,
        job=job if job is not None else os.environ.get("SLURM_JOB_ID", ""),
        fail_on=fail_on,
        argv=sys.argv[1:],
    )
    try:
        if fleet is not None:
            _publish(Path(fleet), record)
        look = style(color, -1 if quiet else verbose, asked)
        write_all(Redactor.of_record(record).record(record), asked, style=look)
    except (ReportError, OSError) as trouble:
        click.echo(f"lens-preflight: {trouble}", err=True)
        return record.exit_code or CANNOT_TELL
    return exit_code(record, asked)


def _paths(names: Sequence[str]) -> Iterator[str]:
    """The files, and of a folder its JSON files."""
    for name in names:
        if name.endswith(".json") or not os.path.isdir(name):
            yield name
        else:
            yield from sorted(entry.path for entry in os.scandir(name) if entry.name.endswith(".json"))


def _publish(path: Path, record: RunRecord) -> None:
    from lens_preflight.gate.fleet import verdict
    from lens_preflight.gate.merge import failing, unix_time
    from lens_preflight.reports.output import write_file

    obtained = record.run["obtained"]
    text = verdict(obtained["nodes"], failing(record), unix_time(str(record.run["started"] or "")))
    write_file(path, text)
