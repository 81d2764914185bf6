"""The OTLP endpoints in the environment of a launch: their hosts, and the proxy that stands before them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lens_preflight.core.data import dataclass
from lens_preflight.core.errors import Undecided
from lens_preflight.core.finding import Location
from lens_preflight.core.variable import Environment, Variable
from lens_preflight.core.words import State
from lens_preflight.lens.config import TRUE_WORDS
from lens_preflight.otel.dial import is_loopback
from lens_preflight.otel.proxies import grpc_proxy, requests_proxy

if TYPE_CHECKING:
    from lens_preflight.lens.frameworks import Framework

NAMES = (
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
    "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT",
)


@dataclass(frozen=True)
class Endpoint:
    """One endpoint variable of a launch.

    ``local``: it names this machine; ``default``: because nobody sets it, or (``undone``) because a line of
    the job unsets it. ``proxy`` is the variable of the proxy that the client would go through, empty for a
    direct connection; ``proxy_at`` the place that sets it.
    """

    variable: str
    host: str
    local: bool
    at: Location
    proxy: str = ""
    proxy_at: Location | None = None
    default: bool = False
    undone: bool = False


def endpoints(env: Environment) -> tuple[Endpoint, ...]:
    """The endpoints that are set to a known text."""
    found = []
    for name in NAMES:
        variable = env[name]
        if variable.state is State.VALUE and variable.value:
            found.append(_endpoint(env, variable))
    return tuple(found)


def default_endpoint(env: Environment, framework: Framework, at: Location) -> tuple[Endpoint, ...]:
    """The exporters' own default, which is localhost, where a launch with telemetry surely sets no endpoint.

    A name that the submitter or an image may set counts as neither; ``at`` is the place of the launch.
    """
    general, *others = (env[name] for name in NAMES)
    on = any(_switched_on(env[f"{prefix}_ENABLED"]) for prefix in framework.prefixes)
    own = all(one.state in (State.VALUE, State.PROVIDED) and one.value != "" for one in others[:2])
    if not on or own or _switched_on(env["OTEL_SDK_DISABLED"]) or not _absent(general):
        return ()
    undone = general.origin.at if general.origin is not None else None
    return (Endpoint(general.name, "localhost", True, undone or at, default=True, undone=undone is not None),)


def _switched_on(variable: Variable) -> bool:
    return variable.state is State.VALUE and (variable.value or "").lower() in TRUE_WORDS


def _absent(variable: Variable) -> bool:
    empty = variable.state is State.VALUE and not variable.value and not variable.reason
    return variable.state is State.UNSET or empty


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
