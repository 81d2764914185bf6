"""All checks of a run: the built-in ones, those of installed packages, those of named files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lens_preflight.core.check import Check, stand_in
from lens_preflight.core.deadline import Deadline
from lens_preflight.core.errors import Broken, InputError
from lens_preflight.registry import builtin, register
from lens_preflight.searchpath import inside, roots
from lens_preflight.settings import Settings

if TYPE_CHECKING:
    from lens_preflight.plugins import EntryPoint
    from lens_preflight.subject.subject import Subject

Load = Callable[[], "tuple[Check, ...]"]

FORMAT_SECONDS = 10.0
"""How long the package of a report format may take to load."""


def known_checks(
    settings: Settings,
    named: Sequence[str] = (),
    checked: Callable[[], Iterable[str]] = tuple,
    *,
    deadline: Deadline | None = None,
) -> tuple[Check, ...]:
    """The registered checks. ``named`` are the files of ``--local``, ``checked`` gives what is judged.

    Settings that were found, not named, and that belong to what is judged, bring no code.

    Raises:
        InputError: two checks carry one id.
    """
    from lens_preflight.plugins import CHECKS, entry_checks, entry_label, installed, local_checks, local_label

    sources: list[tuple[str, Load]] = [(entry_label(e), partial(entry_checks, e)) for e in installed(CHECKS)]
    sources += [(local_label(file), partial(local_checks, file)) for file in _files(named)]
    chosen = {Path(file).resolve() for file in named}
    own = [str(Path(settings.source).parent / file) for file in settings.local]
    rest = _files(file for file in own if Path(file).resolve() not in chosen)
    if rest and settings.found and _belongs(settings.source, checked()):
        refused = [stand_in(local_label(file), _refusal(settings.source, file)) for file in rest]
    else:
        refused = []
        sources += [(local_label(file), partial(local_checks, file)) for file in rest]
    return register((*builtin(), *_loaded(sources, deadline or Deadline()), *refused))


def _files(names: Iterable[str]) -> list[str]:
    """The names of different files."""
    return list({Path(name).resolve(): name for name in reversed(list(names))}.values())[::-1]


def _belongs(source: str, checked: Iterable[str]) -> bool:
    return inside(source, {root for path in checked for root in roots(path)})


def _refusal(source: str, file: str) -> str:
    return (
        f"{source} belongs to what is checked, so the code it names is not run; "
        f"add --local {file} if you trust it"
    )


def _loaded(sources: Sequence[tuple[str, Load]], deadline: Deadline) -> Iterator[Check]:
    """The checks of all sources; each gets half of the time that is left, so that some is always left."""
    if not sources:
        return
    from lens_preflight.core.guarded import within
    from lens_preflight.guests import receive

    receive()
    for label, load in sources:
        try:
            yield from within(deadline.remaining() / 2, load)
        except Broken as broken:
            yield stand_in(label, f"{label} cannot be loaded: {broken.reason}; correct or remove it")


def looked_at(subject: Subject) -> Iterator[str]:
    """The files that a run is about: what was named, and the programs that the launches start."""
    yield from subject.inputs.targets or ("",)
    yield from (launch.program_file for launch in subject.launches if launch.program_file)


def offer_formats(options: Sequence[str]) -> None:
    """Make the report formats of installed packages known, when one is asked for that is not ours.

    Raises:
        InputError: the package that has the format cannot be loaded, or the format is none.
    """
    from lens_preflight.reports import REPORTS

    wanted = {option.partition("=")[0] for option in options} - set(REPORTS)
    if not wanted:
        return
    from lens_preflight.plugins import REPORTS as GROUP
    from lens_preflight.plugins import installed

    for entry in installed(GROUP):
        if entry.name in wanted:
            _offer(entry)


def _offer(entry: EntryPoint) -> None:
    from lens_preflight.core.guarded import within
    from lens_preflight.guests import receive
    from lens_preflight.reports import REPORTS

    receive()
    where = f"--report {entry.name}: {entry.distribution}"
    try:
        writer = within(FORMAT_SECONDS, entry.load)
        name, write = within(FORMAT_SECONDS, lambda: (writer.name, writer.write))
    except Broken as broken:
        raise InputError(f"{where} cannot be loaded ({broken.reason}); reinstall or remove it") from None
    if name != entry.name or not callable(write):
        raise InputError(f"{where} gives no writer of that name; see lens_preflight.api.Writer")
    REPORTS.offer(writer)
