"""What mutation starts from: the project's own corpora, read once; and a folder for files of one process."""

from __future__ import annotations

import atexit
import functools
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

CASES = Path(__file__).parent.parent / "cases"


def texts(*patterns: str, most: int = 60_000) -> tuple[str, ...]:
    """The texts of the corpus files that match, by path; longer ones are left out."""
    return _texts(patterns, most)


@functools.cache
def _texts(patterns: tuple[str, ...], most: int) -> tuple[str, ...]:
    files = sorted({path for pattern in patterns for path in CASES.glob(pattern) if path.is_file()})
    found = [path.read_bytes().decode("utf-8", "replace") for path in files if path.stat().st_size <= most]
    assert found, f"no corpus file matches {patterns}"
    return tuple(found)


@functools.cache
def trees(*patterns: str) -> tuple[Any, ...]:
    """The same, parsed as JSON; files that are none are left out."""
    found = []
    for text in texts(*patterns):
        try:
            found.append(json.loads(text))
        except ValueError:
            continue
    return tuple(found)


@functools.cache
def scratch() -> Path:
    """A folder of this process, in memory where there is one, removed at its end."""
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    folder = Path(tempfile.mkdtemp(prefix="preflight-fuzz-", dir=memory))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def written(files: dict[str, str], below: str) -> Path:
    """Some files in an empty folder of this process."""
    folder = scratch() / below
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return folder
