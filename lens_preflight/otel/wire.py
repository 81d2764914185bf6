"""What requests puts on the wire for an HTTP exporter, or why nothing gets there.

Source: requests 2.34.2 with urllib3 2.8.0, executed. URLs of the plain kind are decided here; the
others are handed to requests itself, which sends nothing for it.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

from lens_preflight.core.data import dataclass
from lens_preflight.core.errors import Harm, LibraryFailure
from lens_preflight.core.variable import Environment
from lens_preflight.otel.exporter import Exporter
from lens_preflight.otel.files import Files
from lens_preflight.otel.netrc import authenticators

_PLAIN = re.compile(
    r"https?://(?P<host>[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*)"
    r"(?::(?P<port>[1-9][0-9]{0,3}))?(?P<path>(?:/[A-Za-z0-9_~-]+)+)"
)
"""URLs that every client sends as they are: no digits-only port above 9999, no dots in the path."""


@dataclass(frozen=True)
class Wire:
    """A request as it leaves the process.

    ``authorization`` is a secret; ``authorization_from`` tells where it comes from: netrc, url,
    headers, or empty.
    """

    url: str
    authorization: str | None
    authorization_from: str


def wire_url(url: str) -> str:
    """The URL as requests sends it, also with a scheme that it has no adapter for.

    Raises:
        LibraryFailure: InvalidURL, MissingSchema, ValueError: nothing is sent, every export fails.
    """
    if _PLAIN.fullmatch(url):
        return url
    import requests

    prepared = requests.PreparedRequest()
    try:
        prepared.prepare_url(url, None)
        urlsplit(prepared.url or "")
    except ValueError as error:  # those of requests are ValueErrors as well
        raise _refused(type(error).__name__, str(error)) from error
    return prepared.url or url


def wire(exporter: Exporter, env: Environment, files: Files) -> Wire:
    """The request that an HTTP exporter makes.

    Raises:
        LibraryFailure: requests refuses the URL; every export fails, the job goes on.
        Undecided: NETRC or HOME is not known before start.
    """
    url = wire_url(exporter.target)
    if not url.lower().startswith(("http://", "https://")):
        scheme = url.partition(":")[0]
        raise _refused("InvalidSchema", f"requests has no adapter for {scheme!r}")
    return Wire(url, *authorization(exporter, env, files))


def _refused(exception: str, message: str) -> LibraryFailure:
    return LibraryFailure(Harm.RAISES, exception, message=message, when="export")


def authorization(exporter: Exporter, env: Environment, files: Files) -> tuple[str | None, str]:
    """The Authorization header (a secret) and its source, netrc, url, headers or empty.

    A netrc entry beats credentials in the URL, which beat the headers. Raises as ``wire`` does.
    """
    url = wire_url(exporter.target)
    parts = urlsplit(url)
    found = _netrc(parts.hostname, env, files) if parts.hostname else None
    if found:
        return _basic(*found), "netrc"
    user, password = (unquote(part or "") for part in (parts.username, parts.password))
    if parts.password is not None and (user or password):
        return _basic(user, password), "url"
    given = dict(exporter.headers).get("authorization")
    return (given, "headers") if given is not None else (None, "")


def _netrc(host: str, env: Environment, files: Files) -> tuple[str, str] | None:
    """Login and password for ``host`` from the first netrc file that exists."""
    for path in _netrc_paths(env):
        text = files.text(path)
        if text is not None:
            return authenticators(text, host)
    return None


def _netrc_paths(env: Environment) -> Iterator[str]:
    """Where requests looks: NETRC alone when set, else two files in the home directory."""
    named = env.text("NETRC")
    home = env.text("HOME")
    if named is not None:
        yield named.replace("~", home, 1) if home and named.startswith("~/") else named
    elif home:
        yield from (f"{home}/.netrc", f"{home}/_netrc")


def _basic(user: str, password: str) -> str:
    text = f"{user}:{password}".encode("latin-1", "replace")
    return f"Basic {base64.b64encode(text).decode('ascii')}"
