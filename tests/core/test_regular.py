"""Files by name: read to a bound, and nothing that never ends."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lens_preflight.core import regular
from lens_preflight.core.regular import read_regular


def test_one_byte_beyond_the_bound(tmp_path: Path) -> None:
    path = tmp_path / "site.env"
    path.write_bytes(b"A=12345")
    assert (read_regular(path, 3), read_regular(path, 100)) == (b"A=12", b"A=12345")


@pytest.mark.parametrize("pipes", [False, True])
def test_a_device_and_a_folder_are_refused(pipes: bool, tmp_path: Path) -> None:
    for path in (Path("/dev/zero"), tmp_path):
        with pytest.raises(OSError):
            read_regular(path, 10, pipes=pipes)


def test_a_pipe_is_read_where_it_may_be_one() -> None:
    source, into = os.pipe()
    os.write(into, b"A=1\nB=2\n")
    os.close(into)
    path = Path(f"/dev/fd/{source}")
    with pytest.raises(OSError, match="no regular file"):
        read_regular(path, 100)
    assert read_regular(path, 100, pipes=True) == b"A=1\nB=2\n"
    os.close(source)


def test_a_pipe_without_a_word_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regular, "PATIENCE", 1)
    source, into = os.pipe()
    with pytest.raises(OSError, match="nobody writes"):
        read_regular(Path(f"/dev/fd/{source}"), 100, pipes=True)
    os.close(source)
    os.close(into)
