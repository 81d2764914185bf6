"""Which proxy the two OTLP clients take for an endpoint: requests and grpcio differ.

Sources: requests 2.34.2 with ``urllib.request`` of CPython 3.10 to 3.13; grpcio 1.85.3, measured.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from lens_preflight.core.data import dataclass
from lens_preflight.core.numbers import whole
from lens_preflight.core.variable import Environment, Variable
from lens_preflight.core.words import State


@dataclass(frozen=True)
class ProxyDecision:
    """The proxy that a client takes for one endpoint, and why.

    ``url`` is the proxy as written, None for a direct connection; it may hold credentials.
    ``variable`` names the environment variable that decided: the one that holds the proxy, or the
    one that bypasses it; empty when no variable asks for a proxy. ``bypassed`` says which entry of
    ``variable`` keeps a configured proxy out.
    """

    url: str | None = None
    variable: str = ""
    bypassed: str = ""


GRPC_PROXIES = ("grpc_proxy", "https_proxy", "http_proxy")
"""In the order in which grpc's core looks; lower case only, plaintext targets included."""

GRPC_BYPASSES = ("no_grpc_proxy", "no_proxy")

WHOLE_SCHEMES = ("unix", "unix-abstract", "vsock", "ipv4", "ipv6", "dns", "xds", "google-c2p")
"""Target prefixes that grpc's core knows as name schemes."""


def grpc_proxy(env: Environment, target: str) -> ProxyDecision:
    """The proxy that grpcio tunnels through for a target.

    Upper-case names and ``no_proxy=*`` are not honoured; entries match by suffix, an address also by
    CIDR block.

    Raises:
        Undecided: a proxy variable is not known before start.
    """
    scheme = target.partition(":")[0].lower()
    if scheme in ("unix", "unix-abstract", "vsock"):
        return ProxyDecision()
    variable = next((env[name] for name in GRPC_PROXIES if env.text(name)), None)
    if variable is None or not (variable.value or "").lower().startswith("http://"):
        return ProxyDecision()
    if not (variable.value or "")[len("http://") :].partition("/")[0]:
        return ProxyDecision()  # without a host it counts for nothing
    bypass = next((env[name] for name in GRPC_BYPASSES if env.text(name)), None)
    if bypass is not None:
        host = grpc_host(target)
        for entry in (item.strip() for item in (bypass.value or "").split(",")):
            if entry and (_in_block(host, entry) or host.lower().endswith(entry.lower())):
                return ProxyDecision(None, bypass.name, entry)
    return ProxyDecision(variable.value, variable.name)


def grpc_host(target: str) -> str:
    """The host of a gRPC target without name scheme, port and brackets."""
    scheme, colon, rest = target.partition(":")
    if colon and scheme.lower() in WHOLE_SCHEMES:
        target = rest.rpartition("/")[2]
    target = target.split(",")[0]
    if target.startswith("["):
        return target[1:].partition("]")[0]
    return target.partition(":")[0] if target.count(":") == 1 else target


def _in_block(host: str, entry: str) -> bool:
    """True when ``host`` is an address inside the CIDR block (or equal to the address) ``entry``."""
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(entry, strict=False)
    except ValueError:
        return False


def requests_proxies(env: Environment, url: str) -> dict[str, str]:
    """The proxies that requests takes from the environment for a URL: scheme to proxy, ``no`` included.

    Raises:
        Undecided: a proxy variable is not known before start.
    """
    if _bypass(env, url) is not None:
        return {}
    return {scheme: value.value or "" for scheme, value in _configured(env).items()}


def requests_proxy(env: Environment, url: str) -> ProxyDecision:
    """The proxy that requests sends a request for ``url`` through.

    Lower case wins over upper case, also when empty; ``no_proxy`` wins over ``NO_PROXY``;
    ``HTTP_PROXY`` counts for nothing when REQUEST_METHOD is set.

    Raises:
        Undecided: a proxy variable is not known before start.
    """
    configured = _configured(env)
    scheme = _parts(url)[0]
    chosen = configured.get(scheme) or configured.get("all")
    if chosen is None:
        return ProxyDecision()
    bypass = _bypass(env, url)
    if bypass is not None:
        return ProxyDecision(None, *bypass)
    return ProxyDecision(chosen.value, chosen.name)


_PLAIN_PROXY = re.compile(
    r"(?:https?://(?:[a-z0-9._~%!$&'()*+,;=-]+(?::[a-z0-9._~%!$&'()*+,;=-]*)?@)?)?"
    r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}))?/?",
    re.IGNORECASE,
)


def requests_refusal(proxy: str) -> tuple[str, str]:
    """The exception that requests raises over a proxy at every export, and why; empty texts for none.

    ``SOCKS`` in place of an exception: it needs a package that may be installed where the job runs.
    Source: requests 2.34.2 with urllib3 2.8.0, executed; URLs that are not of the plain kind are
    handed to them.
    """
    if _PLAIN_PROXY.fullmatch(proxy):
        return "", ""
    from requests.utils import prepend_scheme_if_needed
    from urllib3.util import parse_url

    try:
        parts = parse_url(prepend_scheme_if_needed(proxy, "http"))  # type: ignore[no-untyped-call]
    except ValueError:
        return "InvalidURL", "it is no URL of a proxy"
    if not parts.host:
        return "InvalidProxyURL", "the URL of the proxy has no host"
    scheme = (parts.scheme or "").lower()
    if scheme.startswith("socks"):
        return "SOCKS", "requests takes a SOCKS proxy only with PySocks installed, else every export fails"
    if scheme not in ("http", "https"):
        return "InvalidURL", f"requests knows no proxy of the kind {scheme}://"
    return "", ""


def _configured(env: Environment) -> dict[str, Variable]:
    """Scheme to variable, as ``urllib.request.getproxies_environment`` collects them."""
    schemes = {"http", "https", "all", "no"}
    listed = {v.name for v in env if v.state is not State.UNSET and v.name.lower().endswith("_proxy")}
    names = listed | {f"{s}_proxy" for s in schemes} | {f"{s.upper()}_PROXY" for s in schemes}
    found: dict[str, Variable] = {}
    for name in sorted(names):
        if env.text(name):
            found[name.lower()[:-6]] = env[name]
    if env.text("REQUEST_METHOD") is not None:
        found.pop("http", None)
    for name in sorted(n for n in names if n.endswith("_proxy")):
        text = env.text(name)
        if text:
            found[name.lower()[:-6]] = env[name]
        elif text is not None:
            found.pop(name.lower()[:-6], None)
    return found


def _parts(url: str) -> tuple[str, str | None, int | None]:
    """Scheme, host and port; no host for a URL that requests refuses anyway."""
    try:
        parts = urlsplit(url.lstrip())
        return parts.scheme, parts.hostname, parts.port
    except ValueError:
        return "", None, None


def _bypass(env: Environment, url: str) -> tuple[str, str] | None:
    """The variable and its entry that keep requests off a proxy for ``url``, None when none does."""
    _, host, port = _parts(url)
    if host is None:
        return "", ""
    variable = env["no_proxy"] if env.text("no_proxy") else env["NO_PROXY"]
    text = env.text(variable.name) or ""
    entries = [item for item in text.replace(" ", "").split(",") if item]
    if _ipv4(host) is not None:
        entry = next((e for e in entries if host == e or _in_ipv4_block(host, e)), None)
    else:
        entry = _by_suffix(entries, (host, f"{host}:{port}" if port else host))
    if entry is not None:
        return variable.name, entry
    return _stdlib_bypass(env, host)


def _stdlib_bypass(env: Environment, host: str) -> tuple[str, str] | None:
    """The second look of requests: ``urllib.request.proxy_bypass_environment``."""
    variable = _configured(env).get("no")
    if variable is None:
        return None
    text = variable.value or ""
    if text == "*":
        return variable.name, "*"
    host = host.lower()
    name, colon, port = host.rpartition(":")
    alone = name if colon and port.isdigit() else host
    entry = _by_suffix([e.strip().lower() for e in text.split(",") if e.strip()], (alone, host))
    return None if entry is None else (variable.name, entry)


def _by_suffix(entries: Iterable[str], hosts: tuple[str, ...]) -> str | None:
    """The first entry that is one of ``hosts`` or a domain above it; leading dots do not count."""
    for entry in entries:
        name = entry.lstrip(".")
        if any(host == name or host.endswith(f".{name}") for host in hosts):
            return entry
    return None


def _ipv4(host: str) -> int | None:
    """The number of an IPv4 address in any form that the C library takes, None for anything else."""
    import socket

    try:
        return int.from_bytes(socket.inet_aton(host), "big")
    except (OSError, UnicodeError):
        return None


def _in_ipv4_block(host: str, entry: str) -> bool:
    """IPv4 CIDR with a prefix of 1 to 32, as requests understands it."""
    address, slash, bits = entry.partition("/")
    length = whole(bits, 32)
    one, other = _ipv4(host), _ipv4(address)
    if not (slash and length) or one is None or other is None:
        return False
    return one >> (32 - length) == other >> (32 - length)
