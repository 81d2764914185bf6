"""The commands as typed."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from lens_preflight.cli.gate import gate
from lens_preflight.core.errors import InputError
from lens_preflight.gate import cache
from tests.faultlab import servers
from tests.gate.installed import toml


@pytest.fixture
def config(tmp_path: Path) -> str:
    keys = {
        "run_dir": str(tmp_path / "run"),
        "syslog": str(tmp_path / "log"),
        "switch": str(tmp_path / "disabled"),
        "timeout": 5,
        "environment": {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{servers.closed_port()}",
            "OTEL_EXPORTER_OTLP_TIMEOUT": "2",
        },
    }
    path = tmp_path / "preflight.toml"
    path.write_text(toml(keys))
    return str(path)


def run(*args: str) -> tuple[int, str]:
    done = CliRunner().invoke(gate, args, standalone_mode=False, catch_exceptions=False)
    return done.return_value, done.output


def test_refresh_ends_with_0_whatever_the_verdict_is(config: str, tmp_path: Path) -> None:
    code, said = run("refresh", "--config", config, "--node", "n1")
    assert code == 0 and said.startswith("n1: fail-shared: otlp-endpoint/refused")
    found, _ = cache.read(tmp_path / "run")
    assert found is not None and found.word == "fail-shared"


def test_refresh_ends_with_3_when_the_verdict_cannot_be_left(config: str, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run").chmod(0o777)
    code, said = run("refresh", "--config", config, "--node", "n1")
    assert code == 3 and "chmod go-w" in said


def test_refresh_does_nothing_when_switched_off(config: str, tmp_path: Path) -> None:
    (tmp_path / "disabled").touch()
    code, said = run("refresh", "--config", config, "--node", "n1")
    assert code == 0 and "switched off" in said and not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", ["../n1", "a b", "-", ".x", "n1\n", "x" * 300])
def test_a_name_that_is_none_is_refused(config: str, name: str) -> None:
    import click

    with pytest.raises(click.UsageError, match="not the name of a node"):
        run("refresh", "--config", config, "--node", name)


def test_doctor_looks_at_a_folder_alone(config: str, tmp_path: Path) -> None:
    code, said = run("doctor", "--config", config, "--node", "n1", "--dir", str(tmp_path / "hooks"))
    assert code == 1 and "does not exist, which drains every node" in said


def test_install_prints_what_to_add(config: str, tmp_path: Path, node_python: Path) -> None:
    units = tmp_path / "units"
    units.mkdir()
    code, said = run(
        *("install", "--dir", str(tmp_path / "hooks"), "--config", config),
        *("--python", str(node_python), "--systemd", str(units)),
    )
    assert code == 0
    assert f"Prolog={tmp_path}/hooks/prolog" in said and "systemctl enable --now" in said
    assert (units / "lens-preflight.timer").exists()
    assert f"--config {config} " in (tmp_path / "hooks" / "refresh").read_text()


def test_settings_that_mean_nothing_end_it(tmp_path: Path) -> None:
    path = tmp_path / "preflight.toml"
    path.write_text('[gate]\npolicy = "strict"\n')
    with pytest.raises(InputError, match="first step"):
        run("refresh", "--config", str(path))


def test_what_hooks_call_is_not_in_the_help() -> None:
    _, said = run("--help")
    assert "install" in said and "quarantine" not in said and "task" not in said
