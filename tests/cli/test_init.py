"""The first minutes: what is here, a settings file from it, the next thing to type."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from lens_preflight.cli.init import settings_text
from lens_preflight.settings import load
from lens_preflight.surroundings import look
from tests.cli.running import run

JOB = "#!/bin/bash\n#SBATCH --nodes=1\nexport NEMO_LENS_ENABLED=1\nsrun python train.py\n"
PROGRAM = (
    "from nemo.lens import NemoLensConfig, setup_telemetry\n"
    "if __name__ == '__main__':\n    setup_telemetry(NemoLensConfig.from_env(), rank=0, world_size=1)\n"
)
FILES = {
    "train.sbatch": JOB,
    "train.py": PROGRAM,
    "helper.py": "x = 1\n",
    "boards/training.json": '{"panels": []}',
    "package.json": '{"name": "x"}',
    "otel.yaml": "receivers: {}\nexporters: {}\nservice: {}\n",
    "alerts.yml": "groups:\n- name: a\n  rules:\n  - alert: X\n",
    "other.yaml": "a: 1\n",
    ".hidden/train.py": PROGRAM,
    "node_modules/train.py": PROGRAM,
}


def filled(folder: Path) -> Path:
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_a_pipe_in_the_folder_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "control.json")
    assert look(filled(tmp_path)).jobs == ("train.sbatch",)


def test_files_are_told_by_content(tmp_path: Path) -> None:
    seen = look(filled(tmp_path))
    assert seen.jobs == ("train.sbatch",)
    assert seen.programs == ("train.py",)
    assert seen.dashboards == ("boards/training.json",)
    assert seen.collectors == ("otel.yaml",)
    assert seen.rules == ("alerts.yml",)
    assert seen.command == (
        "lens-preflight check train.sbatch --dashboard boards/training.json"
        " --collector-config otel.yaml --rules alerts.yml"
    )


def test_a_large_folder_is_looked_at_in_part(tmp_path: Path) -> None:
    for number in range(1000):
        (tmp_path / f"{number:04}.txt").write_text("x")
    assert look(tmp_path).command == ""


def test_the_settings_file_is_valid_whatever_was_seen(tmp_path: Path) -> None:
    for folder in (tmp_path / "empty", filled(tmp_path / "full")):
        folder.mkdir(exist_ok=True)
        file = folder / "preflight.toml"
        file.write_text(settings_text(look(folder)))
        settings = load(file)
        assert settings.purpose == "production"
    assert settings.dashboards == ("boards/training.json",)
    assert settings.rules == ("alerts.yml",)


def test_init_writes_once_and_never_overwrites(tmp_path: Path) -> None:
    filled(tmp_path)
    first = run("init", cwd=tmp_path)
    assert first.returncode == 0
    assert "lens-preflight check train.sbatch" in first.stdout
    written = (tmp_path / "preflight.toml").read_text()
    (tmp_path / "preflight.toml").write_text("# mine\n")
    second = run("init", cwd=tmp_path)
    assert second.returncode == 0
    assert (tmp_path / "preflight.toml").read_text() == "# mine\n"
    assert run("init", "--print", cwd=tmp_path).stdout == written


def test_files_named_in_settings_are_found_from_elsewhere(tmp_path: Path) -> None:
    site = filled(tmp_path / "site")
    (site / "preflight.toml").write_text('dashboards = ["boards/missing.json"]\n')
    done = run("check", "--offline", "--config", "site/preflight.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert "site/boards/missing.json" in done.stderr


def test_check_without_a_target_says_what_is_here(tmp_path: Path) -> None:
    done = run("check", "--offline", "--no-environ", cwd=filled(tmp_path))
    assert "train.sbatch (job)" in done.stderr
    assert "To judge a job:  lens-preflight check train.sbatch" in done.stderr


def test_check_of_files_that_were_named_does_not_ask_for_a_target(tmp_path: Path) -> None:
    filled(tmp_path)
    words = ("check", "--offline", "--no-environ", "--select", "dashboard-panels")
    assert "To judge a job" in run(*words, cwd=tmp_path).stderr
    assert not run(*words, "--dashboard", "boards/training.json", cwd=tmp_path).stderr


def test_settings_in_pyproject_are_settings_already(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.lens-preflight]\nfail_on = "warn"\n')
    done = run("init", cwd=tmp_path)
    assert done.returncode == 0
    assert "pyproject.toml has settings already" in done.stdout
    assert not (tmp_path / "preflight.toml").exists()


def test_a_pyproject_of_somebody_else_is_no_settings_file(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\ndependencies = ["lens-preflight"]\n')
    assert "wrote preflight.toml" in run("init", cwd=tmp_path).stdout


def test_names_that_are_no_text_are_left_out_and_the_file_is_whole(tmp_path: Path) -> None:
    for name in (b"d\xff.json", b'we"ird\x7f.json', b"line\nend.json"):
        (tmp_path / os.fsdecode(name)).write_text('{"panels": []}')
    assert run("init", cwd=tmp_path).returncode == 0
    found = load(tmp_path / "preflight.toml").dashboards
    assert found == ("line\nend.json", 'we"ird\x7f.json')


@pytest.mark.parametrize(
    "name", ["--help.sbatch", "my job.sbatch", "it's\nme.sbatch", os.fsdecode(b"\xff.sbatch")]
)
def test_what_is_to_be_typed_can_be_typed(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(JOB)
    proposals = [run("init", cwd=tmp_path).stdout, run("check", "--offline", cwd=tmp_path).stderr]
    for text in proposals:
        (line,) = [line for line in text.splitlines() if "lens-preflight check " in line]
        word = line.partition("lens-preflight check ")[2]
        script = f"test -f {word} && case {word} in -*) exit 1;; esac"
        assert subprocess.run(["bash", "-c", script], cwd=tmp_path).returncode == 0, line
