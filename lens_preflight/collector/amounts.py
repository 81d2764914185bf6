"""Durations, sizes and addresses as the Collector writes them."""

from __future__ import annotations

import ipaddress
import math
import re

from lens_preflight.collector.model import Component
from lens_preflight.documents import Scalar
from lens_preflight.otel.dial import is_loopback as _is_loopback

_PART = re.compile(r"([0-9]{1,18}(?:\.[0-9]+)?)(ns|us|µs|ms|s|m|h)")
_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}


def seconds(text: str | None) -> float | None:
    """A Go duration in seconds; a bare number counts nanoseconds; None for anything else."""
    if text is None:
        return None
    text = text.strip().removeprefix("+")
    if re.fullmatch(r"-?[0-9]{1,18}", text):
        return int(text) * 1e-9
    parts = _PART.findall(text)
    if not parts or "".join(a + b for a, b in parts) != text:
        return None
    return math.fsum(float(amount) * _SECONDS[unit] for amount, unit in parts)


def whole(component: Component, *keys: str) -> int | None:
    """A whole number of a component's body, without what follows a point; None when absent, open or none."""
    found = number(component, *keys)
    return None if found is None or not math.isfinite(found) else int(found)


def number(component: Component, *keys: str) -> float | None:
    """A number of a component's body, with or without a point; None when absent, open or no number."""
    node = component.get(*keys)
    value = node.value if isinstance(node, Scalar) else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def is_off(component: Component, *keys: str) -> bool:
    """Whether a switch is written as false."""
    return component.flag(*keys) is False


def is_open(component: Component, *keys: str) -> bool:
    """Whether a value is known only when the collector starts."""
    node = component.get(*keys)
    return isinstance(node, Scalar) and node.open


def bind_host(endpoint: str) -> str:
    """The host of ``host:port``; empty for all interfaces (``:4317``)."""
    endpoint = endpoint.strip()
    if endpoint.startswith("["):
        return endpoint[1:].partition("]")[0]
    return endpoint.rpartition(":")[0] if ":" in endpoint else endpoint


def is_loopback(host: str) -> bool:
    """Whether a host is this machine only."""
    return not is_everywhere(host) and (host.startswith("127.") or _is_loopback(host))


def is_everywhere(host: str) -> bool:
    """Whether a bind address means all interfaces."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return host in ("", "*")
