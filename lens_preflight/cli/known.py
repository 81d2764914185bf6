"""All checks of a run: the built-in ones, those of installed packages, those of named files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from lens_preflight.core.check import Check
from lens_preflight.core.errors import InputError
from lens_preflight.registry import builtin, register
from lens_preflight.settings import Settings

MARKS = (".git", ".hg", "pyproject.toml", "preflight.toml")


def known_checks(
    settings: Settings, named: Sequence[str] = (), targets: Sequence[str] = ()
) -> tuple[Check, ...]:
    """The registered checks. ``named`` are the files of ``--local``.

    Raises:
        InputError: two checks carry one id.
    """
    from lens_preflight.plugins import installed_checks, local_checks

    local = [check for file in named for check in local_checks(file)]
    chosen = {Path(file).resolve() for file in named}
    local += [c for file in settings.local for c in _settings_checks(file, settings, targets, chosen)]
    return register((*builtin(), *installed_checks(), *local))


def offer_formats(options: Sequence[str]) -> None:
    """Make the report formats of installed packages known, when one is asked for that is not ours.

    Raises:
        InputError: the package that has the format cannot be loaded.
    """
    from lens_preflight.reports import REPORTS

    wanted = {option.partition("=")[0] for option in options} - set(REPORTS)
    if not wanted:
        return
    from lens_preflight.plugins import REPORTS as GROUP
    from lens_preflight.plugins import installed

    for entry in installed(GROUP):
        if entry.name not in wanted:
            continue
        try:
            REPORTS.offer(entry.load())
        except (Exception, SystemExit) as error:  # somebody else's import may raise anything
            kind = type(error).__name__
            raise InputError(
                f"--report {entry.name}: {entry.distribution} cannot be loaded ({kind}); reinstall or remove it"
            ) from None


def _settings_checks(
    file: str, settings: Settings, targets: Sequence[str], chosen: set[Path]
) -> tuple[Check, ...]:
    """The checks that settings name, unless these settings belong to what is checked.

    The code of a tree that is being judged is not run because that tree says so.
    """
    from lens_preflight.core.check import stand_in
    from lens_preflight.plugins import local_checks

    path = Path(settings.source).parent / file
    if path.resolve() in chosen:
        return ()
    source = Path(settings.source).resolve()
    if any(source.is_relative_to(tree) for tree in checked_trees(targets)):
        reason = f"{settings.source} belongs to what is checked, so the code it names is not run; "
        return (stand_in(f"local:{path.name}", f"{reason}add --local {path} if you trust it"),)
    return local_checks(str(path))


def checked_trees(targets: Sequence[str]) -> Iterator[Path]:
    """The root folders of what is checked: up to the nearest mark of a project, else its folder."""
    for target in targets or ("",):
        path = Path(target).resolve()
        folder = path if path.is_dir() else path.parent
        marked = (up for up in (folder, *folder.parents) if any((up / mark).exists() for mark in MARKS))
        yield next(marked, folder)
