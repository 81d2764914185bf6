"""Dashboards and rules: what they ask of the metrics and spans, and how their names are spelled."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from lens_preflight.dashboards.model import Dashboard
from lens_preflight.dashboards.reading import SUFFIXES, dashboards_in
from lens_preflight.documents import read_texts


def read_dashboards(
    paths: Sequence[str | os.PathLike[str]], stdin: Callable[[], bytes] | None = None
) -> tuple[Dashboard, ...]:
    """The dashboards of files, folders and standard input (``-``).

    A file that opens and does not parse gives a Dashboard with a ``failure``.

    Raises:
        InputError: a path cannot be opened or decoded, or a folder holds nothing to read.
    """
    return tuple(d for text in read_texts(paths, SUFFIXES, stdin) for d in dashboards_in(text))
