"""Ends that a process brings upon itself: its own number, its group, timers, and hooks that kill."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.shutdown import shutdown
from tests.program.scripts import HEAD, RANKED, asked, rules

MORE = "import atexit, faulthandler, multiprocessing, signal, subprocess, sys, threading\nimport psutil\n"
TRY = "try:\n    trainlib.train()\n    {line}\nfinally:\n    handle.shutdown()\n"

DEADLY = (
    "os.kill(os.getpid(), signal.SIGKILL)",
    "os.kill(0, signal.SIGKILL)",
    "os.kill(0, signal.SIGTERM)",
    "os.kill(-1, 9)",
    "os.kill(os.getpid(), signal.SIGABRT)",
    "os.kill(multiprocessing.current_process().pid, 9)",
    "os.killpg(os.getpgid(0), signal.SIGKILL)",
    "os.killpg(os.getpgrp(), signal.SIGKILL)",
    "os.killpg(os.getpgid(os.getpid()), signal.SIGTERM)",
    "os.killpg(0, signal.SIGKILL)",
    "signal.raise_signal(signal.SIGSEGV)",
    "signal.pthread_kill(threading.get_ident(), signal.SIGKILL)",
    "psutil.Process().kill()",
    "psutil.Process(os.getpid()).terminate()",
    "subprocess.run(['kill', '-9', str(os.getpid())])",
    "subprocess.run(['/bin/kill', '-s', 'KILL', f'{os.getpid()}'])",
    "os.system(f'kill -9 {os.getpid()}')",
    "os.system('kill %d' % os.getpid())",
)
HARMLESS = (
    "os.kill(os.getpid(), 0)",
    "os.kill(os.getpid(), signal.SIGCHLD)",
    "signal.raise_signal(signal.SIGINT)",
    "os.kill(os.getppid(), 0)",
)
OTHERS = (
    "child = subprocess.Popen(['sleep', '9'])\n    os.kill(child.pid, signal.SIGKILL)",
    "child = subprocess.Popen(['sleep', '9'])\n    os.killpg(os.getpgid(child.pid), signal.SIGTERM)",
    "child = subprocess.Popen(['sleep', '9'])\n    os.killpg(child.pid, signal.SIGKILL)",
    "for one in psutil.Process().children():\n        os.kill(one.pid, signal.SIGKILL)",
    "child = multiprocessing.Process(target=print)\n    os.kill(child.pid, signal.SIGKILL)",
    "subprocess.run(['kill', '-9', str(trainlib.sidecar)])",
)
HANDLED = (
    "signal.signal(signal.SIGUSR1, print)\nos.kill(os.getpid(), signal.SIGUSR1)\n",
    "faulthandler.register(signal.SIGUSR1)\nos.kill(os.getpid(), signal.SIGUSR1)\n",
    "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nos.killpg(0, signal.SIGTERM)\n",
)


def verdict(folder: Path, line: str) -> str:
    return asked(folder, shutdown, HEAD + MORE + RANKED + TRY.format(line=line)).verdict


@pytest.mark.parametrize("line", DEADLY)
def test_a_signal_to_itself_ends_hard(tmp_path: Path, line: str) -> None:
    answer = asked(tmp_path, shutdown, HEAD + MORE + RANKED + TRY.format(line=line))
    assert (answer.verdict, rules(answer)[0]) == ("fail", "hard-exit")


@pytest.mark.parametrize("line", [*HARMLESS, *OTHERS])
def test_other_signals_and_other_processes_do_not(tmp_path: Path, line: str) -> None:
    assert verdict(tmp_path, line) == "pass"


@pytest.mark.parametrize("lines", HANDLED)
def test_a_signal_that_is_handled_does_not(tmp_path: Path, lines: str) -> None:
    inner = lines.strip().replace("\n", "\n    ")
    assert verdict(tmp_path, inner) == "pass"


def test_a_number_computed_from_the_own_one_may_be_it(tmp_path: Path) -> None:
    answer = asked(tmp_path, shutdown, HEAD + MORE + RANKED + TRY.format(line="os.kill(-os.getpgrp(), 9)"))
    assert (answer.verdict, rules(answer)) == ("warn", ["hard-exit-by-option"])


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("faulthandler.dump_traceback_later(60, exit=True)", "warn"),
        ("faulthandler.dump_traceback_later(60, True, sys.stderr, True)", "warn"),
        ("faulthandler.dump_traceback_later(60)", "pass"),
        ("faulthandler.dump_traceback_later(60, exit=False)", "pass"),
        (
            "faulthandler.dump_traceback_later(60, exit=True)\nfaulthandler.cancel_dump_traceback_later()",
            "pass",
        ),
        ("signal.alarm(60)", "warn"),
        ("signal.setitimer(signal.ITIMER_REAL, 60)", "warn"),
        ("signal.alarm(60)\nsignal.alarm(0)", "pass"),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_a_timer_may_end_it(tmp_path: Path, line: str, wanted: str, first: bool) -> None:
    before, after = (f"{line}\n", "") if first else ("", f"{line}\n")
    text = HEAD + MORE + before + RANKED + after + TRY.format(line="pass")
    assert asked(tmp_path, shutdown, text).verdict == wanted


HOOKS = {
    "a later hook kills before": ("atexit.register(handle.shutdown)\natexit.register(os._exit, 0)\n", "fail"),
    "an earlier hook kills after": (
        "atexit.register(os._exit, 0)\natexit.register(handle.shutdown)\n",
        "pass",
    ),
    "a lambda kills": ("atexit.register(handle.shutdown)\natexit.register(lambda: os._exit(0))\n", "fail"),
    "the hooks are cleared": ("atexit.register(handle.shutdown)\natexit._clear()\n", "fail"),
    "cleared before": ("atexit._clear()\natexit.register(handle.shutdown)\n", "pass"),
    "a hook that raises": ("atexit.register(handle.shutdown)\natexit.register(lambda: 1 / 0)\n", "pass"),
}


@pytest.mark.parametrize(("lines", "wanted"), HOOKS.values(), ids=HOOKS)
def test_the_order_of_exit_hooks(tmp_path: Path, lines: str, wanted: str) -> None:
    text = f"{HEAD}{MORE}{RANKED}{lines}trainlib.train()\n"
    found = asked(tmp_path, shutdown, text).verdict
    assert found == wanted or (wanted == "pass" and found == "note")
