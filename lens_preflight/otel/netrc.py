"""A netrc file, read from its text: what a login is asked for from requests."""

from __future__ import annotations

import re
from collections.abc import Iterator

_WORD = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)', re.DOTALL)


def authenticators(text: str, host: str) -> tuple[str, str] | None:
    """Login and password of ``host``, else of the ``default`` entry, None when there is neither.

    A file that does not parse counts as none, as requests has it.
    """
    entries = dict(_entries(text))
    found = entries.get(host) or entries.get("default")
    if found is None or not any(found.values()):
        return None
    return found.get("login") or found.get("account") or "", found.get("password") or ""


def _entries(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Machine name and its fields, in order."""
    name = ""
    fields: dict[str, str] = {}
    words = _words(text)
    for word in words:
        if word in ("machine", "default"):
            if name:
                yield name, fields
            name, fields = (next(words, "") if word == "machine" else "default"), {}
        elif word in ("login", "user", "account", "password") and name:
            fields["login" if word == "user" else word] = next(words, "")
    if name:
        yield name, fields


def _words(text: str) -> Iterator[str]:
    """The words outside comments and macro bodies; quotes and backslashes undone."""
    skipping = False
    for line in text.splitlines():
        if skipping:
            skipping = bool(line.strip())
            continue
        if line.lstrip().startswith("#"):
            continue
        for match in _WORD.finditer(line):
            word = match[1] if match[1] is not None else match[2]
            if word == "macdef":
                skipping = True
                break
            yield re.sub(r"\\(.)", r"\1", word)
