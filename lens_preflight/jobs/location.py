"""Which file on this side a launch starts."""

from __future__ import annotations

import os

from lens_preflight.jobs.draft import Draft, mapped, resolve
from lens_preflight.jobs.run import Run


def _program_file(draft: Draft, run: Run) -> str | None:
    """The file on this side, as a path that can be opened; None when there is none."""
    if draft.program is None or (draft.where.chain[-1:] == ("ray start",)):
        return None
    named = draft.program.text.path
    if named is None:
        return None
    full = resolve(named, draft.cwd, draft.where, run.extra_map)
    if full is None:
        return None
    if run.files.kind(full) == "file":
        return run.shown(full)
    if draft.where.container is None and not os.path.isabs(named) and draft.cwd == run.folder:
        return _above(named, run)
    return None


def _module_file(module: str, draft: Draft, run: Run) -> tuple[str | None, bool]:
    """The file of ``-m module`` on this side: below the folder of the job, ``src``, or PYTHONPATH.

    The second says whether it can be imported by that name from the folder of this process.
    """
    folder = _local_folder(draft, run)
    value = draft.env.value("PYTHONPATH")
    named = (value.path or "") if value is not None else ""
    paths = named.split(":")
    for root in dict.fromkeys(r for r in (*paths, folder or "", os.path.join(folder or "", "src")) if r):
        full = root if os.path.isabs(root) else os.path.join(folder or run.folder, root)
        base = os.path.join(full, *module.split("."))
        for candidate in (f"{base}.py", os.path.join(base, "__main__.py")):
            if run.files.kind(candidate) == "file":
                return run.shown(candidate), root in paths or os.path.realpath(full) == os.getcwd()
    return None, False


def _above(named: str, run: Run) -> str | None:
    """The same path below a parent folder: jobs are often submitted from the top of a checkout."""
    folder = run.folder
    for _ in range(6):
        if os.path.isdir(os.path.join(folder, ".git")) or folder == os.path.dirname(folder):
            break
        folder = os.path.dirname(folder)
        candidate = os.path.normpath(os.path.join(folder, named))
        if run.files.kind(candidate) == "file":
            return run.shown(candidate)
    return None


def _local_folder(draft: Draft, run: Run) -> str | None:
    if draft.cwd is None:
        return None
    container = draft.where.container
    if container is None:
        return draft.cwd
    return mapped(draft.cwd, (*run.extra_map, *container.mounts)) or (
        draft.cwd if container.runtime == "apptainer" else None
    )
