"""The resource attributes that reach one setup call, process by process."""

from __future__ import annotations

from urllib.parse import unquote

from lens_preflight.program.model import Reading
from lens_preflight.program.natives import is_absent
from lens_preflight.program.seen import SetupSeen
from lens_preflight.program.state import lane_numbers, part
from lens_preflight.program.values import Const, Unknown, Value

RANK, WORLD_SIZE, INSTANCE = "nv.dl.rank", "nv.dl.world_size", "service.instance.id"


def carried(value: Value) -> dict[str, Value] | None:
    """The attributes of OTEL_RESOURCE_ATTRIBUTES; None when the text is not known."""
    if not isinstance(value, Const):
        return None
    out: dict[str, Value] = {}
    for item in str(value.value or "").split(","):
        key, equals, text = item.partition("=")
        if equals:
            out[key.strip()] = Const(unquote(text.strip()))
    return out


def states(reading: Reading, setup: SetupSeen, key: str) -> dict[str, int]:
    """How the attribute stands in how many processes: right, wrong, missing, unknown.

    Processes that export are looked at; all of them when none does.
    """
    want = "rank" if key == RANK else "world"
    mask = setup.lanes & reading.mask()
    exporting = (setup.exporting | setup.maybe) & mask
    counts = {"right": 0, "wrong": 0, "missing": 0, "unknown": 0}
    for lane in lane_numbers(exporting or mask):
        place = reading.lanes[lane]
        expected = place.rank if want == "rank" else place.world.size
        counts[state_of(value_in(setup, key, lane), expected)] += 1
    return counts


def value_in(setup: SetupSeen, key: str, lane: int) -> Value | None:
    """The value of an attribute in one process; the argument wins over the variable."""
    if setup.attributes is None:
        return Unknown()
    given = dict(setup.attributes).get(key)
    if given is not None and not is_absent(part(given, lane)):
        return part(given, lane)
    if setup.open_keys:
        return Unknown()
    carrier = carried(part(setup.carrier, lane))
    return Unknown() if carrier is None else carrier.get(key)


def state_of(value: Value | None, expected: int) -> str:
    """How one value stands to what it should be."""
    if value is None or (isinstance(value, Const) and value.value is None):
        return "missing"
    if not isinstance(value, Const):
        return "unknown"
    return "right" if str(value.value) == str(expected) else "wrong"


def has_instance(setup: SetupSeen) -> bool:
    """True when the program names the process in its own way."""
    return setup.attributes is not None and INSTANCE in dict(setup.attributes)
