"""``lens-preflight demo``: a broken environment, its verdict, the corrected one, on this machine alone."""

from __future__ import annotations

import socket
from collections.abc import Mapping

import click

from lens_preflight.core.variable import Environment
from lens_preflight.subject.inputs import Inputs

RUN_ID = "llama3-pretrain-2026-04-22"


@click.command()
@click.option("--color", type=click.Choice(("auto", "always", "never")), default="auto", help="Colour.")
def demo(color: str) -> int:
    """Show a verdict: a sample environment with three faults, then the corrected one.

    Packets go to an OTLP receiver that this command starts on the loopback address, and stops.
    """
    from lens_preflight.probe.sink.server import Sink

    with Sink() as sink, _closed_port() as dead:
        _show("1. An environment with three planted faults", broken(dead))
        first = _judge(broken(dead), color)
        good = corrected(sink.grpc_url)
        _show("2. The same, corrected; an OTLP receiver listens here now", good)
        second = _judge(good, color)
    click.echo("\nNow yours:  lens-preflight check train.sbatch")
    return 0 if (first, second) == (1, 0) else 3


def broken(port: int) -> dict[str, str]:
    """The sample environment: a misspelt variable, a sampler typo, a dead endpoint."""
    return {
        "NEMO_LENS_ENABLED": "1",
        "NEMO_LENS_RUNID": RUN_ID,
        "OTEL_TRACES_SAMPLER": "parentbased_traceid_ratio",
        "OTEL_TRACES_SAMPLER_ARG": "0.1",
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}",
        "OTEL_EXPORTER_OTLP_TIMEOUT": "2",
    }


def corrected(url: str) -> dict[str, str]:
    """The sample environment as it should be, for an endpoint that answers."""
    return {
        "NEMO_LENS_ENABLED": "1",
        "NEMO_LENS_RUN_ID": RUN_ID,
        "OTEL_TRACES_SAMPLER": "parentbased_always_on",
        "OTEL_EXPORTER_OTLP_ENDPOINT": url,
        "OTEL_EXPORTER_OTLP_TIMEOUT": "2",
    }


class _closed_port:  # noqa: N801 - used like a function
    """A loopback port on which nobody listens, held so that nobody can start to."""

    def __enter__(self) -> int:
        self._held = socket.socket()
        self._held.bind(("127.0.0.1", 0))
        port: int = self._held.getsockname()[1]
        return port

    def __exit__(self, *_: object) -> None:
        self._held.close()


def _show(title: str, values: Mapping[str, str]) -> None:
    click.echo(f"\n=== {title}\n")
    for name, value in values.items():
        click.echo(f"    export {name}={value}")
    click.echo()


def _judge(values: Mapping[str, str], color: str) -> int:
    from lens_preflight.cli.present import present, style
    from lens_preflight.core.deadline import Deadline
    from lens_preflight.preflight import preflight
    from lens_preflight.registry import builtin, register
    from lens_preflight.subject.builder import build

    inputs = Inputs(
        profile="node",
        profile_why="as a compute node would see it",
        process=Environment.of(values, "the sample"),
        world_size=8,
        nodes=1,
    )
    subject = build(inputs)
    record = preflight(inputs, subject, register(builtin()), Deadline.after(30))
    return present(record, subject, (), style(color, 0))
