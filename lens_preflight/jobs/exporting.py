"""``--export`` of srun, and what sbatch left behind for it."""

from __future__ import annotations

from lens_preflight.core.finding import Location
from lens_preflight.jobs.draft import Step, Where
from lens_preflight.jobs.model import Loss
from lens_preflight.jobs.options import Options
from lens_preflight.jobs.slurm import _ITEMS
from lens_preflight.jobs.state import Bound, Exported
from lens_preflight.jobs.text import Symbol, Text, literal


def export_to_tasks(step: Step, options: Options) -> tuple[Exported, Where]:
    """``--export`` of srun, else SLURM_EXPORT_ENV of its environment."""
    env, where = step.env, step.where
    option = options.last("--export")
    link = Location.file(step.at.what, step.at.line)
    if option is not None:
        spec = option.value
        loss_list, loss_none, at = Loss.SRUN_LIST, Loss.SRUN_NONE, link
    else:
        bound = env.variables.get("SLURM_EXPORT_ENV")
        spec = None if bound is None else bound.value
        origin = bound.at if bound is not None and bound.at is not None else link
        loss_list, loss_none, at = Loss.EXPORT_LIST, Loss.EXPORT_NONE, origin
    if spec is None:
        return env, where
    items = _spelled_items(spec)
    names = [i.constant if i.constant is not None else "" for i in items]
    upper = [n.upper() for n in names]
    if not items or "ALL" in upper:
        base = env
    else:
        base = env.only(lambda n: n.startswith(("SLURM_", "SPANK_")))
    changes: dict[str, Bound] = {}
    for item in items:
        setting = _setting(item)
        if setting is not None:
            name, value = setting
            keeps = "ALL" in upper and name in env.variables and env.value(name) is not None
            if keeps:
                value = env.value(name) or value
            changes[name] = Bound(value, at, "--export")
        elif item.constant and item.constant.upper() not in ("ALL", "NONE", "NIL"):
            bound = env.variables.get(item.constant)
            changes[item.constant] = bound if bound is not None else Bound(env.value(item.constant))
    after = base.with_(changes)
    if "ALL" not in upper:
        none = bool(upper) and all(u in ("NONE", "NIL") for u in upper)
        where = where.dropped(env, after, loss_none if none else loss_list, at, "srun")
    return after, where


def _spelled_items(spec: Text) -> list[Text]:
    """The items of a list, each still a text."""
    items: list[Text] = []
    current: list[str | Symbol] = []
    for piece in spec.pieces:
        if isinstance(piece, Symbol):
            current.append(piece)
            continue
        parts = _ITEMS.split(piece)
        for index, part in enumerate(parts):
            if index:
                items.append(Text.of(*current))
                current = []
            current.append(part)
    items.append(Text.of(*current))
    return [i for i in items if i.pieces]


def _setting(item: Text) -> tuple[str, Text] | None:
    head = item.pieces[0] if item.pieces and isinstance(item.pieces[0], str) else ""
    name, equals, rest = head.partition("=")
    return (name, literal(rest) + Text(item.pieces[1:])) if equals else None
