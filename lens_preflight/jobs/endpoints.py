"""The OTLP endpoints in the environment of a launch: their hosts, and the proxy that stands before them."""

from __future__ import annotations

from urllib.parse import urlsplit

from lens_preflight.core.data import dataclass
from lens_preflight.core.errors import Undecided
from lens_preflight.core.finding import Location
from lens_preflight.core.variable import Environment, Variable
from lens_preflight.core.words import State
from lens_preflight.otel.dial import is_loopback
from lens_preflight.otel.proxies import grpc_proxy, requests_proxy

NAMES = (
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
    "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT",
)


@dataclass(frozen=True)
class Endpoint:
    """One endpoint variable of a launch.

    ``local``: it names this machine. ``proxy`` is the variable of the proxy that the client would go
    through, empty for a direct connection; ``proxy_at`` the place that sets it.
    """

    variable: str
    host: str
    local: bool
    at: Location
    proxy: str = ""
    proxy_at: Location | None = None


def endpoints(env: Environment) -> tuple[Endpoint, ...]:
    """The endpoints that are set to a known text."""
    found = []
    for name in NAMES:
        variable = env[name]
        if variable.state is State.VALUE and variable.value:
            found.append(_endpoint(env, variable))
    return tuple(found)


def _endpoint(env: Environment, variable: Variable) -> Endpoint:
    url = (variable.value or "").strip()
    try:
        host = urlsplit(url if "://" in url else f"//{url}").hostname or ""
    except ValueError:
        host = ""
    local = bool(host) and (host.startswith("127.") or is_loopback(host))
    proxy = "" if local or not host else _proxy(env, variable.name, url)
    at = env[proxy].location if proxy else None
    return Endpoint(variable.name, host, local, variable.location, proxy, at)


def _proxy(env: Environment, name: str, url: str) -> str:
    """The variable of the proxy that a client goes through; names nobody sets count as unset."""
    seen = env.closed()
    signal = name.removeprefix("OTEL_EXPORTER_OTLP_").removesuffix("ENDPOINT").rstrip("_")
    names = [f"OTEL_EXPORTER_OTLP_{signal}_PROTOCOL"] if signal else []
    try:
        protocol = next(
            (seen.text(n) for n in [*names, "OTEL_EXPORTER_OTLP_PROTOCOL"] if seen.text(n)), "grpc"
        )
        if (protocol or "grpc").startswith("http"):
            return _deciding(requests_proxy(seen, url).variable, requests_proxy(seen, url).url)
        target = urlsplit(url).netloc or url
        return _deciding(grpc_proxy(seen, target).variable, grpc_proxy(seen, target).url)
    except (Undecided, ValueError):
        return ""


def _deciding(variable: str, url: str | None) -> str:
    return variable if url else ""
