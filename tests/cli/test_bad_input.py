"""Bad input gets one clear line and the right code; nothing is half-written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import environment, run

GOOD = ("check", "--offline", "--no-environ", "--profile", "ci", "--set", "NEMO_LENS_ENABLED=0")


def one_line(text: str) -> str:
    lines = text.strip().splitlines()
    assert len(lines) == 1, text
    assert lines[0].startswith("lens-preflight: ")
    return lines[0]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("chek",), "did you mean 'check'"),
        (("check", "--fial-on", "warn"), "--fail-on"),
        (("check", "--fail-on", "always"), "always"),
        (("check", "--select", "samplr"), "did you mean 'sampler'"),
        (("check", "--ignore", "nothing-like-it"), "no check is called"),
        (("check", "--expect", "10"), "1 to 9"),
        (("check", "--expect", "six"), "1 to 9"),
        (("check", "--set", "NEMO_LENS_ENABLED"), "NAME=VALUE"),
        (("check", "--set", "=1"), "NAME=VALUE"),
        (("check", "--env-file", "missing.env"), "missing.env"),
        (("check", "--config", "missing.toml"), "missing.toml"),
        (("check", "missing.py"), "missing.py"),
        (("check", "--report", "jnuit=x.xml"), "did you mean junit"),
        (("check", "--report", "json", "--report", "junit"), "already goes to"),
        (("check", "--backend", "jaeger"), "write --backend NAME=URL"),
        (("check", "--map", "nothing"), "write --map IN=OUT"),
        (("check", "--world-size", "0"), "world-size"),
        (("check", "--world-size", "9", "--nodes", "2", "--gpus-per-node", "4"), "does not fit"),
        (("checks", "samplr"), "did you mean 'sampler'"),
    ],
)
def test_usage_is_exit_2(words: tuple[str, ...], says: str, tmp_path: Path) -> None:
    done = run(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert says in one_line(done.stderr)


@pytest.mark.parametrize("words", [(), ("gate",)])
def test_a_command_without_words_shows_its_help_as_it_is(words: tuple[str, ...], tmp_path: Path) -> None:
    done = run(*words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == run(*words, "--help", cwd=tmp_path).stdout


def test_a_directory_for_a_file(tmp_path: Path) -> None:
    for words in (("check", "."), ("check", "--env-file", "."), ("check", "--config", ".")):
        done = run(*words, cwd=tmp_path)
        assert done.returncode == 2, done.stderr
        one_line(done.stderr)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"\xef\xbb\xbfNEMO_LENS_ENABLED=1\n", "byte order mark"),
        (b"A=1\nNEMO_LENS\xe2\x80\x8b_ENABLED=1\n", "my.env:2: a character in the name is not ASCII"),
    ],
)
def test_a_name_that_is_not_what_it_looks_like_is_refused(data: bytes, says: str, tmp_path: Path) -> None:
    (tmp_path / "my.env").write_bytes(data)
    done = run("check", "--env-file", "my.env", cwd=tmp_path)
    assert done.returncode == 2
    assert says in one_line(done.stderr)


def test_settings_that_are_wrong_are_exit_2(tmp_path: Path) -> None:
    (tmp_path / "preflight.toml").write_text('profle = "ci"\n')
    done = run(*GOOD, cwd=tmp_path)
    assert done.returncode == 2
    assert "did you mean 'profile'" in one_line(done.stderr)


def test_a_report_that_cannot_be_written_cannot_be_green(tmp_path: Path) -> None:
    done = run(*GOOD, "--report", f"json={tmp_path}/no/such/folder/r.json")
    assert done.returncode == 3
    assert "cannot be written" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_leaves_does_not_change_the_code(tmp_path: Path) -> None:
    words = " ".join((*GOOD, "--report", "json"))
    script = f'set -o pipefail; "{sys.executable}" -m lens_preflight {words} | head -c 1 >/dev/null'
    expected = run(*GOOD, "--report", "json", cwd=tmp_path).returncode
    done = subprocess.run(
        ["bash", "-c", script], env=environment(), cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == expected
    assert done.stderr.count("Traceback") == 0


def test_no_variables_at_all(tmp_path: Path) -> None:
    done = run(
        "check", "--offline", "--no-environ", "--profile", "ci", "--report", "json=-", "-q", cwd=tmp_path
    )
    assert done.returncode == 3, "nobody says how many processes run"
    assert json.loads(done.stdout)["verdict"] == "cannot-tell"


def test_many_and_large_variables(tmp_path: Path) -> None:
    lines = [f"VARIABLE_{n}=x" for n in range(10_000)]
    lines += ["NEMO_LENS_ENABLED=1", "NEMO_LENS_RUN_ID=r", f"OTEL_RESOURCE_ATTRIBUTES=a={'b' * 1_000_000}"]
    (tmp_path / "job.env").write_text("\n".join(lines))
    done = run(
        "check",
        "--offline",
        "--no-environ",
        "--env-file",
        "job.env",
        "--report",
        "json=-",
        "-q",
        cwd=tmp_path,
    )
    assert done.returncode in (0, 1, 3), done.stderr
    assert json.loads(done.stdout)["schema"] == "lens-preflight/report/1"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_writes_the_partial_report(number: signal.Signals, code: int, tmp_path: Path) -> None:
    """The endpoint accepts and never answers, so that the run is waiting when the signal comes."""
    import socket

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        words = ("check", "--profile", "node", "--no-environ", "--report", "json=r.json", "-q")
        sets = ("--set", "NEMO_LENS_ENABLED=1", "--set", f"OTEL_EXPORTER_OTLP_ENDPOINT={url}")
        child = subprocess.Popen(
            [sys.executable, "-m", "lens_preflight", *words, *sets],
            env=environment(),
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            text=True,
        )
        listener.settimeout(60)
        connection, _ = listener.accept()
        with connection:
            os.kill(child.pid, number)
            _, errors = child.communicate(timeout=60)
    assert child.returncode == code, errors
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["run"]["incomplete"]
    assert "Traceback" not in errors


@pytest.mark.parametrize("option", ["--config", "--baseline", "--env-file", "--node-report"])
@pytest.mark.parametrize("name", ["pipe", "/dev/zero", "folder"])
def test_what_is_no_file_is_neither_waited_for_nor_read_without_end(
    option: str, name: str, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    done = run(*GOOD, option, name, cwd=tmp_path, timeout=30)
    assert done.returncode == 2
    assert name in one_line(done.stderr)


JOB = "#!/bin/bash\n#SBATCH --nodes=1\nsrun python train.py\n"


@pytest.mark.parametrize(
    "path", ["train.sbatch", "./train.sbatch", "train.py", "link", "d.json", "x.env", "my.toml", "b.json"]
)
def test_no_report_overwrites_what_is_read(path: str, tmp_path: Path) -> None:
    texts = {"train.sbatch": JOB, "train.py": "x = 1\n", "d.json": '{"panels": []}', "x.env": "A=1\n"}
    for name, text in {**texts, "my.toml": "local = []\n"}.items():
        (tmp_path / name).write_text(text)
    os.link(tmp_path / "train.sbatch", tmp_path / "link")
    words = ("train.sbatch", "--dashboard", "d.json", "--env-file", "x.env", "--config", "my.toml")
    done = run(*GOOD, *words, "--baseline", "b.json", "--report", f"json={path}", cwd=tmp_path)
    assert done.returncode == 2
    assert "would overwrite" in one_line(done.stderr)
    assert {name: (tmp_path / name).read_text() for name in texts} == texts
    assert run(*GOOD, *words, "--report", "json=new.json", "-q", cwd=tmp_path).returncode != 2


def test_a_merge_does_not_overwrite_what_it_merges(tmp_path: Path) -> None:
    run(*GOOD, "--report", "json=a.json", "-q", cwd=tmp_path)
    before = (tmp_path / "a.json").read_text()
    done = run("merge", "a.json", "--report", "json=a.json", cwd=tmp_path)
    assert (done.returncode, (tmp_path / "a.json").read_text()) == (2, before)


def test_an_empty_completion_variable_is_none(tmp_path: Path) -> None:
    done = run("checks", env={"_LENS_PREFLIGHT_COMPLETE": ""}, cwd=tmp_path)
    assert done.returncode == 0
    assert "shutdown" in done.stdout
