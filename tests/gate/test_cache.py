from __future__ import annotations

import os
from pathlib import Path

import pytest

from lens_preflight.gate import cache
from lens_preflight.gate.cache import Word


def test_a_line_holds_until_it_expires_and_in_this_start_only(tmp_path: Path) -> None:
    line = cache.line(Word.PASS, "READY", 100)
    cache.write(tmp_path / cache.NAME, str(line))
    found, why = cache.read(tmp_path)
    assert found == line and not why
    assert cache.fresh(line, 100)
    assert not cache.fresh(cache.Line(line.boot_id, int(cache.uptime()), "pass", ""), 100)
    assert not cache.fresh(cache.Line("another-start", line.expiry, "pass", ""), 100)
    assert not cache.fresh(cache.Line(line.boot_id, line.expiry + 10_000, "pass", ""), 100)


@pytest.mark.parametrize(
    "text", ["a\nb", "$(reboot) `id`", "ü\x00\x1b[31m", "x" * 10_000, "'; rm -rf /; '", "a|b"]
)
def test_text_is_one_harmless_line(text: str) -> None:
    safe = cache.plain(text)
    assert safe.isascii() and len(safe) <= cache.MAX_TEXT
    assert not set(safe) & set("`$\\\"'|\n\r\x1b\x00")


def test_a_folder_that_others_write_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    cache.prepare(folder)
    folder.chmod(0o777)
    with pytest.raises(cache.Untrusted, match="chmod go-w"):
        cache.prepare(folder)


def test_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "run").symlink_to(tmp_path / "real")
    with pytest.raises(cache.Untrusted, match="symbolic link"):
        cache.prepare(tmp_path / "run")


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_line_of_another_user_is_not_read(tmp_path: Path) -> None:
    cache.write(tmp_path / cache.NAME, str(cache.line(Word.QUARANTINE, "planted", 100)))
    os.chown(tmp_path / cache.NAME, 65534, 65534)
    found, why = cache.read(tmp_path)
    assert found is None and "belongs to user 65534" in why


def test_a_failed_write_leaves_the_old_line_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / cache.NAME
    cache.write(path, "old\n")
    (tmp_path / f".{cache.NAME}.{os.getpid()}.tmp").symlink_to(tmp_path / "victim")
    with pytest.raises(OSError):
        cache.write(path, "new\n")
    assert path.read_text() == "old\n"
    assert not (tmp_path / "victim").exists()
