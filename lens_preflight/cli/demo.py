"""``lens-preflight demo``: a broken sample job, its verdict, the corrected one, on this machine alone."""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from lens_preflight.sample import broken, corrected
from lens_preflight.subject.inputs import Inputs


@click.command()
@click.option("--color", type=click.Choice(("auto", "always", "never")), default="auto", help="Colour.")
def demo(color: str) -> int:
    """Show a verdict: a sample job with four faults, then the corrected one.

    Packets go to an OTLP receiver that this command starts on the loopback address, and stops.
    """
    from lens_preflight.probe.sink.server import Sink

    with Sink() as sink, _closed_port() as dead, _folder():
        bad = broken(f"http://127.0.0.1:{dead}")
        _show("1. A job with four planted faults", bad)
        first = _judge(bad, color)
        good = corrected(sink.grpc_url)
        _show("2. The same job, corrected; an OTLP receiver listens now", good)
        second = _judge(good, color)
    click.echo("\nNow yours:  lens-preflight check train.sbatch")
    return 0 if (first, second) == (1, 0) else 3


@contextlib.contextmanager
def _closed_port() -> Iterator[int]:
    """A loopback port on which nobody listens, held so that nobody can start to."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


@contextlib.contextmanager
def _folder() -> Iterator[None]:
    """A folder of its own to work in, gone afterwards."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="lens-preflight-demo-") as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def _show(title: str, files: Mapping[str, str]) -> None:
    click.echo(f"\n=== {title}\n")
    for number, line in enumerate(files["train.sbatch"].splitlines(), 1):
        if line.startswith(("export", "srun")):
            click.echo(f"    train.sbatch:{number:<3} {line}")
    click.echo("\n$ lens-preflight check train.sbatch --profile node\n")


def _judge(files: Mapping[str, str], color: str) -> int:
    from lens_preflight.cli.present import present, style
    from lens_preflight.core.deadline import Deadline
    from lens_preflight.preflight import preflight
    from lens_preflight.registry import builtin, register
    from lens_preflight.subject.builder import build

    for name, text in files.items():
        Path(name).write_text(text)
    why = "as a compute node would see it"
    inputs = Inputs(targets=("train.sbatch",), profile="node", profile_why=why, topology="node-agent")
    subject = build(inputs)
    record = preflight(inputs, subject, register(builtin()), Deadline.after(30))
    return present(record, subject, (), style(color, 0))
