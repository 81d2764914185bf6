"""Which log records does the bridge export?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks.program_reading import instrumented, related
from lens_preflight.core.check import Said, check
from lens_preflight.core.errors import Skip, Undecided
from lens_preflight.core.finding import Finding, Proof, Rule
from lens_preflight.core.words import Need, Scope, Severity

if TYPE_CHECKING:
    from lens_preflight.context import Context
    from lens_preflight.program.model import Reading
    from lens_preflight.program.seen import BridgeSeen

ROOT_DEBUG = Rule(
    "log-scope/root-debug",
    "every record of every library is exported",
    Severity.BLOCKER,
    help="The root logger at DEBUG sends each line of each library from every exporting process; the "
    "exporter's own debug lines feed back into it. Name one subsystem: "
    '`setup_logging_bridge(logger_name="trainer")`.',
)
ROOT = Rule(
    "log-scope/root",
    "the bridge sits on the root logger",
    Severity.CAUTION,
    help="The root logger sees the records of every library. Name the subsystem that you want to read: "
    '`setup_logging_bridge(logger_name="trainer", level=logging.INFO)`.',
)
DEBUG = Rule(
    "log-scope/debug",
    "the bridge lets debug records through",
    Severity.CAUTION,
    help="Debug records are many and often hold data. Set the bridge to INFO; the logger itself may stay "
    "chatty.",
)
ROOT_QUIET = Rule(
    "log-scope/root-warnings",
    "the bridge sits on the root logger, for warnings only",
    Severity.NOTE,
    help="Few records, but of every library. A named logger tells more.",
)
PIPELINE_OFF = Rule(
    "log-scope/no-pipeline",
    "a log bridge is installed and the export of logs is off",
    Severity.NOTE,
    help="Without `NEMO_LENS_LOGS_ENABLED=1` there is no logger provider: the bridge sends nothing.",
)

REMEDY = 'setup_logging_bridge(logger_name="trainer", level=logging.INFO)'
INFO, WARNING = 20, 30


@check(
    "log-scope",
    "The log bridge exports one subsystem",
    scope=Scope.LAUNCH,
    needs=(Need.SCRIPT,),
    uses=(Need.ENVIRONMENT,),
    rules=(ROOT_DEBUG, ROOT, DEBUG, ROOT_QUIET, PIPELINE_OFF),
)
def log_scope(ctx: Context) -> Iterator[Said]:
    """Evaluates the logger and level of each log bridge that the program installs.

    Named loggers from INFO on pass. The root logger (also under the empty name, or called "root")
    warns at INFO, is a note from WARNING on, and fails at DEBUG or below; a named logger at DEBUG
    warns. A handler of OpenTelemetry that the program puts on a logger by hand counts as a bridge.
    When the environment names logger or level and does not say it, the answer is unknown.
    """
    reading = instrumented(ctx)
    bridges = [b for b in reading.seen.bridges if b.lanes & reading.mask()]
    up = speaking(reading)
    bridges = [b for b in bridges if b.lanes & up] or bridges
    if not bridges:
        raise Skip("the program installs no log bridge")
    found: list[Finding] = []
    doubts: list[Undecided] = []
    for bridge, variant in ((b, v) for b in bridges for v in variants(b, up)):
        try:
            one = about(reading, bridge, *variant)
        except Undecided as doubt:
            doubts.append(doubt)
            continue
        found += [one] if one is not None else []
    found.sort(key=lambda f: -f.rule.severity)
    for one in found:
        yield one
        if not ctx.lifts(one.rule):
            break
    if doubts:
        raise doubts[0]
    if not found or found[0].severity is Severity.NOTE:
        names = sorted({str(value_of(reading, b, v[0])) for b in bridges for v in variants(b, up)})
        yield Proof("the bridge exports chosen loggers", {"loggers": ", ".join(names)})


def speaking(reading: Reading) -> int:
    """The lanes that export, or may; all when none does."""
    lanes = 0
    for setup in reading.setups:
        lanes |= (setup.exporting | setup.maybe) & reading.mask()
    return lanes or reading.mask()


def variants(bridge: BridgeSeen, lanes: int) -> list[tuple[object, object]]:
    """The pairs of logger and level of one bridge in the processes that export."""
    from lens_preflight.program.state import lane_numbers, part

    found: list[tuple[object, object]] = []
    for lane in lane_numbers(bridge.lanes & lanes or bridge.lanes):
        pair = (part(bridge.logger, lane), part(bridge.level, lane))
        if pair not in found:
            found.append(pair)
    return found


def value_of(reading: Reading, bridge: BridgeSeen, value: object) -> object:
    """A known argument of a bridge.

    Raises:
        Undecided: the environment or something outside of the tree decides it.
    """
    from lens_preflight.program.values import Const

    if isinstance(value, Const):
        return value.value
    at = reading.location(bridge.chain[0])
    raise Undecided("the logger or level of the bridge is not in the source", at)


def about(reading: Reading, bridge: BridgeSeen, name: object, threshold: object) -> Finding | None:
    """The finding about one bridge, None when it is as it should be."""
    logger = value_of(reading, bridge, name)
    level = value_of(reading, bridge, threshold)
    if isinstance(level, str):
        level = {"DEBUG": 10, "INFO": 20, "WARNING": 30, "WARN": 30, "ERROR": 40, "NOTSET": 0}.get(
            level.upper(), 20
        )
    number = level if isinstance(level, int) else INFO
    if bridge.by_hand and number == 0:
        number = INFO
    root = logger in ("", "root", None)
    at = reading.location(bridge.chain[0])
    places = related(reading, [("called from", s) for s in bridge.chain[1:]], at)
    if root and number < INFO:
        return Finding(ROOT_DEBUG, ROOT_DEBUG.summary, at, related=places, remedy=REMEDY)
    if root and number < WARNING:
        return Finding(ROOT, ROOT.summary, at, related=places, remedy=REMEDY)
    if root:
        return Finding(ROOT_QUIET, ROOT_QUIET.summary, at, related=places, remedy=REMEDY)
    if number < INFO:
        return Finding(DEBUG, DEBUG.summary, at, related=places, remedy=REMEDY)
    return None
