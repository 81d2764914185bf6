from __future__ import annotations

import datetime
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from lens_preflight.gate import cache, state
from lens_preflight.gate.fleet import SharedFolder
from lens_preflight.gate.lock import only_one
from lens_preflight.gate.options import GateSettings, Policy
from lens_preflight.gate.quarantine import REASON_LIMIT, quarantine, reason_text
from lens_preflight.gate.slurm import Slurm, SlurmError
from lens_preflight.gate.state import State

RULE = "otlp-endpoint/ca-file-missing"


@dataclass(frozen=True)
class FakeSlurm(Slurm):
    """Answers as told and notes what it is told to drain."""

    states: tuple[str, str] = ("idle", "none")
    ours: tuple[tuple[str, str], ...] = ()
    broken: str = ""
    drained: list[tuple[str, str]] = field(default_factory=list, hash=False)

    def reason(self, node: str) -> tuple[str, str]:
        if self.broken:
            raise SlurmError(self.broken)
        return self.states

    def drained_by_us(self) -> list[tuple[str, str]]:
        return list(self.ours)

    def drain(self, node: str, reason: str) -> None:
        self.drained.append((node, reason))


def made(word: str = "quarantine", **changes: object) -> State:
    fields = {
        "node": "n1",
        "boot_id": cache.boot_id(),
        "word": word,
        "expiry": int(cache.uptime()) + 100,
        "rule": RULE,
        "message": "the CA file named by the settings does not exist here",
        "cause": "host",
        "failing": {RULE: time.time() - 100},
        **changes,
    }
    return State(**fields)  # type: ignore[arg-type]


@pytest.fixture
def settings(tmp_path: Path) -> GateSettings:
    fleet = SharedFolder(tmp_path / "fleet")
    fleet.publish("n1", [RULE])
    fleet.publish("n2", [])
    fleet.publish("n3", [])
    found = GateSettings(
        policy=Policy.QUARANTINE,
        run_dir=str(tmp_path / "run"),
        fleet=str(tmp_path / "fleet"),
        switch=str(tmp_path / "disabled"),
        syslog="",
    )
    cache.prepare(found.folder("n1"))
    state.save(found.folder("n1"), made())
    return found


def test_drains_with_our_reason(settings: GateSettings) -> None:
    slurm = FakeSlurm()
    assert quarantine(settings, "n1", "42", slurm).startswith("drained")
    ((node, reason),) = slurm.drained
    assert node == "n1"
    assert reason.startswith(f"lens-preflight {RULE} host job=42 20")
    assert len(reason) <= REASON_LIMIT and reason.isascii() and "\n" not in reason


def test_of_many_hooks_one_decides(settings: GateSettings) -> None:
    slurm = FakeSlurm()
    with only_one(settings.folder("n1"), "quarantine") as alone:
        assert alone
        assert quarantine(settings, "n1", "42", slurm) == "another hook decides"
    assert not slurm.drained
    assert quarantine(settings, "n1", "42", slurm).startswith("drained")


def recent(minutes: float) -> str:
    at = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(minutes=minutes)
    return at.strftime("%Y-%m-%dT%H:%M:%S")


@pytest.mark.parametrize(
    ("slurm", "why"),
    [
        (FakeSlurm(states=("drained", "disk is failing")), "already"),
        (FakeSlurm(states=("draining", "lens-preflight x")), "already"),
        (FakeSlurm(states=("down", "Not responding")), "already"),
        (FakeSlurm(states=("", "")), "does not know"),
        (FakeSlurm(broken="sinfo gave no answer within 5 s"), "no answer"),
        (FakeSlurm(ours=(("n7", recent(10)), ("n8", recent(50)))), "max_drains_per_hour"),
    ],
)
def test_slurm_may_speak_against_it(settings: GateSettings, slurm: FakeSlurm, why: str) -> None:
    said = quarantine(settings, "n1", "42", slurm)
    assert said.startswith("not drained") and why in said
    assert not slurm.drained


def test_drains_of_earlier_hours_do_not_count(settings: GateSettings) -> None:
    slurm = FakeSlurm(ours=(("n7", recent(61)), ("n8", recent(500))))
    assert quarantine(settings, "n1", "", slurm).startswith("drained")


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"word": "fail-host"}, "the verdict is fail-host"),
        ({"word": "pass"}, "the verdict is pass"),
        ({"expiry": 1}, "stale"),
        ({"boot_id": "another"}, "stale"),
        ({"node": "n2"}, "stale"),
        ({"rule": "otlp-endpoint/another"}, "no fleet verdict"),
    ],
)
def test_the_verdict_is_read_again(settings: GateSettings, changes: dict[str, object], why: str) -> None:
    state.save(settings.folder("n1"), made(**changes))  # type: ignore[arg-type]
    slurm = FakeSlurm()
    assert why in quarantine(settings, "n1", "42", slurm)
    assert not slurm.drained


def test_policy_switch_and_fleet_are_asked_again(settings: GateSettings, tmp_path: Path) -> None:
    import dataclasses

    slurm = FakeSlurm()
    advisory = dataclasses.replace(settings, policy=Policy.ADVISORY)
    assert "the policy is advisory" in quarantine(advisory, "n1", "", slurm)
    off = dataclasses.replace(settings, enabled=False)
    assert "switched off" in quarantine(off, "n1", "", slurm)
    (tmp_path / "disabled").touch()
    assert "switched off" in quarantine(settings, "n1", "", slurm)
    (tmp_path / "disabled").unlink()
    SharedFolder(tmp_path / "fleet").publish("n2", [RULE])
    assert "a shared cause" in quarantine(settings, "n1", "", slurm)
    assert not slurm.drained


def test_a_reason_holds_no_harm() -> None:
    text = reason_text(made(message="x\n$(reboot) 'y' \x1b[31m" + "z" * 500), "42")
    assert "\n" not in text and "$" not in text and "\x1b" not in text and len(text) <= REASON_LIMIT
