"""The resource of the SDK: ``OTEL_RESOURCE_ATTRIBUTES`` and ``OTEL_SERVICE_NAME``.

Source: opentelemetry-sdk 1.45.2, executed.
"""

from __future__ import annotations

from typing import TypeAlias
from urllib.parse import unquote

from lens_preflight.core.data import dataclass
from lens_preflight.core.variable import Environment
from lens_preflight.otel.remark import Remark, Volume

NAME = "OTEL_RESOURCE_ATTRIBUTES"
SERVICE_NAME = "OTEL_SERVICE_NAME"
RANDOM = "<random per process>"
"""Stands for a value that each process makes up."""

Attribute: TypeAlias = str | int


@dataclass(frozen=True)
class ResourceText:
    """The attributes of the environment, and what was wrong with their text."""

    attributes: tuple[tuple[str, str], ...]
    remarks: tuple[Remark, ...] = ()

    def __contains__(self, key: str) -> bool:
        return any(name == key for name, _ in self.attributes)


def from_environment(env: Environment) -> ResourceText:
    """What the SDK reads from the environment, the service name included.

    Split at ``,`` first and at the first ``=`` then; only values are percent-decoded; an item
    without ``=`` and an empty name are dropped with a warning; the last of equal names wins.

    Raises:
        Undecided: a variable is not known before start.
    """
    found: dict[str, str] = {}
    remarks: list[Remark] = []
    text = env.text(NAME)
    for position, item in enumerate(text.split(",") if text else (), 1):
        name, equals, value = item.partition("=")
        if not equals:
            effect = f"item {position} has no '=' and is dropped"
            remarks.append(Remark("resource-item", NAME, Volume.WARNS, effect))
        elif not name.strip():
            effect = f"item {position} has no name and is dropped"
            remarks.append(Remark("resource-item", NAME, Volume.WARNS, effect))
        else:
            found[name.strip()] = unquote(value.strip())
    if service := env.text(SERVICE_NAME):
        found["service.name"] = service
    return ResourceText(tuple(found.items()), tuple(remarks))


def resource(env: Environment, executable: str = "python") -> dict[str, Attribute]:
    """The resource that the bare SDK makes, without its ``telemetry.sdk`` attributes.

    ``executable`` is the file name of the interpreter, part of the default service name.

    Raises:
        Undecided: a variable is not known before start.
    """
    found: dict[str, Attribute] = {"service.instance.id": RANDOM}
    found.update(from_environment(env).attributes)
    if not found.get("service.name"):
        found["service.name"] = f"unknown_service:{executable}"
    return found
