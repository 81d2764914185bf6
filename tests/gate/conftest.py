"""One interpreter for all tests of the gate, made once."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gate.installed import interpreter


@pytest.fixture(scope="session")
def node_python() -> Iterator[Path]:
    """A Python as a compute node has it, with the package."""
    folder = Path(tempfile.mkdtemp(prefix="lens-node-"))
    yield interpreter(folder / "venv")
    shutil.rmtree(folder, ignore_errors=True)
