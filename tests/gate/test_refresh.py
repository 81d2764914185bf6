from __future__ import annotations

import dataclasses
import json
import os
import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from lens_preflight.core.deadline import Deadline
from lens_preflight.core.outcome import RunRecord
from lens_preflight.core.words import Severity, Status
from lens_preflight.gate import cache, state, syslog, textfile
from lens_preflight.gate.cache import Word
from lens_preflight.gate.control import Controls
from lens_preflight.gate.options import GateSettings, Policy
from lens_preflight.gate.refresh import judge, phase, refresh
from tests.gate.records import failed, finding, outcome, record


@pytest.fixture
def settings(tmp_path: Path) -> GateSettings:
    (tmp_path / "textfiles").mkdir()
    return GateSettings(
        run_dir=str(tmp_path / "run"),
        textfile_dir=str(tmp_path / "textfiles"),
        syslog=str(tmp_path / "log"),
        fleet=str(tmp_path / "fleet"),
        switch=str(tmp_path / "disabled"),
        control_address="127.0.0.1:1",
    )


@pytest.fixture
def log(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as log:
        log.bind(str(tmp_path / "log"))
        log.settimeout(10)
        yield log


def run(settings: GateSettings, what: RunRecord, node: str = "n1") -> Word:
    done = refresh(settings, node, lambda _: what)
    assert done is not None
    return done.word


CA_MISSING = finding("otlp-endpoint/ca-file-missing", message="the CA file does not exist here")


@pytest.mark.parametrize(
    ("what", "word"),
    [
        (record(outcome()), Word.PASS),
        (record(outcome(Status.WARN, finding(severity=Severity.CAUTION))), Word.WARN),
        (failed(), Word.FAIL_SHARED),
        (failed(CA_MISSING), Word.FAIL_HOST),
        (failed(finding("site/job-thing")), Word.FAIL_SHARED),
        (record(outcome(Status.UNKNOWN)), Word.UNKNOWN),
        (record(outcome(Status.ERROR)), Word.UNKNOWN),
        (record(outcome(), incomplete="terminated"), Word.UNKNOWN),
        (record(), Word.UNKNOWN),
        (record(outcome(Status.FAIL, finding()), incomplete="terminated"), Word.UNKNOWN),
        (record(outcome(Status.FAIL, finding()), incomplete="the deadline was reached"), Word.FAIL_SHARED),
    ],
)
def test_every_verdict_reaches_cache_log_metrics_and_report(
    settings: GateSettings, log: socket.socket, what: RunRecord, word: Word
) -> None:
    assert run(settings, what) is word
    folder = settings.folder("n1")
    found, _ = cache.read(folder)
    assert found is not None and found.word == word.value and cache.fresh(found, settings.lifetime)
    assert f"event=refresh node=n1 verdict={word.value} " in log.recv(4096).decode()
    assert json.loads((folder / "report.json").read_text())["schema"] == "lens-preflight/report/1"
    samples = (Path(settings.textfile_dir) / textfile.NAME).read_text()
    shown = word.value.partition("-")[0]
    assert f'lens_preflight_verdict{{verdict="{shown}"}} 1\n' in samples
    ok = 0 if any(o.status is Status.ERROR for o in what.results) else 1
    assert f"lens_preflight_tool_ok {ok}\n" in samples


def test_metrics_are_prometheus_text(settings: GateSettings) -> None:
    """Each metric has help and type, no sample bears a time, and there is one of each."""
    run(settings, failed(CA_MISSING))
    text = (Path(settings.textfile_dir) / textfile.NAME).read_text()
    names = [line.partition("{")[0].split()[0] for line in text.splitlines() if not line.startswith("#")]
    for name in dict.fromkeys(names):
        assert f"# HELP {name} " in text and f"# TYPE {name} gauge\n" in text
    assert len({line.rpartition(" ")[0] for line in text.splitlines()}) == len(text.splitlines())
    assert 'lens_preflight_fault{class="host"} 1\n' in text
    assert textfile.broken("1").count("\n") == text.count("\n")


def test_the_controls_are_asked_only_when_something_failed() -> None:
    def never() -> Controls:
        raise AssertionError("asked")

    assert judge(record(outcome()), never).word is Word.PASS


def test_quarantine_needs_policy_proof_and_the_fleet(settings: GateSettings) -> None:
    strict = dataclasses.replace(settings, policy=Policy.QUARANTINE)
    assert run(strict, failed(CA_MISSING)) is Word.FAIL_HOST
    for node in ("n2", "n3"):
        run(dataclasses.replace(strict, run_dir=f"{settings.run_dir}-%n"), record(outcome()), node)
    assert run(settings, failed(CA_MISSING)) is Word.FAIL_HOST  # advisory
    assert run(strict, failed()) is Word.FAIL_SHARED
    assert run(strict, failed(CA_MISSING)) is Word.FAIL_HOST  # began anew: it was another fault meanwhile
    for node in ("n2", "n3"):
        run(dataclasses.replace(strict, run_dir=f"{settings.run_dir}-%n"), record(outcome()), node)
    assert run(strict, failed(CA_MISSING)) is Word.QUARANTINE
    assert run(strict, record(outcome())) is Word.PASS
    assert run(strict, failed(CA_MISSING)) is Word.FAIL_HOST


def test_two_refreshes_of_a_node_do_not_overlap(settings: GateSettings) -> None:
    inside, go = threading.Event(), threading.Event()

    def slow(_: Deadline) -> RunRecord:
        inside.set()
        assert go.wait(20)
        return record(outcome())

    first = threading.Thread(target=refresh, args=(settings, "n1", slow))
    first.start()
    assert inside.wait(20)
    assert refresh(settings, "n1", lambda _: pytest.fail("ran twice")) is None
    go.set()
    first.join()


def test_what_cannot_be_written_does_not_keep_the_rest_back(
    settings: GateSettings, log: socket.socket
) -> None:
    folder = settings.folder("n1")
    cache.prepare(folder)
    (folder / cache.NAME).mkdir()  # the line cannot take its place
    with pytest.raises(OSError):
        run(settings, record(outcome()))
    assert "verdict=pass" in log.recv(4096).decode()
    assert (Path(settings.textfile_dir) / textfile.NAME).exists()
    assert state.load(folder) is not None


def test_a_folder_of_somebody_else_is_not_used(settings: GateSettings) -> None:
    folder = settings.folder("n1")
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(cache.Untrusted):
        run(settings, record(outcome()))


def test_a_damaged_state_is_forgotten(settings: GateSettings) -> None:
    run(settings, failed(CA_MISSING))
    for text in ("", "{", "[]", '{"node": 1}', '{"failing": null}'):
        (settings.folder("n1") / state.NAME).write_text(text)
        assert state.load(settings.folder("n1")) is None
        assert run(settings, failed(CA_MISSING)) is Word.FAIL_HOST


def test_refreshes_of_many_nodes_spread_over_the_ttl() -> None:
    ttl, parts = 300.0, 30
    phases = [phase(f"gpu{n:05d}", ttl) for n in range(10_000)]
    assert phases == [phase(f"gpu{n:05d}", ttl) for n in range(10_000)]  # a node keeps its own
    counts = [0] * parts
    for one in phases:
        assert 0 <= one < ttl
        counts[int(one / ttl * parts)] += 1
    expected = len(phases) / parts
    assert all(0.7 * expected < count < 1.3 * expected for count in counts)


def test_a_dead_log_holds_nobody_up(settings: GateSettings) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as full:
        full.bind(settings.syslog)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.setblocking(False)
            with pytest.raises(BlockingIOError):
                while True:
                    sender.sendto(b"x" * 1000, settings.syslog)
        assert run(settings, record(outcome())) is Word.PASS


def test_a_signal_while_the_verdict_is_written_costs_nothing_of_it(
    settings: GateSettings, log: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another thread is alive, as those of a stuck look-up are: the kernel may hand it the signal."""
    idle, sent = threading.Event(), syslog.send
    threading.Thread(target=idle.wait, args=(60,), daemon=True).start()
    caught: list[int] = []

    def interrupted(*words: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        sent(*words)  # type: ignore[arg-type]

    monkeypatch.setattr(syslog, "send", interrupted)
    before = signal.signal(signal.SIGTERM, lambda number, _frame: caught.append(number))
    try:
        assert run(settings, record(outcome())) is Word.PASS
        assert not caught
        os.kill(os.getpid(), signal.SIGTERM)
        assert caught == [signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, before)
        idle.set()
    assert (Path(settings.textfile_dir) / textfile.NAME).exists()
