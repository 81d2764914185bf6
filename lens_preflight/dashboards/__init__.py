"""Dashboards and rules: what they ask of the metrics and spans, and how their names are spelled."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from lens_preflight.core.errors import InputError
from lens_preflight.dashboards.model import Dashboard
from lens_preflight.dashboards.reading import SUFFIXES, dashboards_in
from lens_preflight.documents import read_texts


def read_dashboards(
    paths: Sequence[str | os.PathLike[str]], stdin: Callable[[], bytes] | None = None
) -> tuple[Dashboard, ...]:
    """The dashboards of files, folders and standard input (``-``).

    A file that opens and does not parse gives a Dashboard with a ``failure``.

    A program that makes dashboards (Jsonnet, ...) is left out when it was found in a folder beside
    what it makes.

    Raises:
        InputError: a path cannot be opened or decoded, or a folder holds nothing to read.
    """
    found = [(text, board) for text in read_texts(paths, SUFFIXES, stdin) for board in dashboards_in(text)]
    readable = any(not board.opaque for _, board in found)
    boards = tuple(board for text, board in found if text.named or not board.opaque or not readable)
    if paths and not boards:
        names = ", ".join(os.fspath(path) for path in paths)
        raise InputError(f"{names} holds no dashboard; name the file itself")
    return boards
