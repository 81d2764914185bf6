"""``python -m tests.docs_pages [--write]``: one page per check, generated; drift is an error."""

from __future__ import annotations

import sys
from pathlib import Path

from lens_preflight.pages import index, page
from lens_preflight.registry import builtin, register

FOLDER = Path(__file__).parent.parent / "docs" / "checks"


def pages() -> dict[str, str]:
    """File name to text of every generated page."""
    checks = register(builtin())
    return {"README.md": index(checks), **{f"{check.id}.md": page(check) for check in checks}}


def drift() -> list[str]:
    """Names of pages that are missing, stale or left over."""
    wanted = pages()
    there = {path.name: path.read_text() for path in FOLDER.glob("*.md")}
    return sorted(name for name in wanted.keys() | there.keys() if wanted.get(name) != there.get(name))


def write() -> None:
    """Write all pages and remove those of checks that are no more."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = pages()
    for path in FOLDER.glob("*.md"):
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        (FOLDER / name).write_text(text)


if __name__ == "__main__":
    if "--write" in sys.argv:
        write()
    stale = drift()
    if stale:
        sys.exit(f"stale pages in docs/checks: {', '.join(stale)}; type: make docs")
