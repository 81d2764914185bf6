"""Where secrets come from: variables, scripts, netrc files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

from lens_preflight.redact.names import is_header_name, is_secret_name
from lens_preflight.redact.shapes import basic_pair, found, header_lists
from lens_preflight.redact.words import credential, worth_hiding

_TOKEN = 16
_NETRC = re.compile(r"(?<!\S)(?:password|account)\s+(?P<secret>\"[^\"\n]*\"|\S+)")


def of_variable(name: str, value: str) -> Iterator[str]:
    """The secrets in the value of one variable.

    A variable of headers holds one in each value, as sent and percent-decoded; a variable with a
    secret name is one; any other may hold URL credentials and tokens.
    """
    if is_header_name(name):
        for _, text in headers(value):
            yield from of_header(text)
    elif is_secret_name(name):
        yield from _whole(value)
    yield from of_url(value)
    yield from of_text(value)


def headers(value: str) -> Iterator[tuple[str, str]]:
    """The raw pairs of ``key=value,key=value``; an entry without ``=`` has an empty key."""
    for entry in value.split(","):
        key, equals, text = entry.partition("=")
        yield (key, text) if equals else ("", key)


def of_header(text: str) -> Iterator[str]:
    """The secrets in the value of one header: the whole, and what follows ``Bearer`` or ``Basic``."""
    for form in dict.fromkeys((text.strip(), unquote(text).strip())):
        token = credential(form)
        if worth_hiding(token):
            yield from _whole(form)
            yield from _whole(token)
            yield from _pair(basic_pair(token))


def of_url(value: str) -> Iterator[str]:
    """The password of a URL, whatever characters it has; a user name without one counts as a token."""
    _, slashes, rest = value.partition("://")
    if not slashes or "@" not in rest:
        return
    user, _, password = rest.partition("/")[0].rpartition("@")[0].partition(":")
    token = password or (user if len(user) >= _TOKEN else "")
    for form in dict.fromkeys((token, unquote(token))):
        yield from _whole(form)


def of_text(text: str) -> Iterator[str]:
    """The secrets that can be told by their shape: in scripts, URLs, command lines."""
    for secret in found(text):
        yield from _whole(secret)
        yield from _pair(basic_pair(secret))
        if "%" in secret:
            yield from _whole(unquote(secret))
    for listed in header_lists(text):
        for _, value in headers(listed):
            yield from of_header(value)
    for value in _yaml_headers(text):
        yield from of_header(value)


def _yaml_headers(text: str) -> Iterator[str]:
    """The values of the mappings under ``headers:``, as in a collector's configuration."""
    depth: int | None = None
    for line in text.splitlines() if "headers:" in text else ():
        indent = len(line) - len(line.lstrip())
        if line.strip() == "headers:":
            depth = indent
            continue
        if depth is None or not line.strip():
            continue
        _, colon, value = line.strip().partition(":")
        if indent <= depth or not colon:
            depth = None
        else:
            yield value.strip().strip("\"'")


def of_netrc(text: str) -> Iterator[str]:
    """The passwords and accounts of a netrc file."""
    for match in _NETRC.finditer(text):
        yield from _whole(match["secret"].strip('"'))


def _pair(pair: str) -> Iterator[str]:
    if pair:
        yield pair
        yield from _whole(pair.partition(":")[2])


def _whole(secret: str) -> Iterator[str]:
    """A secret, its unquoted form, and each long line of one with several lines (a PEM key)."""
    if not worth_hiding(secret):
        return
    yield secret
    if secret[:1] in "\"'" and secret[:1] == secret[-1:]:
        yield secret[1:-1]
    if "\n" in secret:
        yield from (line.strip() for line in secret.splitlines() if len(line.strip()) >= 16)
