"""Every command block of README and docs is run, on the examples beside them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lens_preflight.settings import parse_toml
from tests.cli.running import environment

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "docs" / "examples"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "guides").glob("*.md"))]
ELSEWHERE = {"slurm.md", "backends.md"}
"""Pages whose commands need services; run by tests/live."""

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXIT = re.compile(r"\s+# exit (\d)$")


def blocks(kind: str) -> list[Any]:
    return list(_blocks(kind))


def _blocks(kind: str) -> Iterator[Any]:
    for page in PAGES:
        if page.name in ELSEWHERE:
            continue
        for number, match in enumerate(BLOCK.finditer(page.read_text()), 1):
            if match[1] == kind:
                yield pytest.param(match[2], id=f"{page.stem}-{number}")


@pytest.fixture
def workplace(tmp_path: Path) -> Path:
    """A copy of the examples where a checkout has them, and the command on PATH."""
    shutil.copytree(EXAMPLES, tmp_path / EXAMPLES.relative_to(ROOT))
    tool = tmp_path / "bin" / "lens-preflight"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m lens_preflight "$@"\n')
    tool.chmod(0o755)
    return tmp_path


def run(line: str, place: Path) -> subprocess.CompletedProcess[str]:
    tools = next(up / "bin" for up in (place, *place.parents) if (up / "bin" / "lens-preflight").exists())
    env = environment({"GITHUB_STEP_SUMMARY": str(place / "summary.md")})
    env["PATH"] = f"{tools}{os.pathsep}{env['PATH']}"
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", line],
        cwd=place,
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.parametrize("text", blocks("sh"))
def test_command_blocks_do_what_they_say(text: str, workplace: Path) -> None:
    place = workplace
    for line in text.replace("\\\n", " ").strip().splitlines():
        if line.startswith("cd "):
            place = place / line.removeprefix("cd ")
            continue
        if line.startswith("make "):
            assert re.search(rf"^{line.split()[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
            continue
        expected = EXIT.search(line)
        done = run(EXIT.sub("", line), place)
        code = int(expected[1]) if expected else 0
        assert done.returncode == code, f"{line}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"


@pytest.mark.parametrize("text", blocks("yaml"))
def test_commands_of_ci_files_run(text: str, workplace: Path) -> None:
    commands = re.findall(r"(?:run: |- )(lens-preflight .+)$", text, re.MULTILINE)
    assert commands
    for command in commands:
        done = run(command, workplace / "docs" / "examples" / "job")
        assert done.returncode in (0, 1), f"{command}\n{done.stderr}"
        assert "Usage" not in done.stderr


@pytest.mark.parametrize("text", blocks("toml"))
def test_settings_in_the_docs_are_valid(text: str, tmp_path: Path) -> None:
    from lens_preflight.settings import load

    file = tmp_path / "preflight.toml"
    file.write_text(text)
    assert parse_toml(text.encode(), "docs")
    assert load(file).source == str(file)


@pytest.mark.parametrize("text", blocks("console"))
def test_shown_output_is_real(text: str, workplace: Path) -> None:
    lines = text.strip().splitlines()
    commands = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    shown = [line for line in lines if not line.startswith("$ ")]
    done = run("\n".join(commands), workplace)
    assert "\n".join(shown) in done.stdout, done.stdout + done.stderr


def test_python_in_the_guide_is_the_example(workplace: Path) -> None:
    page = (ROOT / "docs" / "guides" / "writing-a-check.md").read_text()
    code = [match[2] for match in BLOCK.finditer(page) if match[1] == "python"]
    assert code[0].strip() in (EXAMPLES / "site_checks.py").read_text()
    namespace: dict[str, object] = {}
    for part in code:
        exec(compile(part, "guide", "exec"), namespace)


def test_links_lead_somewhere() -> None:
    broken = []
    for page in [*PAGES, *sorted((ROOT / "docs").rglob("*.md")), ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text()):
            if "://" not in target and not (page.parent / target).exists():
                broken.append(f"{page.relative_to(ROOT)}: {target}")
    assert not broken
