"""The way in which one exporter sends: two hosts that send alike get alike answers."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from lens_preflight.core.data import dataclass
from lens_preflight.core.words import State
from lens_preflight.otel.http_exporter import OWN_HEADERS
from lens_preflight.redact.mark import mark

if TYPE_CHECKING:
    from lens_preflight.core.variable import Environment
    from lens_preflight.otel.exporter import Exporter

EVIDENCE = "way"
"""Evidence whose key begins with this word says how something was sent."""

VARIABLES = (
    *("GRPC_DNS_RESOLVER", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "GRPC_SSL_CIPHER_SUITES"),
    *("RES_OPTIONS", "LOCALDOMAIN", "HOSTALIASES", "OPENSSL_CONF", "NETRC"),
)
"""What the clients read by themselves, beside proxies and bundles, that changes the answer."""

_MOST = 2000
_QUERY = re.compile(r"([^?#]*)([?#]?)(.*)\Z", re.DOTALL)


@dataclass(frozen=True)
class Way:
    """How one signal is sent, apart from what is secret: of that there is a mark."""

    signal: str
    facts: tuple[tuple[str, str], ...]
    mark: str = ""

    @property
    def key(self) -> str:
        """Evidence that says it is this way; equal for equal ways, whatever a report hides."""
        digest = hashlib.sha256(json.dumps(self.facts).encode()).hexdigest()[:16]
        return f"{EVIDENCE} {self.signal} {digest}{'.' if self.mark else ''}{self.mark}"

    @property
    def text(self) -> str:
        """The facts in words."""
        return "; ".join(f"{label} {_plain(fact)}" for label, fact in self.facts)

    def differs(self, text: str) -> str:
        """In what another way differs, given by its text: theirs and ours, in words."""
        parts = text[:_MOST].split("; ")  # of a report that somebody else has written
        theirs = dict(_labelled(part, dict(self.facts)) for part in parts)
        found = [
            f"{label} {theirs.get(label, 'none')} and not {_plain(fact)}"
            for label, fact in self.facts
            if theirs.get(label) != _plain(fact)
        ]
        return ", ".join(found[:3]) or "other values of headers or credentials"


def way(exporter: Exporter, env: Environment) -> Way:
    """How an exporter sends. Files count by their paths: what they hold is the compute node's."""
    endpoint, *hidden = _parted(exporter.target)
    proxy, *login = _parted(exporter.proxy.url or "")
    headers = sorted((name, value) for name, value in exporter.headers if not _own(exporter, name, value))
    facts = {
        "protocol": "gRPC" if exporter.transport == "grpc" else "HTTP",
        "endpoint": endpoint,
        "encryption": "TLS" if exporter.tls else "none",
        "headers": ",".join(name for name, _ in headers),
        "compression": exporter.compression,
        "time-out": f"{exporter.timeout:g} s",
        "proxy": proxy,
        **(_trust(exporter) if exporter.tls else {}),
        "variables": ",".join(_variables(env)),
    }
    secret = (*hidden, *login, *(value for _, value in headers))
    host = endpoint.partition("://")[2] or endpoint
    return Way(
        exporter.signal,
        tuple((label, fact or "none") for label, fact in facts.items()),
        mark(secret, re.split(r"[/:]", host)[0]),
    )


def _own(exporter: Exporter, name: str, value: str) -> bool:
    """Whether the exporter sends this header by itself."""
    own = {**OWN_HEADERS, "content-encoding": exporter.compression}
    return exporter.transport == "http" and own.get(name) == value


def told(evidence: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Signal, key and text of each way in some evidence."""
    for key, text in evidence.items():
        word, _, rest = key.partition(" ")
        if word == EVIDENCE and rest:
            yield rest.partition(" ")[0], key, text


def _trust(exporter: Exporter) -> dict[str, str]:
    return {
        "CA": exporter.ca_from.value or "",
        "client certificate": exporter.client_cert_from.value or "",
        "client key": exporter.client_key_from.value or "",
    }


def _variables(env: Environment) -> Iterator[str]:
    for name in VARIABLES:
        variable = env[name]
        if variable.state is State.VALUE and variable.value:
            yield f"{name}={variable.value}"


def _parted(target: str) -> tuple[str, str, str]:
    """A target as it may be shown, and what may be secret in it: user and password, query."""
    place, sign, query = _QUERY.match(target.strip()).groups()  # type: ignore[union-attr]
    scheme, slashes, rest = place.rpartition("://")
    login, _, rest = rest.rpartition("@")
    return f"{scheme}{slashes}{rest}", login, sign + query


def _plain(fact: str) -> str:
    return fact.replace(";", "%3B")


def _labelled(part: str, labels: Mapping[str, str]) -> tuple[str, str]:
    label = next((label for label in labels if part.startswith(f"{label} ")), "")
    return label, part[len(label) + 1 :]
