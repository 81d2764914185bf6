"""What grpcio dials for a target: addresses, names, and the spellings that lead nowhere.

Source: grpcio 1.85.3 (C core with c-ares), measured; names are not looked up here.
"""

from __future__ import annotations

import ipaddress
import re

from lens_preflight.core.data import dataclass

DEFAULT_PORT = 443
"""Also for plaintext."""

_HOST_NAME = re.compile(r"[A-Za-z0-9_*/-]{1,63}(?:\.[A-Za-z0-9_*/-]{1,63})*\.?")


@dataclass(frozen=True)
class Place:
    """One place to connect to.

    ``host`` is an address or a name, ``port`` 0 to 65535; for a socket in the file system ``path``
    is set and nothing else. ``port_given`` is False when grpc fell back to its default.
    """

    host: str = ""
    port: int = 0
    path: str = ""
    port_given: bool = True

    @property
    def is_name(self) -> bool:
        """True when c-ares must look the host up (it does not ask what getaddrinfo asks)."""
        return not self.path and not _is_address(self.host)


@dataclass(frozen=True)
class Dial:
    """The places of a target, tried in order; ``problem`` says why there are none.

    Neither for schemes that lead somewhere else: to a control plane, to the host of a machine.
    ``problem`` holds no credentials.
    """

    places: tuple[Place, ...] = ()
    problem: str = ""


def dial(target: str) -> Dial:
    """What grpcio makes of a target; a list of addresses needs the scheme ``ipv4:`` or ``ipv6:``."""
    scheme, colon, rest = target.partition(":")
    scheme = scheme.lower()
    if colon and scheme in ("unix", "unix-abstract"):
        path = rest[2:] if rest.startswith("//") else rest
        return Dial((Place(path=path),)) if path else Dial(problem="the socket has no path")
    if colon and scheme in ("vsock", "xds", "google-c2p"):
        return Dial()
    if colon and scheme in ("ipv4", "ipv6"):
        return _all([_place(text) for text in rest.lstrip("/").split(",")], addresses=True)
    if colon and scheme == "dns":
        return _all([_place(rest.rpartition("/")[2] if rest.startswith("//") else rest.lstrip("/"))])
    return _all([_place(target)])


def _all(found: list[Place | str], *, addresses: bool = False) -> Dial:
    """All places, or the first problem; ``addresses``: names do not count."""
    places: list[Place] = []
    for item in found:
        if isinstance(item, str):
            return Dial(problem=item)
        if addresses and item.is_name:
            return Dial(problem=f"{item.host!r} is no address")
        places.append(item)
    return Dial(tuple(places))


def _place(text: str) -> Place | str:
    """Host and port of a name, or what is wrong with it."""
    if "@" in text:
        return "credentials in front of an @ are taken for a part of the host name"
    host, port = _split(text)
    if not host:
        return "the host is empty"
    number = DEFAULT_PORT
    if port:
        words = {"http": 80, "https": 443}
        try:
            number = words[port] if port in words else int(port.strip(" \t\n"))
        except ValueError:
            return f"{port!r} is no port"
    if not _is_address(host) and not _HOST_NAME.fullmatch(host):
        return f"{host!r} is no host name"
    return Place(host, number % 65536, port_given=bool(port))


def _split(text: str) -> tuple[str, str]:
    """Host and port; with more than one colon and no brackets all of it is the host."""
    if text.startswith("["):
        host, _, rest = text[1:].partition("]")
        return host, rest[1:] if rest.startswith(":") else ""
    if text.count(":") != 1:
        return text, ""
    host, _, port = text.partition(":")
    return host, port


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


def is_localhost(host: str) -> bool:
    """True for the name of this very host, whatever the resolver says."""
    name = host.rstrip(".").lower()
    return name in ("localhost", "ip6-localhost") or name.endswith(".localhost")


def is_loopback(host: str) -> bool:
    """True for a name or address that only processes of the same host can reach."""
    if not _is_address(host):
        return is_localhost(host)
    address = ipaddress.ip_address(host.partition("%")[0])
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback or address.is_unspecified)
