"""What still exports when the environment says NEMO_LENS_ENABLED=0."""

from __future__ import annotations

from collections.abc import Iterator

from lens_preflight.core.data import dataclass
from lens_preflight.program.model import Reading
from lens_preflight.program.ranks import name
from lens_preflight.program.seen import SetupSeen
from lens_preflight.program.state import Site, lane_numbers, part
from lens_preflight.program.values import Choice, Const, Lib, Unknown, Value, hard_variable, taints_of


@dataclass(frozen=True)
class Leak:
    """One setup that the switch does not reach.

    ``kind``: code, switch (``what`` names it), prefix (``what`` is it), unknown.
    """

    kind: str
    what: str
    at: Site
    setup: SetupSeen


def leaks(reading: Reading) -> Iterator[Leak]:
    """Setups that are enabled, or may be, with the switch off."""
    off = reading.mask(on=False)
    for setup in reading.seen.setups:
        if setup.rejected:
            continue
        if setup.fallback:
            yield Leak("prefix", setup.fallback, setup.config or setup.site, setup)
            continue
        if not setup.lanes & off:
            continue
        for value in values(setup, off):
            leak = of_value(setup, value)
            if leak is not None:
                yield leak
                break


def values(setup: SetupSeen, off: int) -> Iterator[Value]:
    """The values that reach ``enabled`` in the lanes of the switch, known ones first."""
    found = [part(setup.enabled, lane) for lane in lane_numbers(setup.lanes & off)]
    yield from (v for v in found if isinstance(v, Const))
    yield from (v for v in found if not isinstance(v, Const))


def of_value(setup: SetupSeen, value: Value) -> Leak | None:
    """The leak that one value makes, None when it is false."""
    trail = [s for s in setup.trail if s.text in ("enabled", "NEMO_LENS_ENABLED")]
    at = trail[-1] if trail else (setup.config or setup.site)
    taints = taints_of(value)
    if isinstance(value, Const):
        if not value.value:
            return None
        switch = switch_in(taints) or switch_in(setup.cond)
        return Leak("switch", switch, at, setup) if switch else Leak("code", "", at, setup)
    if isinstance(value, Choice):
        options = [o for o in value.options if not isinstance(o, Const) or o.value]
        return of_value(setup, options[0]) if options else None
    if isinstance(value, Unknown | Lib):
        switch = switch_in(taints) or switch_in(setup.cond)
        if switch:
            return Leak("switch", switch, at, setup)
        other = next((name(t) for t in sorted(taints) if t.startswith("opaque:")), "a value of another place")
        return Leak("unknown", other, at, setup)
    return Leak("code", "", at, setup)


def switch_in(taints: frozenset[str]) -> str:
    """The switch among some dependencies, in words."""
    for taint in sorted(taints):
        if taint.startswith(("cli:", "file")):
            return name(taint)
        other = taint.startswith("env:") and taint != "env:NEMO_LENS_ENABLED"
        if other and (not hard_variable(taint) or taint.endswith("_ENABLED")):
            return name(taint)
    return ""
