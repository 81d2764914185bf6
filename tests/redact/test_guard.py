"""Tracebacks and log lines are printed without secrets."""

from __future__ import annotations

import io
import logging
import subprocess
import sys
import threading

import pytest

from lens_preflight.redact import Redactor
from lens_preflight.redact.guard import SecretFilter, guard, traceback_text

CANARY = "Zq7canary"


def fail() -> None:
    try:
        raise KeyError(f"headers {CANARY}")
    except KeyError as error:
        raise RuntimeError(f"again {CANARY}") from error


def test_a_traceback_and_its_cause_are_redacted() -> None:
    with pytest.raises(RuntimeError) as caught:
        fail()
    text = traceback_text(Redactor([CANARY]), caught.value)
    assert CANARY not in text
    assert "KeyError" in text
    assert text.endswith("RuntimeError: again <redacted>\n")


def logged(redactor: Redactor) -> tuple[logging.Logger, io.StringIO]:
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.addFilter(SecretFilter(redactor))
    logger = logging.Logger("test")
    logger.addHandler(handler)
    return logger, out


def test_a_log_line_is_redacted_with_its_arguments_and_traceback() -> None:
    logger, out = logged(Redactor([CANARY]))
    logger.warning("sent %s", [CANARY])
    try:
        fail()
    except RuntimeError:
        logger.exception("export failed", stack_info=True)
    assert CANARY not in out.getvalue()
    assert "sent ['<redacted>']" in out.getvalue()
    assert "RuntimeError: again <redacted>" in out.getvalue()


def test_a_log_call_with_wrong_arguments_prints_none_of_them() -> None:
    logger, out = logged(Redactor([CANARY]))
    logger.warning("sent %d", CANARY)
    assert out.getvalue() == "sent %d\n"


def test_while_guarded_a_thread_that_dies_is_told_without_secrets() -> None:
    out = io.StringIO()
    with guard(Redactor([CANARY]), out):
        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
    assert CANARY not in out.getvalue()
    assert "again <redacted>" in out.getvalue()


def test_the_hooks_are_put_back() -> None:
    before = sys.excepthook, threading.excepthook
    with guard(Redactor()):
        assert sys.excepthook is not before[0]
    assert (sys.excepthook, threading.excepthook) == before


def test_a_process_that_dies_prints_no_secret() -> None:
    script = (
        "import logging, sys\n"
        "from lens_preflight.redact import Redactor\n"
        "from lens_preflight.redact.guard import guard\n"
        "with guard(Redactor(['Zq7' + 'canary'])) as _:\n"
        "    logging.warning('w ' + 'Zq7' + 'canary')\n"
        "    sys.excepthook(*(lambda e: (type(e), e, None))(ValueError('e ' + 'Zq7' + 'canary')))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert CANARY not in done.stderr
    assert done.stderr.count("<redacted>") == 2
