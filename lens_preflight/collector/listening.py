"""What an OTLP receiver expects of those who send to it: port, encryption, authentication, path."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lens_preflight.collector.amounts import is_open
from lens_preflight.collector.model import CollectorConfig, Component
from lens_preflight.collector.types import OTLP_RECEIVERS
from lens_preflight.core.data import dataclass
from lens_preflight.core.finding import Location
from lens_preflight.documents import Scalar

TRANSPORTS = ("grpc", "http")
PORTS = {"grpc": 4317, "http": 4318}

_PORT = re.compile(r":([0-9]{1,5})$")


@dataclass(frozen=True)
class Listener:
    """One protocol of one receiver; ``port`` 0 when it is known at start only or there is none."""

    component: Component
    protocol: str
    at: Location
    port: int
    host: str = ""
    socket: bool = False
    tls: bool = False
    client_ca: bool = False
    authenticator: str = ""

    def path(self, signal: str) -> str:
        """The path of a signal, over HTTP."""
        return self.component.text("protocols", self.protocol, f"{signal}_url_path") or f"/v1/{signal}"

    @property
    def shown(self) -> str:
        """For a sentence."""
        return f"{self.component.id} ({self.protocol})"


def receivers(config: CollectorConfig, signal: str) -> list[Component]:
    """The OTLP receivers in the pipelines of a signal."""
    used = {reference.id for pipeline in config.of_signal(signal) for reference in pipeline.receivers}
    return [c for c in config.of("receivers").values() if c.type in OTLP_RECEIVERS and c.id in used]


def listeners(component: Component) -> Iterator[Listener]:
    """The protocols of a receiver."""
    for protocol in getattr(component.get("protocols"), "entries", {}):
        if protocol not in TRANSPORTS:
            continue
        keys = ("protocols", protocol)
        endpoint = component.text(*keys, "endpoint") or ""
        written = _PORT.search(endpoint)
        by_default = not endpoint and not is_open(component, *keys, "endpoint")
        node = component.get(*keys, "tls")
        tls = node is not None and not (isinstance(node, Scalar) and node.value is None)
        yield Listener(
            component,
            protocol,
            component.line_of(*keys, "endpoint"),
            int(written[1]) if written else PORTS[protocol] if by_default else 0,
            endpoint.rpartition(":")[0] if written else "",
            component.text(*keys, "transport") == "unix" or endpoint.startswith(("/", "unix:")),
            tls,
            component.get(*keys, "tls", "client_ca_file") is not None,
            component.text(*keys, "auth", "authenticator") or "",
        )
