"""What becomes of an item as it passes processors: what each stage is asked about, and what is left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lens_preflight.collector.edits import edited
from lens_preflight.collector.filters import DropStage
from lens_preflight.collector.model import CollectorConfig, Reference
from lens_preflight.collector.ottl import Facts
from lens_preflight.core.data import dataclass


@dataclass(frozen=True)
class Reached:
    """A stage that drops, with what the item is in front of it, and whether it drops it."""

    stage: DropStage
    facts: Facts
    drops: bool | None


def stages_reached(
    config: CollectorConfig, processors: Iterable[Reference], signal: str, facts: Facts
) -> Iterator[Reached]:
    """The dropping processors among some, in order."""
    for reference in processors:
        component = config.find("processors", reference.id)
        stage = config.drops.get(reference.id)
        if stage is not None:
            yield Reached(stage, facts, stage.drops(signal, facts))
        elif component is not None:
            facts = edited(component, signal, facts)


def behind(config: CollectorConfig, processors: Iterable[Reference], signal: str, facts: Facts) -> Facts:
    """What an item is that has passed them."""
    for reference in processors:
        component = config.find("processors", reference.id)
        if component is not None and reference.id not in config.drops:
            facts = edited(component, signal, facts)
    return facts
