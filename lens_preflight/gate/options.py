"""The table ``[gate]`` of the settings: what a site decides about its gate."""

from __future__ import annotations

import enum
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lens_preflight.core.data import dataclass, field
from lens_preflight.core.errors import InputError
from lens_preflight.core.numbers import whole
from lens_preflight.settings import Settings
from lens_preflight.suggest import did_you_mean

SWITCH = Path("/etc/lens-preflight/disabled")
"""The kill switch: while this file exists, no hook and no refresh does anything."""


class Policy(enum.Enum):
    """What the gate may do about a verdict."""

    ADVISORY = "advisory"
    """Say it; every exit code is 0 and no node is drained."""
    QUARANTINE = "quarantine"
    """Also take a node with a proven fault of its own out of service, after its job."""
    STRICT = "strict"
    """Exit codes as of ``check``; for CI, login nodes and srun steps, never for a hook."""


@dataclass(frozen=True)
class GateSettings:
    """What a site decided once.

    ``ttl``: seconds between two refreshes of a node, over which the nodes are spread; a verdict is
    good for two of them and ``timeout``, the seconds that one refresh may take. ``run_dir`` and
    ``textfile_dir`` may hold ``%n``, the node's name, for hosts that run several slurmd.
    ``fleet``: a folder that all nodes share, or a URL or JSON file that ``merge --fleet`` wrote.
    ``control_address`` (HOST:PORT) and ``control_name`` are what must be reachable from a healthy
    node whatever becomes of the collector. ``environment`` and ``env_file``: the site's endpoint.
    """

    policy: Policy = Policy.ADVISORY
    enabled: bool = True
    ttl: float = 300.0
    timeout: float = 20.0
    run_dir: str = "/run/lens-preflight"
    textfile_dir: str = ""
    syslog: str = "/dev/log"
    fleet: str = ""
    control_address: str = ""
    control_name: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    env_file: str = ""
    max_drains_per_hour: int = 2
    slurm_bin: str = ""
    switch: str = str(SWITCH)
    source: str = ""

    @property
    def lifetime(self) -> float:
        """Seconds for which a verdict may be used: one missed refresh is no loss."""
        return 2 * self.ttl + self.timeout

    def folder(self, node: str) -> Path:
        """Where the verdict of a node is kept."""
        return Path(self.run_dir.replace("%n", node))

    @property
    def off(self) -> str:
        """Why the gate is switched off; empty when it is not."""
        if not self.enabled:
            return "gate.enabled is false"
        return f"{self.switch} exists" if os.path.exists(self.switch) else ""


def gate_settings(settings: Settings) -> GateSettings:
    """The gate's part of the settings, checked.

    Raises:
        InputError: a key or value has no meaning.
    """
    read: dict[str, Any] = {"source": settings.source}
    for key, value in settings.gate.items():
        reader = _KEYS.get(key)
        if reader is None:
            raise InputError(f"{settings.source}: gate: unknown key {key!r}; {did_you_mean(key, _KEYS)}")
        read[key] = reader(value, f"{settings.source}: gate.{key}")
    return GateSettings(**read)


def _policy(value: Any, where: str) -> Policy:
    words = [p.value for p in Policy]
    if value == Policy.STRICT.value:
        raise InputError(
            f"{where}: strict is not for hooks, it would drain nodes; "
            "make `srun --ntasks-per-node=1 lens-preflight check --profile node` the first step of the job"
        )
    if value not in words:
        raise InputError(f"{where} = {value!r} is none of {', '.join(words[:2])}; write one of them")
    return Policy(value)


def _flag(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise InputError(f"{where} must be true or false, without quotes")
    return value


def _seconds(low: float, high: float) -> Callable[[Any, str], float]:
    def read(value: Any, where: str) -> float:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not low <= value <= high:
            raise InputError(f"{where} must be {low:g} to {high:g} seconds; write a number")
        return float(value)

    return read


def _count(value: Any, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 10_000:
        raise InputError(f"{where} must be a whole number from 0; write a number")
    return value


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or any(ord(c) < 32 for c in value):
        raise InputError(f"{where} must be a text on one line; put it in quotes")
    return value


def _path(value: Any, where: str) -> str:
    text = _text(value, where)
    if text and not text.startswith("/"):
        raise InputError(f"{where} = {text!r} must be an absolute path; hooks start in another folder")
    return text


def _fleet(value: Any, where: str) -> str:
    text = _text(value, where)
    return text if text.startswith(("http://", "https://")) else _path(value, where)


def _address(value: Any, where: str) -> str:
    text = _text(value, where)
    host, colon, port = text.rpartition(":")
    if text and not (colon and host and whole(port, 65535)):
        raise InputError(f"{where} = {text!r} must be HOST:PORT, such as slurmctl:6817")
    return text


def _environment(value: Any, where: str) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
        raise InputError(
            f'{where} must be a table of texts; write OTEL_EXPORTER_OTLP_ENDPOINT = "http://..."'
        )
    return value


_KEYS: dict[str, Callable[[Any, str], Any]] = {
    "policy": _policy,
    "enabled": _flag,
    "ttl": _seconds(1, 86_400),
    "timeout": _seconds(0.1, 600),
    "run_dir": _path,
    "textfile_dir": _path,
    "syslog": _path,
    "fleet": _fleet,
    "control_address": _address,
    "control_name": _text,
    "environment": _environment,
    "env_file": _path,
    "max_drains_per_hour": _count,
    "slurm_bin": _path,
    "switch": _path,
}
