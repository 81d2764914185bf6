"""What a refresh remembers for the next one and for a quarantine, in a file beside the verdict."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lens_preflight.core.data import dataclass, field
from lens_preflight.gate import cache

NAME = "state.json"


@dataclass(frozen=True)
class State:
    """The last verdict of a node.

    ``rule`` and ``message`` are those of the fault that it is about, ``cause`` its class.
    ``failing`` maps each failing rule to the Unix time since when it fails here.
    """

    node: str
    boot_id: str
    word: str
    expiry: int
    rule: str = ""
    message: str = ""
    cause: str = ""
    failing: Mapping[str, float] = field(default_factory=dict)

    @property
    def fresh(self) -> bool:
        """Whether it was made in this start of the host and still holds."""
        return self.boot_id == cache.boot_id() and cache.uptime() < self.expiry


def load(folder: Path) -> State | None:
    """The state in a folder; None when there is none, or one that somebody else could have written."""
    path = folder / NAME
    try:
        if cache.complaint(folder) or cache.complaint(path):
            return None
        return _state(json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return None


def _state(found: Mapping[str, Any]) -> State:
    failing = {str(rule): float(since) for rule, since in found["failing"].items()}
    state = State(**{**found, "expiry": int(found["expiry"]), "failing": failing})
    texts = (state.node, state.boot_id, state.word, state.rule, state.message, state.cause)
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("not a text")
    return state


def save(folder: Path, state: State) -> None:
    """Write the state, whole or not at all. Raises OSError."""
    cache.write(folder / NAME, json.dumps(asdict(state), indent=2) + "\n")
