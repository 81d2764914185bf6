"""Source files: bytes to a syntax tree, as Python itself would read them, and never more than that."""

from __future__ import annotations

import ast
import gc
import io
import json
import os
import stat
import tokenize
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lens_preflight.core.data import dataclass
from lens_preflight.core.errors import InputError

MAX_BYTES = 1 << 20
MAX_LINES = 60_000


class Unreadable(Exception):
    """A file that cannot be turned into a tree; ``line`` is where, ``newer`` the Python it may need."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


@dataclass(frozen=True)
class Source:
    """One parsed file. ``cells`` maps lines to notebook cells, empty for a plain file."""

    path: str
    tree: ast.Module
    cells: tuple[tuple[int, int], ...] = ()


@contextmanager
def no_collection() -> Iterator[None]:
    """Hold the cycle collector: it doubles the time of building trees."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def read_bytes(path: Path) -> bytes:
    """The content of a file of at most MAX_BYTES.

    Raises:
        Unreadable: it cannot be opened, is not a regular file, or is too large.
    """
    try:
        about = os.stat(path)
        if not stat.S_ISREG(about.st_mode):
            raise Unreadable("it is not a regular file")
        if about.st_size > MAX_BYTES:
            raise Unreadable(f"it is larger than {MAX_BYTES >> 10} KiB")
        with open(path, "rb") as file:
            return file.read()
    except (OSError, ValueError) as error:
        raise Unreadable(f"it cannot be read: {getattr(error, 'strerror', None) or error}") from error


def decode(data: bytes) -> str:
    """The text of a source file: byte-order mark and coding cookie as Python reads them, strictly.

    Raises:
        Unreadable: the bytes are no text in the encoding they claim.
    """
    if b"\0" in data:
        raise Unreadable("it holds null bytes: binary, or UTF-16, which Python does not read")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding)
    except SyntaxError as error:
        raise Unreadable(f"its encoding is not one that Python reads: {error.msg}", 1) from error
    except (UnicodeError, LookupError) as error:
        position = getattr(error, "start", 0)
        line = data[:position].count(b"\n") + 1
        raise Unreadable("it is no text in its declared encoding (UTF-8 without a cookie)", line) from error


def parse(path: str, data: bytes) -> Source:
    """The tree of a source file or notebook.

    Raises:
        Unreadable: it does not parse, here or with a newer interpreter.
    """
    text = decode(data)
    if text.count("\n") > MAX_LINES:
        raise Unreadable(f"it has more than {MAX_LINES} lines")
    cells: tuple[tuple[int, int], ...] = ()
    if path.endswith(".ipynb"):
        text, cells = notebook(text)
        data = text.encode("utf-8", "surrogatepass")
    tree = tree_of(data)
    return Source(path, tree, cells)


def tree_of(data: bytes) -> ast.Module:
    """``ast.parse`` with every way to fail turned into Unreadable; a newer Python is tried on syntax."""
    try:
        with warnings.catch_warnings(), no_collection():
            warnings.simplefilter("ignore")
            return ast.parse(data, filename="<source>")
    except SyntaxError as error:
        from lens_preflight.program.newer import parse_elsewhere

        elsewhere = parse_elsewhere(data)
        if elsewhere is not None:
            return elsewhere
        raise Unreadable(f"it does not parse: {error.msg}", error.lineno) from error
    except (ValueError, UnicodeError) as error:
        raise Unreadable(f"it does not parse: {error}") from error
    except (RecursionError, MemoryError) as error:
        raise Unreadable("its expressions are nested too deeply for the parser") from error


def notebook(text: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The code cells of a notebook as one program, and (first line, cell number) pairs.

    Lines of magic (``%``, ``!``) become ``pass``, so that numbers of lines stay.

    Raises:
        Unreadable: it is no notebook.
    """
    try:
        document = json.loads(text)
        sources = [
            (n, "".join(cell["source"]) if isinstance(cell["source"], list) else str(cell["source"]))
            for n, cell in enumerate(document["cells"], 1)
            if cell.get("cell_type") == "code"
        ]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Unreadable("it is not a notebook that can be read") from error
    lines: list[str] = []
    starts: list[tuple[int, int]] = []
    for number, source in sources:
        starts.append((len(lines) + 1, number))
        if source.startswith("%%"):
            continue
        for line in source.splitlines():
            bare = line.lstrip()
            magic = bare.startswith(("%", "!"))
            lines.append(line[: len(line) - len(bare)] + "pass" if magic else line)
    return "\n".join(lines) + "\n", tuple(starts)


def entry_bytes(path: Path) -> bytes:
    """The bytes of the script that was named on the command line.

    Raises:
        InputError: there is no such file, or it is a directory or cannot be opened.
    """
    if os.path.isdir(path):
        raise InputError(f"{path} is a directory: name the script in it, or use -m MODULE")
    if not os.path.exists(path):
        raise InputError(f"{path}: no such file")
    try:
        return read_bytes(path)
    except Unreadable as error:
        raise InputError(f"{path}: {error.reason}") from error
