"""sigterm: what the handler does while training runs."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from lens_preflight.checks.sigterm import sigterm
from lens_preflight.core.finding import Location
from tests.program.scripts import FINALLY, GOOD, HEAD, RANKED, asked, rules

SIGNALS = "import signal, sys, threading\n"
HANDLERS = {
    "exits into the finally": ("sys.exit(143)", "pass", []),
    "shuts down and exits": ("handle.shutdown()\n    sys.exit(143)", "pass", []),
    "leaves hard": ("trainlib.save()\n    os._exit(0)", "fail", ["hard-exit"]),
    "sets a flag": ("trainlib.stop = True", "warn", ["only-returns"]),
    "waits for others": ("trainlib.barrier()\n    handle.shutdown()\n    sys.exit(0)", "warn", ["blocks"]),
    "replaces the program": ("os.execv('/bin/true', [])", "fail", ["hard-exit"]),
}


@pytest.mark.parametrize("name", sorted(HANDLERS))
def test_handlers(tmp_path: Path, name: str) -> None:
    body, verdict, wanted = HANDLERS[name]
    text = HEAD + SIGNALS + RANKED + f"def leave(signum, frame):\n    {body}\n"
    text += FINALLY.replace("try:\n", "try:\n    signal.signal(signal.SIGTERM, leave)\n")
    answer = asked(tmp_path, sigterm, text)
    assert (answer.verdict, rules(answer)) == (verdict, wanted)


def test_no_handler_is_a_note(tmp_path: Path) -> None:
    answer = asked(tmp_path, sigterm, GOOD)
    assert (answer.verdict, rules(answer)) == ("note", ["no-handler"])
    assert "signal.signal(signal.SIGTERM" in answer.findings[0].remedy


def test_taken_off_again(tmp_path: Path) -> None:
    text = HEAD + SIGNALS + "signal.signal(signal.SIGTERM, lambda s, f: sys.exit(1))\n" + RANKED
    text += FINALLY.replace("try:\n", "try:\n    signal.signal(signal.SIGTERM, signal.SIG_DFL)\n")
    answer = asked(tmp_path, sigterm, text)
    assert rules(answer) == ["taken-off"]
    assert str(answer.findings[0].at) == "train.py:8"


def test_only_under_a_switch(tmp_path: Path) -> None:
    text = HEAD + SIGNALS + "if os.environ.get('HANDLE'):\n    signal.signal(15, lambda s, f: sys.exit(1))\n"
    assert rules(asked(tmp_path, sigterm, text + RANKED + FINALLY)) == ["conditional"]


def job(**values: object) -> SimpleNamespace:
    """As much of a launch's job as the check looks at."""
    plain: dict[str, object] = {
        "sigterm_delivery": SimpleNamespace(value="reaches-python"),
        "sigterm_at": None,
        "sigterm_why": "",
        "at": Location.file("job.sbatch", 9),
        "command_at": Location.file("job.sbatch", 9),
        "agents": None,
    }
    return SimpleNamespace(**{**plain, **values})


def with_job(tmp_path: Path, **values: object) -> list[str]:
    """The rules for a good program in a job."""
    from tests.program.judge import context

    plain = context(None, "0.1", {}).launch  # type: ignore[arg-type]
    launch = SimpleNamespace(**{**vars(plain), "job": job(**values)})
    return rules(asked(tmp_path, sigterm, GOOD, launch=launch))


def test_an_agent_that_stops_its_workers(tmp_path: Path) -> None:
    assert with_job(tmp_path, agents=2) == ["expected"]


def test_a_signal_that_stops_at_the_shell(tmp_path: Path) -> None:
    stopped = SimpleNamespace(value="batch-shell-only")
    found = with_job(tmp_path, sigterm_delivery=stopped, sigterm_at=Location.file("job.sbatch", 3))
    assert found[0] == "not-delivered"
