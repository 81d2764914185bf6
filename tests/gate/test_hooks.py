"""The scripts as Slurm starts them, under every sh that is here."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lens_preflight.gate import cache
from lens_preflight.gate.cache import Word
from tests.gate.installed import Installed, installed

SHELLS = [
    pytest.param(argv, id=name)
    for name, argv in {
        "dash": ("dash",),
        "bash": ("bash", "--posix"),
        "busybox": ("busybox", "sh"),
    }.items()
    if shutil.which(argv[0])
]
HOOKS = ("prolog", "epilog")


@pytest.fixture
def gate(tmp_path: Path, node_python: Path) -> Installed:
    return installed(tmp_path, node_python, ttl=60)


@pytest.fixture
def log(gate: Installed) -> Iterator[socket.socket]:
    """The system log, as a socket that the test reads."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as log:
        log.bind(str(gate.folder / "log.sock"))
        log.settimeout(10)
        yield log


def leave(gate: Installed, word: Word | str, text: str = "some text", lifetime: float = 100) -> Path:
    """Put a verdict where the hooks look."""
    folder = gate.run_dir()
    cache.prepare(folder)
    line = cache.line(Word.PASS, text, lifetime)
    word = word.value if isinstance(word, Word) else word
    cache.write(folder / cache.NAME, str(cache.Line(line.boot_id, line.expiry, word, line.text)))
    return folder / cache.NAME


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("hook", ["prolog", "epilog", "task-prolog", "refresh", "health-check"])
def test_every_script_is_sh(gate: Installed, hook: str, shell: tuple[str, ...]) -> None:
    subprocess.run([*shell, "-n", str(gate.hooks / hook)], check=True)
    assert (gate.hooks / hook).read_text().startswith("#!/bin/sh\n")


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    "word", ["pass", "warn", "fail-job", "fail-shared", "fail-host", "unknown", "", "x;y"]
)
def test_every_verdict_ends_with_0_and_silence(gate: Installed, shell: tuple[str, ...], word: str) -> None:
    leave(gate, word)
    for hook in HOOKS:
        done = gate.run(hook, shell=shell, SLURM_JOB_ID="42")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("word", ["pass", "fail-shared"])
def test_a_verdict_that_is_not_good_is_logged_with_the_job(
    gate: Installed, log: socket.socket, shell: tuple[str, ...], word: str
) -> None:
    leave(gate, word, "otlp-endpoint/refused nobody listens")
    assert gate.run("prolog", shell=shell, SLURM_JOB_ID="42").returncode == 0
    if word == "pass":
        log.settimeout(0.2)
        with pytest.raises(TimeoutError):
            log.recv(4096)
        return
    line = log.recv(4096).decode()
    assert "event=prolog job=42 node=n1 verdict=fail-shared text=otlp-endpoint/refused nobody listens" in line


def folder_instead(path: Path) -> None:
    path.unlink()
    path.mkdir()


def pipe_instead(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def link_instead(path: Path) -> None:
    path.rename(path.with_name("else"))
    path.symlink_to("else")


def says(line: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(line)


BAD: Mapping[str, Callable[[Path], object]] = {
    "missing": Path.unlink,
    "folder": folder_instead,
    "pipe": pipe_instead,
    "link": link_instead,
    "empty": says(""),
    "bytes": lambda path: path.write_bytes(os.urandom(2000)),
    "stale": says(f"{cache.boot_id()} 1 pass old\n"),
    "octal": says(f"{cache.boot_id()} 0099 pass x\n"),
    "huge number": says(f"{cache.boot_id()} {'9' * 40} pass x\n"),
    "too far": says(f"{cache.boot_id()} {int(cache.uptime()) + 99_999} pass x\n"),
    "another start": says(f"00000000 {int(cache.uptime()) + 50} pass x\n"),
    "formula": says(f"{cache.boot_id()} a[$(id)] pass x\n"),
}


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("kind", BAD)
def test_a_verdict_that_cannot_be_used_is_none(
    gate: Installed, log: socket.socket, shell: tuple[str, ...], kind: str
) -> None:
    BAD[kind](leave(gate, Word.PASS))
    for hook in HOOKS:
        assert gate.run(hook, shell=shell, SLURM_JOB_ID="1").returncode == 0
        assert "verdict=none" in log.recv(4096).decode()


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_planted_quarantine_starts_nothing(gate: Installed, log: socket.socket, what: str) -> None:
    path = leave(gate, Word.QUARANTINE)
    os.chown(path if what == "file" else path.parent, 65534, 65534)
    assert gate.run("prolog", SLURM_JOB_ID="1").returncode == 0
    assert "verdict=none" in log.recv(4096).decode()


def test_the_kill_switch_and_the_comment_end_it_at_once(gate: Installed, log: socket.socket) -> None:
    leave(gate, Word.FAIL_SHARED)
    log.settimeout(0.3)
    assert gate.run("prolog", SLURM_JOB_COMMENT="site:x, lens:skip").returncode == 0
    with pytest.raises(TimeoutError):
        log.recv(4096)
    log.settimeout(10)
    assert gate.run("prolog", SLURM_JOB_COMMENT="no-lens:skip-please").returncode == 0
    assert log.recv(4096)
    (gate.folder / "disabled").touch()
    log.settimeout(0.3)
    assert gate.run("prolog").returncode == 0
    with pytest.raises(TimeoutError):
        log.recv(4096)


@pytest.mark.parametrize("shell", SHELLS)
def test_hostile_job_texts_are_only_texts(gate: Installed, shell: tuple[str, ...]) -> None:
    leave(gate, Word.FAIL_SHARED)
    evil = "$(touch /tmp/lens-owned) `touch /tmp/lens-owned` '; touch /tmp/lens-owned; ' \n* ../../ \x01"
    done = gate.run(
        "prolog",
        shell=shell,
        node=f"../{evil}",
        SLURM_JOB_COMMENT=evil,
        SLURM_JOB_ID=evil,
        SLURM_JOB_NAME=evil,
        IFS="/",
        ENV="/tmp/evil",
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert not Path("/tmp/lens-owned").exists()


def test_closed_streams_and_an_odd_folder_do_no_harm(gate: Installed, tmp_path: Path) -> None:
    leave(gate, Word.FAIL_SHARED)
    for hook in (*HOOKS, "task-prolog", "refresh"):
        closed = ("sh", "-c", 'exec "$0" <&- >&- 2>&-')
        done = subprocess.run(
            [*closed, str(gate.hooks / hook)],
            env={"SLURM_JOB_ID": "1"},
            cwd=tmp_path,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
def test_on_the_good_path_nothing_is_forked_and_few_files_are_opened(gate: Installed) -> None:
    leave(gate, Word.PASS)
    trace = gate.folder / "trace"
    done = gate.run("prolog", shell=("strace", "-f", "-o", str(trace)))
    assert done.returncode == 0
    calls = trace.read_text()
    assert not re.findall(r"^\d+ +(?:v?fork|clone3?)\(", calls, re.MULTILINE)
    assert len(re.findall(r"^\d+ +open(?:at2?)?\(", calls, re.MULTILINE)) <= 8


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
def test_sigterm_at_every_system_call_ends_with_0(gate: Installed) -> None:
    """From the moment that the script has set its trap; before that it is not running yet."""
    leave(gate, Word.FAIL_SHARED)
    trace = gate.folder / "trace"
    gate.run("prolog", shell=("strace", "-o", str(trace)))
    seen: dict[str, int] = {}
    points, trapped = [], False
    for line in trace.read_text().splitlines():
        name = line.partition("(")[0]
        seen[name] = seen.get(name, 0) + 1
        if trapped and name not in ("exit_group", "rt_sigreturn") and name.isidentifier():
            points.append((name, seen[name]))
        trapped = trapped or (line.startswith("rt_sigaction(SIGTERM, {sa_handler=0x"))
    assert len(points) > 50

    def ends(point: tuple[str, int]) -> int:
        name, number = point
        inject = f"inject={name}:signal=SIGTERM:when={number}"
        return gate.run("prolog", shell=("strace", "-qq", "-o", "/dev/null", "-e", inject)).returncode

    with ThreadPoolExecutor(2) as pool:
        codes = list(pool.map(ends, points))
    assert set(codes) == {0}, [p for p, c in zip(points, codes, strict=True) if c]


def test_64_hooks_at_once_send_nothing(tmp_path: Path, node_python: Path) -> None:
    with socket.socket() as collector:
        collector.bind(("127.0.0.1", 0))
        collector.listen(64)
        url = f"http://127.0.0.1:{collector.getsockname()[1]}"
        gate = installed(tmp_path, node_python, environment={"OTEL_EXPORTER_OTLP_ENDPOINT": url})
        with ThreadPoolExecutor(16) as pool:  # no verdict at all: the worst that a hook can meet
            codes = list(pool.map(lambda _: gate.run("prolog", SLURM_JOB_ID="7").returncode, range(64)))
        assert codes == [0] * 64
        collector.settimeout(0.2)
        with pytest.raises(TimeoutError):
            collector.accept()


def test_nothing_in_the_background_holds_the_output_of_the_hook(gate: Installed) -> None:
    """Slurm waits for the pipe, not for the process: a child that keeps it open holds the job."""
    pipe = gate.folder / "pipe"
    os.mkfifo(pipe)
    stuck = gate.folder / "stuck"
    stuck.write_text(f"#!/bin/sh\necho $$ >{pipe}\nexec sleep 60\n")
    stuck.chmod(0o755)
    hook = gate.hooks / "prolog"
    hook.write_text(re.sub(r"^python=.*$", f"python={stuck}", hook.read_text(), flags=re.MULTILINE))
    leave(gate, Word.QUARANTINE)
    assert gate.run("prolog").returncode == 0  # returns only when the pipe is closed
    os.kill(int(pipe.read_text()), signal.SIGKILL)


def test_the_health_check_starts_the_refresh_and_does_not_wait(tmp_path: Path, node_python: Path) -> None:
    """Slurm kills the process group of a health check when it ends, and waits for its output."""
    gate = installed(tmp_path, node_python, ttl=1, timeout=5)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    recorder = tmp_path / "recorder"
    recorder.write_text(f'#!/bin/sh\necho "$$ $*" >{pipe}\n')
    recorder.chmod(0o755)
    hook = gate.hooks / "refresh"
    hook.write_text(re.sub(r"^python=.*$", f"python={recorder}", hook.read_text(), flags=re.MULTILINE))
    process = subprocess.Popen(
        [str(gate.hooks / "health-check")],
        env={"SLURMD_NODENAME": "n1"},
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.communicate(timeout=20)[0] == b"" and process.returncode == 0
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    assert "gate refresh" in pipe.read_text()


# --- TaskProlog


def task(gate: Installed, environ: Mapping[str, str], shell: Sequence[str] = ()) -> dict[str, str]:
    """What TaskProlog exports, and under the key ``print`` what it prints."""
    known = {"SLURM_JOB_ID": "42", "SLURM_CLUSTER_NAME": "c", **environ}
    done = gate.run("task-prolog", shell=shell, environ=known)
    assert done.returncode == 0
    found: dict[str, str] = {}
    for line in done.stdout.splitlines():
        word, _, rest = line.partition(" ")
        if word == "export":
            name, _, value = rest.partition("=")
            found[name] = value
        else:
            assert word == "print"
            found["print"] = "\n".join(filter(None, (found.get("print", ""), rest)))
    return found


@pytest.mark.parametrize("shell", SHELLS)
def test_a_run_id_is_given_only_where_there_is_none(gate: Installed, shell: tuple[str, ...]) -> None:
    assert task(gate, {}, shell)["NEMO_LENS_RUN_ID"] == "c-42"
    assert "NEMO_LENS_RUN_ID" not in task(gate, {"NEMO_LENS_RUN_ID": "mine"}, shell)
    assert "NEMO_LENS_RUN_ID" not in task(gate, {"NEMO_RL_OTEL_RUN_ID": "mine"}, shell)
    assert "NEMO_LENS_RUN_ID" not in task(gate, {"MEGATRON_OTEL_RUN_ID": "mine"}, shell)
    assert task(gate, {"NEMO_LENS_RUN_ID": "  "}, shell)["NEMO_LENS_RUN_ID"] == "c-42"


@pytest.mark.parametrize("shell", SHELLS)
def test_a_job_submitted_from_a_job_gets_a_run_id_of_its_own(gate: Installed, shell: tuple[str, ...]) -> None:
    parent = {k: v for k, v in task(gate, {}, shell).items() if k != "print"}
    assert task(gate, parent, shell)["NEMO_LENS_RUN_ID"] == "c-42"  # a step of the same job
    child = task(gate, {**parent, "SLURM_JOB_ID": "43"}, shell)
    assert child["NEMO_LENS_RUN_ID"] == "c-43"


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("old", "attempt", "new"),
    [
        ("", "", "slurm.restart_count=0"),
        ("a=b", "2", "a=b,slurm.restart_count=2"),
        ("a=b,", "2", "a=b,slurm.restart_count=2"),
        ("slurm.restart_count=1,a=b", "2", "a=b,slurm.restart_count=2"),
        ("a=b,slurm.restart_count=1", "2", "a=b,slurm.restart_count=2"),
        ("a=b,slurm.restart_count=2", "2", None),
        ('a="b"', "2", None),
        ("a=b\nc", "2", None),
        ("a=\\n", "2", None),
        ("", "x y", "slurm.restart_count=0"),
    ],
)
def test_attempts_are_told_apart(
    gate: Installed, shell: tuple[str, ...], old: str, attempt: str, new: str | None
) -> None:
    found = task(gate, {"OTEL_RESOURCE_ATTRIBUTES": old, "SLURM_RESTART_COUNT": attempt}, shell)
    assert found.get("OTEL_RESOURCE_ATTRIBUTES") == new


FIRST = {"SLURM_NODEID": "0", "SLURM_LOCALID": "0", "SLURM_STEP_ID": "0", "SLURM_NTASKS": "2"}
BAD_SAMPLER = {"NEMO_LENS_ENABLED": "1", "OTEL_TRACES_SAMPLER": "parentbased_traceid_ratio"}


def test_a_bad_sampler_is_one_line_from_one_task(gate: Installed) -> None:
    said = task(gate, {**FIRST, **BAD_SAMPLER})["print"]
    assert len(said.splitlines()) == 1
    assert "sampler" in said.lower() and "fix:" in said
    assert "print" not in task(gate, {**FIRST, **BAD_SAMPLER, "SLURM_LOCALID": "1"})
    assert "print" not in task(gate, {**FIRST, **BAD_SAMPLER, "SLURM_NODEID": "1"})


def test_what_the_batch_step_said_its_steps_do_not_repeat(gate: Installed) -> None:
    batch = {k: v for k, v in FIRST.items() if k != "SLURM_STEP_ID"}
    first = task(gate, {**batch, **BAD_SAMPLER})
    assert len(first.pop("print").splitlines()) == 1
    assert "print" not in task(gate, {**FIRST, **BAD_SAMPLER, **first})


def test_the_batch_step_does_not_complain_about_what_the_script_may_still_set(gate: Installed) -> None:
    batch = {k: v for k, v in FIRST.items() if k != "SLURM_STEP_ID"}
    assert "print" not in task(gate, {**batch, "NEMO_LENS_ENABLED": "1"})


def test_a_job_without_telemetry_is_not_judged(tmp_path: Path, node_python: Path) -> None:
    gate = installed(tmp_path, node_python)
    hook = gate.hooks / "task-prolog"
    loud = tmp_path / "loud"
    loud.write_text("#!/bin/sh\necho 'print lens-preflight: called'\n")
    loud.chmod(0o755)
    hook.write_text(re.sub(r"^python=.*$", f"python={loud}", hook.read_text(), flags=re.MULTILINE))
    assert "print" not in task(gate, FIRST)
    assert task(gate, {**FIRST, "NEMO_LENS_ENABLED": "1"})["print"] == "lens-preflight: called"


BROKEN = {
    "floods": "yes 'print lens-preflight: x' | head -c 5000000",
    "forges": "echo 'export LD_PRELOAD=/tmp/x'; echo 'unset PATH'; echo 'print not ours'",
    "fails": "echo 'print lens-preflight: half'; exit 1",
    "hangs": "exec sleep 60",
    "hangs deaf": "trap '' TERM; sleep 60",
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_tool_costs_a_task_seconds_at_most(gate: Installed, how: str) -> None:
    hook = gate.hooks / "task-prolog"
    broken = gate.folder / "broken"
    broken.write_text(f"#!/bin/sh\n{BROKEN[how]}\n")
    broken.chmod(0o755)
    text = re.sub(r"^python=.*$", f"python={broken}", hook.read_text(), flags=re.MULTILINE)
    hook.write_text(text.replace("timeout -k 1 4 ", "timeout -k 1 1 "))
    found = task(gate, {**FIRST, **BAD_SAMPLER})
    assert set(found) <= {"NEMO_LENS_RUN_ID", "LENS_PREFLIGHT_RUN_ID", "OTEL_RESOURCE_ATTRIBUTES", "print"}
    assert len(found.get("print", "").splitlines()) <= 3
    assert "not ours" not in found.get("print", "")
