"""Reports reach their places whole, or not at all, and say so."""

from __future__ import annotations

import io
import json
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from lens_preflight.core.errors import InputError
from lens_preflight.reports import ReportError, Style
from lens_preflight.reports.output import Wanted, console_on_stderr, fitted, wanted, write_all, write_file
from tests.reports.records import everything


class Terminal(io.StringIO):
    """A stream in memory."""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def written(*options: str, verbosity: int = 0) -> tuple[str, str]:
    out, err = Terminal(), Terminal()
    write_all(everything(), wanted(options), style=Style(verbosity=verbosity), stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_the_console_takes_standard_output() -> None:
    out, err = written()
    assert out.startswith("lens-preflight 0.1.0")
    assert err == ""


@pytest.mark.parametrize("option", ["json", "json=-"])
def test_another_report_takes_standard_output_pure(option: str) -> None:
    out, err = written(option)
    assert json.loads(out)["verdict"] == "not-ready"
    assert err.startswith("lens-preflight 0.1.0")


def test_quiet_removes_the_console_only() -> None:
    out, err = written("json", verbosity=-1)
    assert json.loads(out)
    assert err == ""
    assert written(verbosity=-1) == ("", "")


def test_a_console_that_was_asked_for_by_name_is_written_once() -> None:
    out, err = written("console")
    assert out.count("NOT READY: 2 fail (6 of 9") == 1
    assert err == ""


def test_several_files_from_one_run(tmp_path: Path) -> None:
    paths = {name: tmp_path / f"r.{name}" for name in ("json", "junit", "console")}
    out, _ = written(*(f"{name}={path}" for name, path in paths.items()), verbosity=-1)
    assert out == ""
    assert json.loads(paths["json"].read_text())
    assert paths["junit"].read_text().startswith("<?xml")
    assert "NOT READY" in paths["console"].read_text()
    assert names(tmp_path) == ["r.console", "r.json", "r.junit"]


def test_a_file_is_not_painted(tmp_path: Path) -> None:
    out = Terminal()
    write_all(everything(), wanted([f"console={tmp_path / 'c'}"]), style=Style(color=True), stdout=out)
    assert "\x1b[" in out.getvalue()
    assert "\x1b[" not in (tmp_path / "c").read_text()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["jsn"], ["jsn", "did you mean json"]),
        (["yaml=x"], ["formats are console, json, junit"]),
        (["json="], ["a path is missing", "json=FILE"]),
        (["json", "junit"], ["json already goes to standard output"]),
        (["json=a", "junit=./b/../a"], ["json already goes to"]),
        (["json=a\0b"], ["a path is missing"]),
    ],
)
def test_a_wrong_option_is_bad_input(options: list[str], words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        wanted(options)
    assert all(word in str(caught.value) for word in words)
    assert "\n" not in str(caught.value)


def test_two_names_of_one_file_are_one_place(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    with pytest.raises(InputError):
        wanted([f"json={tmp_path / 'file'}", f"junit={tmp_path / 'link'}"])


@pytest.mark.parametrize(
    ("options", "expected"),
    [([], False), (["json=x"], False), (["console"], False), (["json"], True), (["json=x", "junit=-"], True)],
)
def test_who_has_standard_output_is_known_beforehand(options: list[str], expected: bool) -> None:
    assert console_on_stderr(wanted(options)) is expected


def test_options_are_read() -> None:
    assert wanted(["json=a=b", "junit"]) == (Wanted("json", "a=b"), Wanted("junit"))


@pytest.mark.parametrize("place", ["missing/r.json", ".", "file/r.json", "x" * 300])
def test_what_cannot_be_written_is_one_line_and_the_others_are_written(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("kept")
    out = Terminal()
    good = tmp_path / "good.xml"
    with pytest.raises(ReportError) as caught:
        write_all(everything(), wanted([f"json={tmp_path / place}", f"junit={good}"]), stdout=out)
    assert "the json report cannot be written to" in str(caught.value)
    assert "give another path" in str(caught.value)
    assert good.read_text().startswith("<?xml")
    assert "NOT READY" in out.getvalue()
    assert names(tmp_path) == ["file", "good.xml"]


def test_a_full_disk_leaves_the_old_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r.json"
    path.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", full)
    with pytest.raises(ReportError, match="No space left"):
        write_all(everything(), wanted([f"json={path}"]), stdout=Terminal())
    assert path.read_text() == "old"
    assert names(tmp_path) == ["r.json"]


def test_a_reader_sees_the_old_or_the_new_file_never_a_half(tmp_path: Path) -> None:
    path = tmp_path / "r"
    write_file(path, "a" * 100_000)
    before = path.open()
    write_file(path, "b" * 100_000)
    with before:
        assert before.read() == "a" * 100_000
    assert path.read_text() == "b" * 100_000


def test_the_mode_is_that_of_the_old_file_or_what_the_umask_leaves(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        write_file(tmp_path / "new", "x")
        (tmp_path / "old").touch(0o604)
        (tmp_path / "old").chmod(0o604)
        write_file(tmp_path / "old", "x")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
    assert stat.S_IMODE((tmp_path / "old").stat().st_mode) == 0o604


def test_a_symbolic_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write_file(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_a_device_stays_one() -> None:
    write_file(Path("/dev/null"), "x")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_named_pipe_gets_the_report(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    write_file(pipe, "x" * 200_000)
    reader.join(30)
    assert read == ["x" * 200_000]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


WRITE = """
import sys
from lens_preflight.reports import Style, ReportError
from lens_preflight.reports.output import wanted, write_all
from tests.reports.records import everything
try:
    write_all(everything(), wanted(sys.argv[1:]), style=Style(verbosity=2))
except ReportError as trouble:
    print(trouble, file=sys.stderr)
    sys.exit(3)
sys.exit(7)
"""


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    script = command.replace("WRITE", f'"{sys.executable}" -c "$CODE"')
    return subprocess.run(
        ["bash", "-c", script], capture_output=True, env={**os.environ, "CODE": WRITE, **environment}
    )


@pytest.mark.parametrize("options", [[], ["json"], ["junit"]])
def test_a_closed_pipe_changes_neither_the_code_nor_standard_error(options: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-c", WRITE, *options]
    try:
        done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE)
    finally:
        os.close(write)
    assert done.returncode == 7
    assert done.stderr.startswith(b"lens-preflight 0.1.0" if options else b"")
    assert b"Errno" not in done.stderr


@pytest.mark.parametrize("option", ["", "json"])
def test_a_standard_output_that_is_not_there_is_silence(option: str) -> None:
    assert shell(f"WRITE {option} >&- 2>&-").returncode == 7


def test_a_full_standard_output_is_told() -> None:
    done = shell("WRITE json 2>&1 >/dev/full")
    assert done.returncode == 3
    assert b"the json report cannot be written to standard output: No space left" in done.stdout


@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/fd/1"])
def test_the_device_of_standard_output_is_standard_output(tmp_path: Path, path: str) -> None:
    done = shell(f"WRITE json={path} > {tmp_path / 'out'}")
    assert done.returncode == 7
    assert json.loads((tmp_path / "out").read_text())
    assert done.stderr.startswith(b"lens-preflight 0.1.0")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_encoding_of_the_terminal_will_do(encoding: str) -> None:
    done = shell("WRITE", PYTHONIOENCODING=encoding)
    assert done.returncode == 7
    assert "(6 of 9 judged; not judged: 3, 5, 9" in done.stdout.decode(encoding)


def test_what_an_encoding_lacks_is_replaced() -> None:
    assert fitted("a — b → é 漢", "latin-1") == "a - b -> é \\u6f22"
    assert fitted("a — b", "utf-8") == "a — b"
