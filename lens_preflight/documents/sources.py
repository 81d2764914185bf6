"""The files that the command line names: folders searched, standard input read once, sizes bounded."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from lens_preflight.core.data import dataclass
from lens_preflight.core.errors import InputError

MAX_BYTES = 32 * 1024 * 1024
"""Larger than any dashboard or configuration; beyond it the wrong file was given."""


MAX_FILES = 2_000
"""Files of one folder; a folder with more holds something else as well."""


@dataclass(frozen=True)
class Text:
    """The text of one file; ``named`` says that the user named the file itself, not its folder."""

    path: str
    text: str
    named: bool = True


def read_texts(
    paths: Sequence[str | os.PathLike[str]],
    suffixes: tuple[str, ...],
    stdin: Callable[[], bytes] | None = None,
) -> Iterator[Text]:
    """The texts of files, of all files with these suffixes in folders, and of standard input (``-``).

    Raises:
        InputError: a path cannot be opened, is too large or is not UTF-8; a folder holds no such file.
    """
    for path in [os.fspath(p) for p in paths]:
        if path == "-":
            data = stdin() if stdin is not None else sys.stdin.buffer.read(MAX_BYTES + 1)
            yield Text("<stdin>", _decode(data, "<stdin>"))
        elif os.path.isdir(path):
            found = sorted(islice(_below(path, suffixes), MAX_FILES + 1))
            if len(found) > MAX_FILES:
                raise InputError(
                    f"{path} holds more than {MAX_FILES} {' or '.join(suffixes)} files; name the folder below it"
                )
            if not found:
                raise InputError(f"{path} holds no {' or '.join(suffixes)} file; name the file itself")
            for file in found:
                try:
                    text = _decode(_read(file), file)
                except InputError:
                    continue  # data beside the dashboards; nobody named it
                yield Text(file, text, named=False)
        else:
            yield Text(path, _decode(_read(path), path))


def _below(folder: str, suffixes: tuple[str, ...]) -> Iterable[str]:
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        for file in files:
            path = Path(root) / file
            if file.endswith(suffixes) and not file.startswith(".") and path.is_file():
                yield str(path)


def _read(path: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}; check the path") from None


def _decode(data: bytes, path: str) -> str:
    if len(data) > MAX_BYTES:
        limit = MAX_BYTES // (1024 * 1024)
        raise InputError(f"{path} is larger than {limit} MiB; name the dashboard or configuration itself")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 (byte {error.start}); save it as UTF-8") from None
