"""What the two clients dial for an endpoint: host, port, or a reason why nothing can be dialled.

Sources: the name schemes and ``SplitHostPort`` of grpc's core (grpcio 1.85.3, measured);
requests 2.34.2 through ``otel.wire``.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from lens_preflight.core.errors import LibraryFailure
from lens_preflight.otel.wire import wire_url

GRPC_DEFAULT_PORT = 443
"""Also for plaintext."""

_HOST = re.compile(r"[A-Za-z0-9._*/-]+")
"""What c-ares takes for a host name."""

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
        return all(_is_loopback(host) for host in hosts)


class Malformed(Exception):
    """The endpoint cannot be dialled; ``code`` is the cause."""

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
    scheme, colon, rest = target.partition(":")
    if colon and scheme in _GRPC_SCHEMES:
        return _GRPC_SCHEMES[scheme](rest)
    return _dns(target)


def _dns(text: str) -> Destination:
    """Host and port of a name; ``//authority/`` in front belongs to the name scheme."""
    name = re.sub(r"^//[^/]*/", "", text).lstrip("/") if text.startswith("//") else text
    host, port, given = _split(name)
    if not host:
        raise Malformed("endpoint-syntax", "there is no host in it")
    if "@" in host:
        raise Malformed("credentials-in-url", "gRPC takes user:password@ for a part of the host name")
    if _address(host) is None and not _HOST.fullmatch(host):
        raise Malformed("endpoint-syntax", "its host is none that gRPC can look up")
    return Destination(host=host, port=port, port_given=given)


def _split(name: str) -> tuple[str, int, bool]:
    """Host, port, and whether a port was given; a host with several colons and no brackets has none."""
    if name.startswith("["):
        host, bracket, rest = name[1:].partition("]")
        if not bracket or (rest and not rest.startswith(":")):
            raise Malformed("endpoint-syntax", "its brackets do not close around an address")
        return (host, _port(rest[1:]), True) if rest else (host, GRPC_DEFAULT_PORT, False)
    if name.count(":") == 1:
        host, _, port = name.partition(":")
        return host, _port(port), True
    if name.count(":") > 1 and _address(name) is None:
        code = "credentials-in-url" if "@" in name else "endpoint-syntax"
        raise Malformed(code, "it holds several colons, and gRPC takes all of it for the host")
    return name, GRPC_DEFAULT_PORT, False


def _port(text: str) -> int:
    """The port as grpc's core reads it: a service name or a number, modulo 65536."""
    if text in ("http", "https"):
        return 80 if text == "http" else 443
    if not re.fullmatch(r"\s*[+-]?[0-9]{1,9}\s*", text):
        raise Malformed("endpoint-syntax", "its port is no number")
    return int(text) & 0xFFFF


def _addresses(text: str) -> Destination:
    """A list of literal addresses, as ``ipv4:`` and ``ipv6:`` take them."""
    pairs = []
    given = True
    for item in unquote(text.lstrip("/")).split(","):
        host, port, has_port = _split(item)
        if _address(host) is None:
            raise Malformed("endpoint-syntax", "it holds something that is no address")
        pairs.append((host, port))
        given = given and has_port
    return Destination(
        host=pairs[0][0], port=pairs[0][1], port_given=given, literals=tuple(dict.fromkeys(pairs))
    )


def _unix(text: str) -> Destination:
    path = re.sub(r"^//[^/]*(?=/)", "", text) if text.startswith("//") else text
    if not path:
        raise Malformed("endpoint-syntax", "there is no path in it")
    return Destination("unix", host="localhost", path=path)


def _abstract(text: str) -> Destination:
    return Destination("unix", host="localhost", path="\0" + text)


def _other(_: str) -> Destination:
    return Destination("other")


_GRPC_SCHEMES = {
    "dns": _dns,
    "ipv4": _addresses,
    "ipv6": _addresses,
    "unix": _unix,
    "unix-abstract": _abstract,
    "vsock": _other,
    "xds": _other,
    "google-c2p": _other,
}


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _is_loopback(host: str) -> bool:
    address = _address(host)
    if address is None:
        return host.rstrip(".").lower() in ("localhost", "ip6-localhost") or host.lower().endswith(
            ".localhost"
        )
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback or address.is_unspecified
