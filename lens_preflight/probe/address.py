"""What the two clients connect to for an endpoint: host and port, or why nothing can be dialled."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

from lens_preflight.core.data import dataclass
from lens_preflight.core.errors import LibraryFailure
from lens_preflight.otel.dial import Place, dial, is_loopback
from lens_preflight.otel.wire import wire_url

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


@dataclass(frozen=True)
class Destination:
    """Where a client connects to.

    ``kind`` is tcp, unix or other (a name scheme that cannot be looked into). ``literals`` are
    addresses given in the endpoint itself; empty when ``host`` has to be resolved. ``path`` is the
    one of a unix socket (with a NUL in front for an abstract one).
    """

    kind: str = "tcp"
    host: str = ""
    port: int = 0
    port_given: bool = True
    literals: tuple[tuple[str, int], ...] = ()
    path: str = ""

    @property
    def is_address(self) -> bool:
        """True when there is no name to resolve."""
        return bool(self.literals) or _address(self.host) is not None

    @property
    def loopback(self) -> bool:
        """True when only processes of the same host can be there."""
        if self.kind == "unix":
            return True
        hosts = [host for host, _ in self.literals] or [self.host]
        return all(is_loopback(host) for host in hosts)


class Malformed(Exception):
    """The endpoint cannot be dialled; ``code`` is the cause, ``text`` says why in one line."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


def http_destination(url: str) -> Destination:
    """Where requests connects to for a URL.

    Raises:
        Malformed: requests sends nothing for it.
    """
    try:
        sent = wire_url(url)
    except LibraryFailure as failure:
        if not _SCHEME.match(url.lstrip()) and failure.exception == "MissingSchema":
            raise Malformed("endpoint-no-scheme", "the HTTP exporter needs http:// in front") from failure
        raise Malformed("endpoint-syntax", f"requests refuses this URL ({failure.exception})") from failure
    if not sent.lower().startswith(("http://", "https://")):
        if _SCHEME.match(sent):
            raise Malformed("endpoint-syntax", "the HTTP exporter takes http:// and https:// only")
        raise Malformed("endpoint-no-scheme", "the HTTP exporter needs http:// in front")
    parts = urlsplit(sent)
    port = parts.port
    default = 443 if parts.scheme == "https" else 80
    return Destination(host=parts.hostname or "", port=port or default, port_given=port is not None)


def grpc_destination(target: str) -> Destination:
    """Where grpcio connects to for a target.

    Raises:
        Malformed: grpc's core cannot make an address of it.
    """
    found = dial(target)
    if found.problem and "@" in target:
        text = "gRPC takes user:password@ for a part of the host name"
        raise Malformed("credentials-in-url", text)
    if found.problem:
        raise Malformed("endpoint-syntax", f"gRPC cannot dial it: {found.problem}")
    if not found.places:
        return Destination("other")
    first = found.places[0]
    if first.path:
        nul = "\0" if target.lower().startswith("unix-abstract:") else ""
        return Destination("unix", host="localhost", path=nul + first.path)
    given = all(place.port_given for place in found.places)
    return Destination(host=first.host, port=first.port, port_given=given, literals=_literals(found.places))


def _literals(places: tuple[Place, ...]) -> tuple[tuple[str, int], ...]:
    return tuple(dict.fromkeys((p.host, p.port) for p in places if not p.is_name))


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
