"""Collectives that hand the Python objects of one process to all of them."""

from __future__ import annotations

from lens_preflight.program import libraries
from lens_preflight.program.outcomes import Outcome
from lens_preflight.program.registry import Call, model
from lens_preflight.program.values import Ref, Unknown


@model("torch.distributed.broadcast_object_list")
def broadcast(this: Call) -> list[Outcome]:
    """What was in the list is then what the source has: not known, and the same everywhere."""
    target = this.arg(0, "object_list")
    out = libraries.unknown(this)
    for o in out:
        if isinstance(target, Ref) and o.state.read(target.id).kind == "list":
            cell = o.state.edit(target.id)
            cell.items = [Unknown(frozenset((f"shared:{this.path}",))) for _ in cell.items]
    return out
