"""Node reports as they lie on disk: one document or many in a file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lens_preflight.core.numbers import json_integer

MAX_DOCUMENT = 8_000_000
"""Bytes of one report; a longer one is none."""


_CHUNK = 65_536


class NotAReport(Exception):
    """Why a document is not merged, in a few words."""


class SeveralDocuments(NotAReport):
    """There is more behind the first document."""


def whole(path: str) -> bytes | None:
    """The text of a file in one piece; None when it is too long for one report.

    Raises OSError.
    """
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        data = os.read(handle, _CHUNK)
        while len(data) >= _CHUNK:  # a shorter read ends a file
            more = os.read(handle, MAX_DOCUMENT)
            if not more:
                break
            data += more
            if len(data) > MAX_DOCUMENT:
                return None
        return data
    finally:
        os.close(handle)


def documents(path: str) -> Iterator[bytes]:
    """The documents of a file, one after another: indented ones, or one a line.

    Lines between documents are left out: what Slurm, a shell or a TaskProlog says goes to the same
    place as the report. A file without a document is one, so that somebody names it.

    Raises:
        OSError: it cannot be read.
        NotAReport: a document is too long.
    """
    held: list[bytes] = []
    length, found, noise = 0, False, b""
    with Path(path).open("rb") as file:
        while line := file.readline(MAX_DOCUMENT + 1):
            text = line.rstrip()
            if not held and not text.startswith(b"{"):
                noise = noise or text
                continue
            held.append(line)
            length += len(line)
            if length > MAX_DOCUMENT:
                raise NotAReport(f"more than {MAX_DOCUMENT} bytes without an end")
            if text == b"}" or (len(held) == 1 and text.endswith(b"}")):
                yield b"".join(held)
                held, length, found = [], 0, True
    if held or not found:
        yield b"".join(held) or noise


def parse(data: bytes) -> dict[str, Any]:
    """The document as plain data. Raises NotAReport."""
    try:
        found = json.loads(data, parse_int=json_integer)
    except (ValueError, RecursionError) as error:
        if isinstance(error, json.JSONDecodeError) and error.msg == "Extra data":
            raise SeveralDocuments("more than one document") from None
        if isinstance(error, json.JSONDecodeError) and not data[error.pos :].strip():
            raise NotAReport("cut short") from None
        if isinstance(error, json.JSONDecodeError) and "Unterminated string" in error.msg:
            raise NotAReport("cut short") from None
        raise NotAReport("not JSON") from None
    if not isinstance(found, dict):
        raise NotAReport("not a report of lens-preflight")
    return found
