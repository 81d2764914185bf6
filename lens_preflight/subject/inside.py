"""The environment as telemetry finds it: that of the launch, changed by what the program does before its setup.

A program writes variables (``os.environ[...] = ...``) and fields of its configuration. A field counts
like its variable, since the library reads nothing else: ``config.exporter = "console"`` is judged as
``NEMO_LENS_EXPORTER=console``.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from lens_preflight.core.data import dataclass, replace
from lens_preflight.core.errors import InputError, LibraryFailure, Skip, Undecided
from lens_preflight.core.variable import Environment, Origin, Variable
from lens_preflight.core.words import Spread, State
from lens_preflight.subject.reaching import UNNAMED, Reached, reached, setups_that_export

if TYPE_CHECKING:
    from lens_preflight.core.finding import Finding
    from lens_preflight.lens.config import LensConfig
    from lens_preflight.lens.generations import Generation
    from lens_preflight.program.model import Reading
    from lens_preflight.program.seen import SetupSeen
    from lens_preflight.program.surroundings import Found
    from lens_preflight.subject.launch import Launch
    from lens_preflight.subject.subject import Subject


@dataclass(frozen=True)
class Inside:
    """An environment, the names in it that come from the program, and the signals with exporters of its own."""

    env: Environment
    names: frozenset[str] = frozenset()
    own_exporters: frozenset[str] = frozenset()

    def placed(self, finding: Finding) -> Finding:
        """The finding, with a remedy that helps where the program has the last word on a variable."""
        mine = [name for name, _ in finding.settings if name in self.names]
        if not mine:
            return finding
        at = self.env[mine[0]].location
        left = tuple(setting for setting in finding.settings if setting[0] not in mine)
        remedy = f"change {at}, which has the last word on {mine[0]}; then {finding.remedy}"
        return replace(finding, remedy=remedy, settings=left)


def inside(subject: Subject, launch: Launch, generation: Generation) -> Inside:
    """What telemetry finds in the processes of a launch; the launch's own where no setup is in sight."""
    try:
        reading = subject.program(launch).reading(launch.settled or launch.env, launch.world, generation)
    except (Skip, Undecided, InputError):
        return Inside(launch.env)
    setups = setups_that_export(reading)
    if not setups:
        return Inside(launch.env)
    own = frozenset(s for setup, _ in setups for s in setup.surroundings.own_exporters)
    written = list(_written(launch, reading))
    env = launch.env.over(written)
    fields = list(_fields(launch, reading, env, generation))
    names = frozenset(v.name for v in (*written, *fields))
    return Inside(env.over(fields), names, own)


def _written(launch: Launch, reading: Reading) -> Iterator[Variable]:
    """The variables that the program changes, as far as that makes a difference."""
    from lens_preflight.program.variables import of_interest

    setups = setups_that_export(reading)
    opened = next((s.surroundings.any_name for s, _ in setups if s.surroundings.any_name is not None), None)
    names = {found.name for s, _ in setups for found in s.surroundings.written}
    for name in sorted(names):
        what = reached(reading, partial(_written_as, name))
        variable = _variable(name, what, launch.env, reading)
        if variable is not None:
            yield variable
    yield from _unfollowed(launch, reading, {p for s, _ in setups for p in _places(s)})
    if opened is None:
        return
    at = reading.location(opened)
    for known in launch.env:
        if known.name not in names and of_interest(known.name) and known.state is not State.UNSET:
            yield Variable(known.name, State.UNKNOWN, origin=Origin(str(at), at), reason=UNNAMED)


def _unfollowed(launch: Launch, reading: Reading, followed: set[tuple[str, int]]) -> Iterator[Variable]:
    """Variables that code of a large program writes which is not followed: it may run before the setup.

    The switch is left out, since the checks of the script follow what decides about it.
    """
    from lens_preflight.program.unfollowed import writes

    told: set[str] = set()
    for name, site, default in writes(reading.model.closure):
        kept = default and launch.env[name].state in (State.VALUE, State.PROVIDED)
        if (
            not kept
            and (site.path, site.line) not in followed
            and name not in told
            and name[-8:] != "_ENABLED"
        ):
            told.add(name)
            at = reading.location(site)
            reason = "the program writes it in code that is not followed"
            yield Variable(name, State.UNKNOWN, origin=Origin(str(at), at), reason=reason)


def _places(setup: SetupSeen) -> Iterator[tuple[str, int]]:
    return ((f.at.path, f.at.line) for f in setup.surroundings.written if f.at is not None)


def _written_as(name: str, setup: SetupSeen) -> Found | None:
    return next((f for f in setup.surroundings.written if f.name == name), None)


def _field_as(name: str, setup: SetupSeen) -> Found | None:
    return next((f for f in setup.surroundings.fields if f.name == name), None)


def _variable(name: str, what: Reached, env: Environment, reading: Reading) -> Variable | None:
    """The variable that the values of all processes and ways come to; None when it stays as it is."""
    base = env[name]
    at = reading.location(what.at) if what.at is not None else None
    origin = Origin(str(at) if at is not None else "the program", at)
    texts = set(what.texts)
    if what.kept:
        if not what.unknown and (not texts or _all_as(base, texts)):
            return None
        if base.state in (State.VALUE, State.UNSET):
            texts.add(base.value)
    elif not what.unknown and _all_as(base, texts):
        return None
    if what.unknown:
        state, spread, reason = what.depends(name, env)
        return None if state is None else Variable(name, state, None, origin, spread, reason)
    if len(texts) == 1 and (not what.kept or base.state in (State.VALUE, State.UNSET)):
        text = texts.pop()
        if text is None:
            return Variable(name, State.UNSET, None, origin, reason="the program takes it away")
        return Variable(name, State.VALUE, text, origin)
    if what.by_process:
        return Variable(
            name, State.UNKNOWN, None, origin, Spread.TASK, "the program makes it anew in each process"
        )
    if what.by_world and not what.kept:
        return Variable(name, State.PROVIDED, None, origin, reason="it depends on the number of processes")
    reason = "what the program makes of it depends on the way that it takes"
    return Variable(name, State.UNKNOWN, None, origin, reason=reason)


def _all_as(base: Variable, texts: set[str | None]) -> bool:
    """True when the only text is the one that is there anyway."""
    return base.state in (State.VALUE, State.UNSET) and texts == {base.value}


def _fields(launch: Launch, reading: Reading, env: Environment, generation: Generation) -> Iterator[Variable]:
    """The fields of the configuration that are not as the environment gives them, as variables."""
    from lens_preflight.lens.config import LensConfig
    from lens_preflight.program.surroundings import FIELDS

    lens, started = (LensConfig(e, launch.framework, generation) for e in (env, launch.env))
    for field, key in FIELDS.items():
        names = launch.framework.run_id_names if field == "run_id" else lens.names(key)
        names = names if key else ("OTEL_SERVICE_NAME",)
        what = reached(reading, partial(_field_as, field), as_field=True)
        if what.as_read(names) or _same(lens, field, what):
            continue
        if _flag_absent(launch, key or "SERVICE_NAME", what) and _else_as_read(lens, field, names, what):
            continue
        if _same(started, field, what):  # read before the program wrote the variable
            yield from (launch.env[name] for name in names if env[name] != launch.env[name])
            continue
        made = _variable(names[0], what, Environment(), reading)
        if made is None:
            made = Variable(names[0], State.UNSET, None, _origin(what, reading), reason="the program sets it")
        yield made
        if made.state is State.UNSET:
            yield from (
                Variable(name, State.UNSET, None, made.origin, reason=made.reason) for name in names[1:]
            )


def _flag_absent(launch: Launch, key: str, what: Reached) -> bool:
    """True for a field that an option of the framework sets, and the launch does not give the option."""
    flag = launch.framework.flag(key)
    if flag is None or flag.given(launch.args):
        return False
    word = flag.name.lstrip("-").replace("-", "_")
    taints = (t for taints in what.unknown for t in taints)
    return any(t == f"cli:{flag.name}" or t.replace(":", ".").endswith(f".{word}") for t in taints)


def _else_as_read(lens: LensConfig, field: str, names: tuple[str, ...], what: Reached) -> bool:
    """True when beside an option only what the environment gives is left for a field.

    The name of the service is no field that ``from_env`` is seen to read.
    """
    if what.texts:
        return _same(lens, field, replace(what, unknown=frozenset()))
    own = {f"env:{name}" for name in names}
    return field == "service_name" or any(own & taints for taints in what.unknown)


def _origin(what: Reached, reading: Reading) -> Origin:
    at = reading.location(what.at) if what.at is not None else None
    return Origin(str(at) if at is not None else "the program", at)


def _same(lens: LensConfig, field: str, what: Reached) -> bool:
    """True when a field is what the library reads for it from the environment."""
    if what.unknown or what.kept or len(what.texts) != 1:
        return False
    try:
        read = getattr(lens, field)
    except (Undecided, LibraryFailure):
        return False
    text = ("1" if read else "0") if isinstance(read, bool) else str(read) or None
    return what.texts == frozenset((text,))
