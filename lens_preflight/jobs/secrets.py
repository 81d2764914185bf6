"""Secrets that stand in clear text in a job file; their text goes nowhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lens_preflight.core.finding import Location
from lens_preflight.jobs.model import Secret
from lens_preflight.jobs.text import Text

if TYPE_CHECKING:
    from lens_preflight.jobs.field import Field
    from lens_preflight.jobs.run import Run

_SECRET_NAME = re.compile(
    r"(?:^|_)(?:TOKEN|API_?KEY|SECRET(?:_KEY|_ACCESS_KEY)?|PASSWORD|PASSWD|ACCESS_KEY|PRIVATE_KEY|CREDENTIALS?)$",
    re.IGNORECASE,
)
_SECRET_OPTION = re.compile(
    r"^--?[\w-]*(?:token|api[-_]?key|wandb[-_]key|secret|password|passwd)(?:=|$)", re.IGNORECASE
)
_HEADERS = re.compile(r"OTEL_EXPORTER_OTLP_(?:\w+_)?HEADERS")
_SECRET_HEADER = re.compile(
    r"(?:^|,)\s*(?:authorization|x-honeycomb-team|dd-api-key|api[-_]key|x-api-key|\S*(?:token|secret|key)\S*)"
    r"\s*=\s*([^,]+)",
    re.IGNORECASE,
)
_CREDENTIALS = re.compile(r"^[a-z][a-z0-9+.-]*://[^/\s:@]*:([^/\s@]+)@", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"^(?:<.*>|\.\.\.|x+|changeme|your[-_ ].*|\*+|none|null|true|false|\d|)$", re.IGNORECASE
)


def is_secret_name(name: str) -> bool:
    """True for the names of variables that hold a secret."""
    return bool(_SECRET_NAME.search(name))


def holds_secret(name: str, text: str) -> bool:
    """True when this text is a secret in clear for a variable of that name."""
    if _HEADERS.fullmatch(name):
        found = _SECRET_HEADER.search(text)
        return found is not None and _real(found[1].strip())
    if is_secret_name(name):
        return _real(text)
    credentials = _CREDENTIALS.match(text)
    return credentials is not None and _real(credentials[1])


def _real(text: str) -> bool:
    for scheme in ("Bearer ", "Bearer%20", "Basic ", "Basic%20"):
        if text.lower().startswith(scheme.lower()):
            text = text[len(scheme) :]
    if text.lower() in ("bearer", "basic", "token"):
        return False
    return len(text) >= 4 and not _PLACEHOLDER.match(text)


def look(run: Run, name: str, value: Text, at: Location, exported: bool) -> None:
    """Keep a note when a value that the script writes down is a secret.

    Only literal pieces count: a reference to a variable of the submitter is the right way.
    """
    written = "".join(p if isinstance(p, str) else "" for p in value.pieces)
    if written and holds_secret(name, written):
        note = Secret(name, at)
        if note not in run.secrets:
            run.secrets.append(note)


def on_command_line(args: Sequence[Field], at: Location) -> tuple[Secret, ...]:
    """Secrets among the arguments of a program, which every user of the host can read."""
    found: list[Secret] = []
    for index, arg in enumerate(args):
        pieces = arg.text.pieces
        head = pieces[0] if pieces and isinstance(pieces[0], str) else ""
        option, equals, rest = head.partition("=")
        if not _SECRET_OPTION.match(option + equals):
            continue
        symbols = [s.name for s in arg.text.symbols]
        literal = rest
        if not equals and index + 1 < len(args):
            value = args[index + 1].text
            symbols = [s.name for s in value.symbols]
            literal = value.constant or ""
        if symbols or _real(literal):
            found.append(Secret(symbols[0] if symbols else option.lstrip("-"), at, on_command_line=True))
    return tuple(found)
