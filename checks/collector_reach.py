"""collector-config: whether what the job dials is what a receiver of the signal listens for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks import collector_delivery_rules as rules
from lens_preflight.core.data import dataclass
from lens_preflight.core.errors import LibraryFailure, Undecided
from lens_preflight.core.finding import Finding
from lens_preflight.core.words import State

if TYPE_CHECKING:
    from lens_preflight.collector.listening import Listener
    from lens_preflight.collector.model import CollectorConfig
    from lens_preflight.context import Context
    from lens_preflight.otel.exporter import Exporter


def reach_findings(config: CollectorConfig, ctx: Context, signals: Iterable[str]) -> Iterator[Finding]:
    """Each difference once, with the signals that it keeps away.

    On the node of the job nothing stands between; before a gateway something may translate.
    """
    from lens_preflight.collector.listening import listeners, receivers

    found: dict[tuple[Difference, bool], list[str]] = {}
    for signal in signals:
        open_to = [at for component in receivers(config, signal) for at in listeners(component)]
        for exporter in _exporters(ctx, signal):
            refused = [_difference(at, exporter) for at in open_to if at.protocol == exporter.transport]
            if None in refused:
                continue
            near = ctx.topology == "node-agent" and exporter.loopback
            for difference in sorted(filter(None, refused), key=lambda d: d.what.startswith(_PORT))[:1]:
                lost = found.setdefault((difference, near), [])
                lost += [signal] if signal not in lost else []
    for (difference, near), lost in found.items():
        secret = difference.what.startswith(_SECRET)
        rule = rules.NO_CREDENTIALS if secret else rules.NOT_THE_RECEIVER if near else rules.RECEIVER_DIFFERS
        evidence = {"the job": difference.dialled, "the receiver": difference.heard}
        yield Finding(
            rule,
            f"the job exports {' and '.join(lost)} {difference.what}",
            difference.at.at,
            evidence={key: value for key, value in evidence.items() if value},
            remedy=_remedy(difference),
        )


@dataclass(frozen=True)
class Difference:
    """What keeps an exporter from a listener: the end of a sentence, and what differs."""

    at: Listener
    what: str
    dialled: str = ""
    heard: str = ""


_PORT = "to another port"
_SECRET = "without a header"


def _remedy(difference: Difference) -> str:
    at = difference.at
    if difference.what.startswith(_SECRET):
        return f"set OTEL_EXPORTER_OTLP_HEADERS to what {at.authenticator} asks for"
    scheme = "https" if at.tls else "http"
    return (
        f"make them agree; for this receiver: OTEL_EXPORTER_OTLP_ENDPOINT={scheme}://HOST:{at.port or 'PORT'}"
    )


def _exporters(ctx: Context, signal: str) -> Iterator[Exporter]:
    """The exporters of the launches whose address somebody wrote, or that stay on their node."""
    from lens_preflight.otel.view import OtelView

    for launch in ctx.launches:
        view = OtelView(ctx.env_of(launch), ctx.generation, ctx.files, launch.framework.prefixes)
        try:
            exporter = view.in_sight.with_all_files.exporter(signal)
        except (Undecided, LibraryFailure):  # said by refuse_unknown_transport, or by environment
            continue
        if exporter.transport in ("grpc", "http") and (
            exporter.endpoint_from.value or ctx.topology == "node-agent"
        ):
            yield exporter


def _difference(at: Listener, exporter: Exporter) -> Difference | None:
    """What keeps an exporter from a listener; None for nothing."""
    port = _port(exporter)
    if at.socket:
        return Difference(at, f"to a port, and {at.shown} listens on a socket", str(port))
    if at.port and port and at.port != port:
        return Difference(at, f"{_PORT} than {at.shown} listens on", str(port), str(at.port))
    if at.tls and not exporter.tls:
        return Difference(at, f"in plaintext, and {at.shown} expects TLS")
    if exporter.tls and not at.tls:
        return Difference(at, f"over TLS, and {at.shown} speaks plaintext")
    if at.client_ca and exporter.client_cert is None:
        return Difference(at, f"without a client certificate, which {at.shown} asks for")
    if exporter.transport == "http" and _path(exporter) != at.path(exporter.signal):
        return Difference(
            at, f"to another path than {at.shown} serves", _path(exporter), at.path(exporter.signal)
        )
    known = exporter.headers_from.state in (State.VALUE, State.UNSET)
    if at.authenticator and known and not exporter.headers_from.value and not exporter.client_cert:
        return Difference(at, f"{_SECRET}, and {at.shown} asks for one", heard=at.authenticator)
    return None


def _port(exporter: Exporter) -> int:
    """The port that is dialled; 0 when it is not known."""
    from urllib.parse import urlsplit

    from lens_preflight.otel.dial import dial

    if exporter.transport == "grpc":
        places = dial(exporter.target).places
        return places[0].port if places else 0
    try:
        parts = urlsplit(exporter.target.strip())
        return parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        return 0


def _path(exporter: Exporter) -> str:
    from urllib.parse import urlsplit

    try:
        return urlsplit(exporter.target.strip()).path
    except ValueError:
        return ""
