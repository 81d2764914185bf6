"""Mounts of containers as a map of paths."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from lens_preflight.core.data import replace
from lens_preflight.jobs.draft import Step, resolve
from lens_preflight.jobs.options import Options
from lens_preflight.jobs.text import Text, literal

if TYPE_CHECKING:
    from lens_preflight.jobs.run import Run


def mounts_of(texts: list[Text], step: Step, run: Run) -> tuple[tuple[str, str], ...]:
    """``outside:inside[:options]``, comma separated, as (inside, outside) pairs."""
    found: list[tuple[str, str]] = []
    for text in texts:
        named = text.path or text.settled.path or text.settled.template
        for item in named.split(","):
            parts = item.split(":")
            if not parts[0] or "{" in parts[0]:
                continue
            outside = parts[0]
            inside = parts[1] if len(parts) > 1 and parts[1].startswith("/") else outside
            full = resolve(outside, step.cwd, replace(step.where, container=None), ()) or outside
            found.append((os.path.normpath(inside), full))
    for inside, full in found:
        run.mounts.setdefault(inside, full)
    return tuple(found)


def _long_mounts(options: Options, step: Step, run: Run) -> tuple[tuple[str, str], ...]:
    pairs: list[Text] = []
    for option in options.all("--mount"):
        text = option.value.path if option.value is not None else None
        fields = dict(p.partition("=")[::2] for p in (text or "").split(","))
        outside = fields.get("source") or fields.get("src")
        inside = fields.get("target") or fields.get("dst") or fields.get("destination")
        if outside and inside:
            pairs.append(literal(f"{outside}:{inside}"))
    return mounts_of(pairs, step, run)
