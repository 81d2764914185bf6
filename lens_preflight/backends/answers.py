"""What all HTTP backends have in common when they do not give the answer that was asked for."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from lens_preflight.backends.http import Reply
from lens_preflight.backends.words import Answered, Word
from lens_preflight.core.numbers import whole

_LOGIN = ("sign in", "sign-in", "signin", "log in", "login", "password", "saml", "oauth", "openid", "sso")


def object_of(reply: Reply, *keys: str) -> dict[str, Any]:
    """The JSON object of a success that holds all ``keys``.

    Raises:
        Answered: it is no success, no JSON, or JSON of something else.
    """
    value = value_of(reply)
    if not isinstance(value, dict):
        raise other(reply, "a JSON value of another shape answers")
    missing = [key for key in keys if key not in value]
    if missing:
        raise other(reply, f"the answer has no {missing[0]!r}, which every backend of this kind gives")
    return value


def list_of(reply: Reply) -> list[Any]:
    """The JSON list of a success; raises Answered for everything else."""
    value = value_of(reply)
    if not isinstance(value, list):
        raise malformed()
    return value


def value_of(reply: Reply) -> Any:
    """The JSON value of a success; raises Answered for everything else."""
    refuse(reply)
    return reply.json()


def refuse(reply: Reply) -> None:
    """Raise Answered for a reply that is no success with something in it to look at."""
    status = reply.status
    if 300 <= status < 400:
        raise _redirect(reply)
    if status == 401:
        raise _unauthorized(reply)
    if status == 403:
        raise _forbidden(reply)
    if reply.html:
        raise _page(reply)
    if status == 404:
        raise other(reply, "there is no such path")
    if status == 429:
        raise Answered(
            Word.RATE_LIMIT,
            "the rate limit of the backend is reached",
            f"wait {_wait(reply)} and run lens-preflight again",
            status=status,
        )
    if status in (502, 503, 504):
        raise Answered(
            Word.UNREACHABLE,
            f"HTTP {status}: it is not ready, or a gateway does not reach it",
            "start the backend, or wait until it is ready; then run lens-preflight again",
            status=status,
        )
    if status >= 500:
        raise Answered(
            Word.UNREACHABLE,
            f"HTTP {status}: it broke on the request",
            "look into its log; then run lens-preflight again",
            status=status,
        )
    if status >= 400:
        raise Answered(
            Word.INTERNAL,
            f"HTTP {status}: it calls our request malformed",
            "report this with the versions of lens-preflight and of the backend",
            status=status,
        )


def other(reply: Reply, text: str) -> Answered:
    """Something answers, and it is not this kind of backend, or not under this path."""
    return Answered(
        Word.NOT_THE_BACKEND,
        f"{text}; this is another service, or the API lives under another path",
        "give the base URL of the API with --backend NAME=http://HOST:PORT[/prefix]",
        status=reply.status,
    )


def _redirect(reply: Reply) -> Answered:
    target = reply.headers.get("location", "")
    if any(word in target.lower() for word in ("login", "signin", "oauth", "saml", "sso", "auth")):
        return _sign_on(reply)
    try:
        scheme = urlsplit(target).scheme
    except ValueError:  # no URL: ``http://[``
        scheme = ""
    where = f" to {scheme}://" if scheme else ""
    return Answered(
        Word.NOT_THE_BACKEND,
        f"a redirect{where}, which is not followed with credentials",
        "give the address that it leads to with --backend NAME=URL",
        status=reply.status,
    )


def _unauthorized(reply: Reply) -> Answered:
    if "no org id" in reply.text.lower():
        return Answered(
            Word.AUTH,
            "it holds several tenants and was told none",
            "export LENS_PREFLIGHT_<NAME>_ORG=<tenant>",
            status=reply.status,
        )
    return Answered(
        Word.AUTH,
        "the credentials are missing, wrong or expired",
        "export LENS_PREFLIGHT_<NAME>_TOKEN=<token>, or put it into a file and name that with _TOKEN_FILE",
        status=reply.status,
    )


def _forbidden(reply: Reply) -> Answered:
    if reply.html:
        return _sign_on(reply)
    needed = permission(reply)
    wants = f" {needed}" if needed else ""
    return Answered(
        Word.PERMISSION,
        f"the credentials lack a permission{': ' + needed if needed else ''}",
        f"give the token the permission{wants or ' to read'}, then run lens-preflight again",
        status=reply.status,
    )


def permission(reply: Reply) -> str:
    """The permission that a refusal names, empty when it names none."""
    text = reply.text
    for sign in ("Permissions needed: ", "action ["):
        _, found, rest = text.partition(sign)
        if found:
            return rest.split('"')[0].split("]")[0].strip()[:80]
    return ""


def _page(reply: Reply) -> Answered:
    text = reply.text[:20_000].lower()
    if any(word in text for word in _LOGIN):
        return _sign_on(reply)
    return other(reply, "a web page answers instead of the API")


def _sign_on(reply: Reply) -> Answered:
    return Answered(
        Word.AUTH,
        "a sign-on page stands in front of it",
        "give an address behind the sign-on proxy, or export LENS_PREFLIGHT_<NAME>_TOKEN=<token>",
        status=reply.status,
    )


def _wait(reply: Reply) -> str:
    seconds = reply.headers.get("retry-after") or reply.headers.get("x-ratelimit-reset") or ""
    return "a minute" if whole(seconds) is None else f"{seconds} s"


def path_in(value: Any, *keys: str | int) -> Any:
    """The value at a path of keys and positions, None when the path breaks off."""
    for key in keys:
        if isinstance(value, Mapping) and isinstance(key, str):
            value = value.get(key)
        elif isinstance(value, list) and isinstance(key, int) and -len(value) <= key < len(value):
            value = value[key]
        else:
            return None
    return value


def items(value: Any) -> list[Any]:
    """A JSON list; null and an absent key are an empty one.

    Raises:
        Answered: it is something else, which must not be taken for "nothing found".
    """
    if value is None:
        return []
    if not isinstance(value, list):
        raise malformed()
    return value


def malformed() -> Answered:
    """An answer that is JSON, and not what the documentation says."""
    text = "the answer has not the documented shape"
    return Answered(Word.MALFORMED, text, "report this with the version of the backend")


_MOMENT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)?")


def unix(text: Any) -> float | None:
    """A time in RFC 3339, with any number of decimals, as Unix seconds; None for anything else."""
    match = _MOMENT.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        return None
    zone = (match[3] or "Z").replace("Z", "+00:00")
    try:
        return datetime.datetime.fromisoformat(match[1] + zone).timestamp() + float(match[2] or 0)
    except ValueError:
        return None
