"""What between the setup and the protected region can raise, and what cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.shutdown import shutdown
from tests.program.scripts import FINALLY, HEAD, RANKED, asked, rules

HANDLER = "import signal, threading\ndef stop(number, frame):\n    raise SystemExit(143)\n"
HOOK = """import sys
def hook(kind, value, trace):
    {body}
    sys.__excepthook__(kind, value, trace)
sys.excepthook = hook
trainlib.train()
handle.shutdown()
"""
POOL = """from concurrent.futures import ThreadPoolExecutor
def job(i):
    {setup}
    try:
        trainlib.train()
    finally:
        handle.shutdown()
with ThreadPoolExecutor(1) as pool:
    future = pool.submit(job, 0)
print(future.{asking})
"""


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("signal.signal(signal.SIGTERM, stop)", "pass"),
        ("signal.signal(signal.SIGUSR1, stop)", "pass"),
        ("signal.signal(15, stop)", "pass"),
        ("signal.signal(signal.SIGKILL, stop)", "warn"),
        ("signal.signal(int(os.environ['STOP_SIGNAL']), stop)", "warn"),
    ],
)
def test_installing_a_handler(lines: str, expected: str, tmp_path: Path) -> None:
    text = HEAD + HANDLER + RANKED + lines + "\n" + FINALLY
    assert asked(tmp_path, shutdown, text).verdict == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'run-{job}'.format(job=1)", "pass"),
        ("'run-{job}-{0}'.format(2, job=trainlib)", "pass"),
        ("'run-{job}'.format(**{'jb': 1})", "fail"),
    ],
)
def test_filling_a_text_by_names(text: str, expected: str, tmp_path: Path) -> None:
    assert asked(tmp_path, shutdown, f"{HEAD}{RANKED}name = {text}\n{FINALLY}").verdict == expected


def test_a_handler_off_the_main_thread(tmp_path: Path) -> None:
    body = RANKED + "signal.signal(signal.SIGTERM, stop)\n" + FINALLY
    work = "def work():\n" + "".join(f"    {line}\n" for line in body.splitlines())
    for start, expected in (("work()", "pass"), ("t = threading.Thread(target=work)\nt.start()", "fail")):
        assert asked(tmp_path, shutdown, HEAD + HANDLER + work + start).verdict == expected


@pytest.mark.parametrize("asking", ["result()", "exception()", "done()"])
def test_asking_a_pool_for_its_result_is_no_work(asking: str, tmp_path: Path) -> None:
    text = HEAD + POOL.format(setup=RANKED.strip(), asking=asking)
    assert asked(tmp_path, shutdown, text).verdict == "pass"


def test_a_hook_for_exceptions_leaves_the_exits(tmp_path: Path) -> None:
    answer = asked(tmp_path, shutdown, HEAD + RANKED + HOOK.format(body="handle.shutdown()"))
    assert (answer.verdict, rules(answer)) == ("warn", ["gap"])
    assert answer.findings[0].message.startswith("SystemExit or KeyboardInterrupt in trainlib.train()")


def test_a_hook_that_does_not_shut_down_covers_nothing(tmp_path: Path) -> None:
    answer = asked(tmp_path, shutdown, HEAD + RANKED + HOOK.format(body="print(value)"))
    assert (answer.verdict, rules(answer)) == ("fail", ["success-only"])


def test_a_hook_beside_a_finally_costs_nothing(tmp_path: Path) -> None:
    before = "import sys\nsys.excepthook = lambda kind, value, trace: print(value)\n"
    assert asked(tmp_path, shutdown, HEAD + before + RANKED + FINALLY).verdict == "pass"
