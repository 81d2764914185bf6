"""``lens-preflight sink``: an OTLP receiver in the foreground that tells what came."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

import click

from lens_preflight.core.errors import InputError

if TYPE_CHECKING:
    from lens_preflight.probe.sink.server import Sink


@click.command()
@click.option("--host", default="127.0.0.1", metavar="ADDRESS", help="Where to listen [127.0.0.1].")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=4317,
    metavar="N",
    help="Port of gRPC; HTTP takes the next one. 0: free ports [4317].",
)
@click.option("--http-port", type=click.IntRange(0, 65535), metavar="N", help="Port of HTTP [4318].")
@click.option(
    "--for", "seconds", type=click.FloatRange(0), metavar="S", help="Stop by itself after S seconds."
)
@click.option("--json", "as_json", is_flag=True, help="At the end, everything counted as JSON.")
def sink(host: str, port: int, http_port: int | None, seconds: float | None, as_json: bool) -> int:
    """Receive traces, metrics and logs over gRPC and HTTP, in memory, until Ctrl-C.

    Prints where it listens and, at the end, what came per run id. GET / on the HTTP port shows the
    same while it runs.
    """
    from lens_preflight.probe.sink.server import Sink

    second = http_port if http_port is not None else (port + 1 if port else 0)
    try:
        receiver = Sink(host, port, second)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or "the port cannot be had"
        raise InputError(
            f"cannot listen on {host} port {port} or {second} ({reason}); try --port 0"
        ) from error
    with receiver:
        click.echo(f"OTLP over gRPC: {receiver.grpc_url}")
        click.echo(f"OTLP over HTTP: {receiver.http_url}")
        click.echo(f"export OTEL_EXPORTER_OTLP_ENDPOINT={receiver.grpc_url}")
        _wait(seconds)
    _tell(receiver, as_json)
    return 0


def _wait(seconds: float | None) -> None:
    try:
        threading.Event().wait(threading.TIMEOUT_MAX if seconds is None else seconds)
    except KeyboardInterrupt:
        click.echo()


def _tell(receiver: Sink, as_json: bool) -> None:
    summary = receiver.store.summary()
    if as_json:
        click.echo(json.dumps(summary, indent=2, sort_keys=True))
        return
    for signal, count in summary["records"].items():
        click.echo(f"{signal:<8} {count} records in {summary['requests'].get(signal, 0)} requests")
    for run_id, signals in sorted(summary["runs"].items()):
        what = ", ".join(f"{sum(names.values())} {signal}" for signal, names in signals.items())
        click.echo(f"run {run_id or '(none)'}: {what}")
