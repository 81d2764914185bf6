"""What the shells offer."""

from __future__ import annotations

import pytest

from tests.cli.running import run


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_script(shell: str) -> None:
    done = run(env={"_LENS_PREFLIGHT_COMPLETE": f"{shell}_source"})
    assert done.returncode == 0
    assert "_LENS_PREFLIGHT_COMPLETE" in done.stdout
    assert not done.stderr


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("lens-preflight ch", ["check", "checks"]),
        ("lens-preflight checks sh", ["shutdown"]),
        ("lens-preflight check --profile l", ["login"]),
        ("lens-preflight check --select setup", ["setup-once"]),
        ("lens-preflight check --select shutdown,sig", ["shutdown,sigterm"]),
        ("lens-preflight check --select shutdown,shut", []),
        ("lens-preflight check --report ju", ["junit", "junit-rich"]),
        ("lens-preflight merge --report sa", ["sarif"]),
        ("lens-preflight check --expect 1,a", ["1,all"]),
    ],
)
def test_words(line: str, offered: list[str]) -> None:
    count = str(len(line.split()) - 1)
    done = run(env={"_LENS_PREFLIGHT_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": count})
    assert [word.partition(",")[2] for word in done.stdout.split()] == offered
