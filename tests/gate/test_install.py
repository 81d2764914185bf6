from __future__ import annotations

import stat
from pathlib import Path

import pytest

from lens_preflight.core.errors import InputError
from lens_preflight.gate import mounts
from lens_preflight.gate.hooks import run_id_variables
from lens_preflight.gate.install import check_interpreter, install, units
from lens_preflight.gate.options import GateSettings, Policy
from tests.gate.installed import interpreter


def test_writes_scripts_that_only_we_may_change(tmp_path: Path, node_python: Path) -> None:
    done = install(tmp_path / "hooks", GateSettings(), str(node_python), "")
    assert {p.name for p in done.files} == {"prolog", "epilog", "task-prolog", "refresh", "health-check"}
    for path in done.files:
        assert stat.S_IMODE(path.stat().st_mode) == 0o755
    assert f"Prolog={tmp_path}/hooks/prolog" in done.lines
    assert f"TaskProlog={tmp_path}/hooks/task-prolog" in done.lines
    assert any(line.startswith("PrologEpilogTimeout=") for line in done.lines)
    assert sorted(p.name for p in (tmp_path / "hooks").iterdir()) == sorted(p.name for p in done.files)


def test_odd_paths_are_quoted(tmp_path: Path, node_python: Path) -> None:
    folder = tmp_path / "it's a $(touch owned) folder"
    settings = GateSettings(run_dir=str(folder / "run/%n/x"), switch=str(folder / "off"), syslog=str(folder))
    done = install(folder, settings, str(node_python), str(folder / "p.toml"))
    import subprocess

    for path in done.files:
        found = subprocess.run([str(path)], env={"SLURMD_NODENAME": "n1"}, cwd=tmp_path, capture_output=True)
        assert found.returncode == 0
    assert not list(tmp_path.rglob("owned"))


def test_words_of_the_template_in_a_path_are_only_a_path(tmp_path: Path, node_python: Path) -> None:
    settings = GateSettings(run_dir=str(tmp_path / "@config@"), switch=str(tmp_path / "off"))
    done = install(tmp_path / "hooks", settings, str(node_python), str(tmp_path / "p.toml"))
    assert f"folder={tmp_path}/@config@\n" in done.files[0].read_text()


def test_without_a_log_nothing_is_logged(tmp_path: Path, node_python: Path) -> None:
    done = install(tmp_path / "hooks", GateSettings(syslog=""), str(node_python), "")
    assert '[ -n "" ] && ' in done.files[0].read_text()


def fake(folder: Path, says: str) -> str:
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{says}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("says", "why"),
    [
        ("echo 3 6 0.1.0", "is Python 3.6"),
        ("echo 3 11 0.0.1", "has lens-preflight 0.0.1"),
        ("echo No module named lens_preflight >&2; exit 1", "pip install lens-preflight"),
        ("exit 0", "pip install"),
    ],
)
def test_an_interpreter_that_cannot_run_the_tool_is_refused(tmp_path: Path, says: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        check_interpreter(fake(tmp_path, says))


def test_an_interpreter_without_the_package_or_none_at_all_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="pip install"):
        check_interpreter(str(interpreter(tmp_path / "bare", with_package=False)))
    with pytest.raises(InputError, match="not there"):
        check_interpreter(str(tmp_path / "nothing"))


def test_a_folder_that_others_write_is_refused(tmp_path: Path, node_python: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(InputError, match="chmod go-w"):
        install(folder, GateSettings(), str(node_python), "")
    assert not list(folder.iterdir())


def test_strict_is_not_for_hooks(tmp_path: Path, node_python: Path) -> None:
    with pytest.raises(InputError, match="strict"):
        install(tmp_path / "h", GateSettings(policy=Policy.STRICT), str(node_python), "")


def test_the_timer_runs_the_refresh_once_a_ttl(tmp_path: Path) -> None:
    written = units(tmp_path, GateSettings(ttl=300))
    assert f"ExecStart={tmp_path}/refresh --spread" in written["lens-preflight.service"]
    assert "OnUnitActiveSec=300" in written["lens-preflight.timer"]


def test_all_run_id_variables_are_known() -> None:
    assert {"NEMO_LENS_RUN_ID", "MEGATRON_OTEL_RUN_ID", "NEMO_RL_OTEL_RUN_ID", "NEMO_GYM_OTEL_RUN_ID"} <= set(
        run_id_variables()
    )


def test_the_file_system_of_a_path_is_known() -> None:
    assert mounts.kind(Path("/proc/self")) == "proc"
    assert mounts.kind(Path("/dev/shm/x")) in mounts.MEMORY
    assert not mounts.network_mount(Path("/proc"))
