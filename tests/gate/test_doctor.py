from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from lens_preflight.core.errors import InputError
from lens_preflight.gate import cache
from lens_preflight.gate.cache import Word
from lens_preflight.gate.doctor import Advice, examine
from lens_preflight.gate.options import GateSettings, Policy
from tests.gate.installed import Installed, installed

SAFE = """\
Configuration data as of 2026-02-03T04:05:06
ClusterName             = ci
SlurmctldHost[0]        = ctl(127.0.0.1)
Epilog                  = (null)
HealthCheckInterval     = 300 sec
HealthCheckProgram      = /x/health-check
Prolog                  = (null)
PrologEpilogTimeout     = 60
PrologFlags             = (null)
SchedulerParameters     = (null)
TaskProlog              = (null)
"""


def doctor(
    folder: Path, changes: Mapping[str, str] | None = None, settings: GateSettings | None = None, **more: str
) -> list[Advice]:
    """What the doctor says about a configuration that differs from a safe one."""
    changes = {**(changes or {}), **more}
    lines = [
        line
        for line in SAFE.splitlines()
        if line.split(" ")[0] not in changes and not line.startswith("Configuration")
    ]
    lines += [f"{name} = {value}" for name, value in changes.items()]
    check = folder / "health-check"
    check.write_text("#!/bin/sh\n")
    check.chmod(0o755)
    saved = folder / "config.txt"
    saved.write_text("\n".join(lines).replace("/x/health-check", str(check)) + "\n")
    own = settings or GateSettings(run_dir=str(folder / "run"), switch=str(folder / "off"))
    return [a for a in examine(own, "n1", None, str(saved)) if not a.what.startswith(own.run_dir)]


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "hooks" / "mine"
    path.parent.mkdir()
    path.write_text("#!/bin/sh\nexit 0\n")
    path.chmod(0o755)
    return path


def levels(advice: list[Advice], what: str) -> list[str]:
    return [a.level for a in advice if a.what == what]


def test_a_safe_configuration_is_silence(tmp_path: Path, script: Path) -> None:
    assert doctor(tmp_path) == []
    assert doctor(tmp_path, Prolog=str(script), Epilog=str(script), TaskProlog=str(script)) == []


@pytest.mark.parametrize(
    ("changes", "what", "level"),
    [
        ({"SchedulerParameters": "nohold_on_prolog_fail,sched_interval=2"}, "SchedulerParameters", "danger"),
        ({"PrologEpilogTimeout": "65534"}, "PrologEpilogTimeout", "danger"),
        ({"PrologFlags": "Alloc,Contain"}, "PrologFlags", "caution"),
        ({"HealthCheckInterval": "0 sec"}, "HealthCheckInterval", "caution"),
        ({"HealthCheckProgram": "(null)"}, "refresh", "caution"),
    ],
)
def test_settings_that_turn_a_fault_into_a_drain(
    tmp_path: Path, script: Path, changes: dict[str, str], what: str, level: str
) -> None:
    assert levels(doctor(tmp_path, changes, Prolog=str(script)), what) == [level]


def break_missing(path: Path) -> None:
    path.unlink()


def break_dangling(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


def break_mode(path: Path) -> None:
    path.chmod(0o644)


def break_interpreter(path: Path) -> None:
    path.write_text("#!/opt/gone/python3\n")


def break_env(path: Path) -> None:
    path.write_text("#!/usr/bin/env python3\n")


def break_no_line(path: Path) -> None:
    path.write_text("exit 0\n")


def break_writable(path: Path) -> None:
    path.chmod(0o777)


def break_folder_writable(path: Path) -> None:
    path.parent.chmod(0o777)


@pytest.mark.parametrize(
    "damage",
    [
        break_missing,
        break_dangling,
        break_mode,
        break_interpreter,
        break_env,
        break_no_line,
        break_writable,
        break_folder_writable,
    ],
    ids=lambda f: f.__name__,
)
def test_a_hook_that_cannot_run_or_that_others_change_is_a_danger(
    tmp_path: Path, script: Path, damage: object
) -> None:
    damage(script)  # type: ignore[operator]
    assert levels(doctor(tmp_path, Prolog=str(script)), "Prolog")[0] == "danger"
    assert levels(doctor(tmp_path, Epilog=str(script)), "Epilog")[0] == "danger"
    assert levels(doctor(tmp_path, TaskProlog=str(script)), "TaskProlog")


@pytest.mark.parametrize("name", ["README", "README.md", "30-x.rpmsave", "20-y~", ".20-y.swp", "x.dpkg-old"])
def test_whatever_lies_in_a_folder_of_hooks_runs(tmp_path: Path, script: Path, name: str) -> None:
    other = script.with_name(name)
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    pattern = f"{script.parent}/{'.*' if name.startswith('.') else '*'}"
    advice = doctor(tmp_path, Prolog=pattern)
    assert any(name in a.why and a.level == "danger" for a in advice)


def test_a_pattern_that_matches_nothing_is_a_danger(tmp_path: Path) -> None:
    assert levels(doctor(tmp_path, Prolog=f"{tmp_path}/none/*"), "Prolog") == ["danger"]


def test_our_own_hooks_are_looked_into(tmp_path: Path, node_python: Path) -> None:
    gate: Installed = installed(tmp_path / "g", node_python)
    named = {"Prolog": f"{gate.hooks}/prolog", "Epilog": f"{gate.hooks}/epilog"}
    assert doctor(tmp_path, named) == []
    text = (gate.hooks / "prolog").read_text()
    (gate.hooks / "prolog").write_text(text.replace(f"python={node_python}", "python=/gone/python"))
    assert any("/gone/python" in a.why for a in doctor(tmp_path, named))


def test_where_the_verdict_lies_is_looked_at(tmp_path: Path) -> None:
    saved = tmp_path / "config.txt"
    saved.write_text(SAFE)
    settings = GateSettings(run_dir=str(tmp_path / "run"), switch=str(tmp_path / "off"))

    def said() -> str:
        return "\n".join(map(str, examine(settings, "n1", None, str(saved))))

    assert "no refresh has left a verdict" in said()
    folder = settings.folder("n1")
    cache.prepare(folder)
    cache.write(folder / cache.NAME, str(cache.line(Word.PASS, "x", 100)))
    assert "stale" not in said() and "danger" not in said()
    cache.write(folder / cache.NAME, f"{cache.boot_id()} 1 pass x\n")
    assert "stale" in said()
    folder.chmod(0o777)
    assert "danger" in said() and "plant" in said()


def test_a_quarantine_that_cannot_work_is_named(tmp_path: Path) -> None:
    settings = GateSettings(
        policy=Policy.QUARANTINE, run_dir=str(tmp_path / "run"), switch=str(tmp_path / "off")
    )
    said = {a.what for a in doctor(tmp_path, settings=settings)}
    assert {"gate.fleet", "gate.control_address, gate.control_name"} <= said


def test_what_is_no_configuration_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("hello\n")
    with pytest.raises(InputError, match="scontrol show config"):
        examine(GateSettings(), "n1", None, str(tmp_path / "x"))
    with pytest.raises(InputError, match="cannot be read"):
        examine(GateSettings(), "n1", None, str(tmp_path / "nothing"))


def test_root_owns_what_root_runs(tmp_path: Path, script: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root gives files away")
    os.chown(script, 65534, 65534)
    assert any("65534" in a.why for a in doctor(tmp_path, Prolog=str(script)))
