"""Log lines and tracebacks without secrets."""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, TextIO

from lens_preflight.redact.redactor import Redactor


def traceback_text(redactor: Redactor, error: BaseException) -> str:
    """The traceback of an exception and of its causes, redacted; ends in a line feed."""
    return redactor.redact("".join(traceback.format_exception(type(error), error, error.__traceback__)))


class SecretFilter(logging.Filter):
    """Redacts the message and the traceback of every log record that passes a handler."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self.redactor = redactor

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the record in place; it always passes."""
        try:
            text = record.getMessage()
        except Exception:  # a log call with wrong arguments must not print them either
            text = str(record.msg)
        record.msg, record.args = self.redactor.redact(text), None
        if record.exc_info and record.exc_info[1] is not None:
            record.exc_text = traceback_text(self.redactor, record.exc_info[1]).rstrip("\n")
        elif record.exc_text:
            record.exc_text = self.redactor.redact(record.exc_text)
        if record.stack_info:
            record.stack_info = self.redactor.redact(record.stack_info)
        return True


@contextmanager
def guard(redactor: Redactor, stderr: TextIO | None = None) -> Iterator[None]:
    """While active, uncaught exceptions of any thread and the log lines of every logger are redacted."""

    def show(error: BaseException | None) -> None:
        stream = stderr or sys.stderr
        if stream is not None and error is not None:
            stream.write(traceback_text(redactor, error))

    def hook(_type: type[BaseException], error: BaseException, _tb: TracebackType | None) -> None:
        show(error)

    def thread_hook(args: threading.ExceptHookArgs) -> None:
        if args.exc_type is not SystemExit:
            show(args.exc_value)

    def factory(*args: Any, **kwargs: Any) -> logging.LogRecord:
        record = make(*args, **kwargs)
        secrets.filter(record)
        return record

    secrets, make = SecretFilter(redactor), logging.getLogRecordFactory()
    before = sys.excepthook, threading.excepthook
    sys.excepthook, threading.excepthook = hook, thread_hook
    logging.setLogRecordFactory(factory)
    try:
        yield
    finally:
        sys.excepthook, threading.excepthook = before
        logging.setLogRecordFactory(make)
