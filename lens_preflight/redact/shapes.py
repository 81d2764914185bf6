"""Text that looks like a secret, whoever wrote it: each shape is a pattern with the groups to hide.

Every pattern starts at a literal or at the start of a word and has bounded repeats, so that a
megabyte of anything is read in linear time.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final

from lens_preflight.core.data import dataclass, replace
from lens_preflight.redact.names import is_header_name, is_secret_name
from lens_preflight.redact.words import REDACTED, credential, worth_hiding

Holds = Callable[[re.Match[str]], bool]


def _always(_match: re.Match[str]) -> bool:
    return True


@dataclass(frozen=True)
class Shape:
    """A pattern; its groups named ``secret``, ``secret1`` ... are hidden when ``holds`` agrees.

    Nothing is searched unless one of ``triggers`` (lower case) is in the text. With ``behind``, the
    secret is what that second pattern matches behind the first. ``whole`` says that what is hidden
    is a secret by itself, to be looked for elsewhere too; ``pairs`` that it is ``key=value,...``, of
    which the values are hidden.
    """

    triggers: tuple[str, ...]
    pattern: str
    holds: Holds = _always
    behind: str = ""
    whole: bool = True
    pairs: bool = False

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where the secrets are."""
        pattern = _compiled(self.pattern)
        match = pattern.search(text)
        while match is not None:
            end = match.end()
            for start, stop in self._inside(match, text):
                yield start, stop
                end = max(end, stop)
            match = pattern.search(text, max(end, match.start() + 1))

    def _inside(self, match: re.Match[str], text: str) -> Iterator[tuple[int, int]]:
        hit = match if self.holds(match) else None
        if hit is not None and self.behind:
            hit = _compiled(self.behind).match(text, match.end())
        if hit is None:
            return
        for group, secret in hit.groupdict().items():
            if not group.startswith("secret") or not secret:
                continue
            secret = secret.rstrip("`")  # the end of `code` in a message
            for start, stop in _values(secret) if self.pairs else ((0, len(secret)),):
                if worth_hiding(credential(secret[start:stop])):
                    yield hit.start(group) + start, hit.start(group) + stop


def _values(listed: str) -> Iterator[tuple[int, int]]:
    """Where the values are in ``key=value,key=value``; an entry without ``=`` is one."""
    start = 0
    for entry in listed.split(","):
        yield start + entry.find("=") + 1, start + len(entry)
        start += len(entry) + 1


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_ATTRIBUTE = re.compile(r"[a-z_]+(\.[a-z_]+)+\Z")
"""``args.token`` in ``token=args.token``: hidden there, but no secret. Digits and capitals are one."""


def mask(text: str) -> str:
    """Replace all that looks like a secret."""
    low = text.lower()
    for shape in SHAPES:
        if any(trigger in low for trigger in shape.triggers):
            text = _without(text, shape)
    return text


def _without(text: str, shape: Shape) -> str:
    kept, end = [], 0
    for start, stop in sorted(shape.spans(text)):
        if start < end:
            continue
        kept += [text[end:start], REDACTED]
        end = stop
    return "".join([*kept, text[end:]])


def found(text: str) -> Iterator[str]:
    """All that looks like a secret of its own, to be hidden wherever else it turns up."""
    low = text.lower()
    for shape in SHAPES:
        if shape.whole and any(trigger in low for trigger in shape.triggers):
            secrets = (text[start:stop] for start, stop in shape.spans(text))
            yield from (secret for secret in secrets if not _ATTRIBUTE.match(secret))


def header_lists(text: str) -> Iterator[str]:
    """The values that a text assigns to variables of headers, without their quotes."""
    yield from (text[start:stop] for start, stop in replace(HEADERS, pairs=False).spans(text))


def basic_pair(token: str) -> str:
    """The ``user:password`` in the credentials of HTTP Basic; empty when they are none."""
    try:
        padded = token + "=" * (-len(token) % 4)
        pair = base64.b64decode(padded, altchars=b"-_" if set("-_") & set(token) else None, validate=True)
        text = pair.decode("utf-8")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return ""
    return text if ":" in text and text.isprintable() else ""


def _named(match: re.Match[str]) -> bool:
    name = match["name"]
    return is_secret_name(name) and not is_header_name(name) and not name.lower().endswith("authorization")


def _listed(match: re.Match[str]) -> bool:
    return is_header_name(match["name"])


def _private_header(match: re.Match[str]) -> bool:
    name = (match["name"] or match["name1"]).lower()
    return name not in ("content-type", "content-length", "accept", "accept-encoding", "user-agent", "host")


def _not_a_port(match: re.Match[str]) -> bool:
    return re.match(r"\d+(/|\Z)", match["password"] or "") is None


def _basic(match: re.Match[str]) -> bool:
    return bool(basic_pair(match["secret"]))


_NAME = r"(?<![\w.-])(?<!\$\{)(?P<name>[\w.-]{1,100})"
_IS = r"\\?[\"']?[ \t]{0,3}(?:=|:)[ \t]{0,3}"
_QUOTED = r"\\?\"(?P<secret>[^\"\n]{1,5000}?)\\?\"|'(?P<secret1>[^'\n]{1,5000})'"
_SPACE = r"(?:[ \t]|%20|\+){1,5}"
_NO_CALL = r"(?![A-Za-z_][\w.]{0,200}[(\[])"
_NO_URL = r"[^\s/?#\"']"
_TOKENS = (
    r"gh[pousr]_\w{16,255}|github_pat_\w{16,255}|glpat-[\w-]{16,255}|hf_\w{16,255}|sk-[\w-]{16,255}",
    r"xox[abeprs]-[\w-]{8,255}|AKIA[0-9A-Z]{12,32}|AIza[\w-]{30,60}|nvapi-[\w-]{16,255}",
    r"hvs\.[\w-]{16,255}|glsa_\w{16,255}|hcaik_\w{16,255}|dckr_pat_[\w-]{16,255}",
    r"eyJ[\w-]{8,4000}\.[\w-]{4,4000}\.[\w-]{0,4000}",
)
_TOKEN_STARTS = (
    *("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "hf_", "sk-", "xox", "akia", "aiza"),
    *("nvapi-", "hvs.", "glsa_", "hcaik_", "dckr_pat_", "eyj"),
)

HEADERS: Final = Shape(
    ("header",),
    rf"{_NAME}=",
    _listed,
    behind=rf"(?:{_QUOTED}|(?P<secret2>[^\s\"';]{{1,5000}}))",
    whole=False,
    pairs=True,
)

SHAPES: Final = (
    Shape(
        ("private key",),
        r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?P<secret>(?:[^-]|-(?!----)){1,20000})",
    ),
    Shape(("@",), rf"://(?P<secret>{_NO_URL}{{1,1000}})@", whole=False),
    Shape(
        ("@",),
        rf"://(?:(?P<secret1>[^\s/?#:@\"']{{16,500}})|{_NO_URL}{{0,200}}?)(?::(?P<secret>{_NO_URL}{{1,500}}))?@",
    ),
    Shape(
        ("@",),
        r"://(?P<secret>[^\s/:@\"']{1,500}:(?P<password>[^\s@\"']{1,500}))@",
        _not_a_port,
        whole=False,
    ),
    Shape(("@",), r"://[^\s/:@\"']{1,500}:(?P<secret>(?P<password>[^\s@\"']{1,500}))@", _not_a_port),
    Shape(
        ("@",),
        r"(?<![\w:/@.+-])[\w.+-]{1,100}:(?P<secret>[^\s:@/\"',;]{1,200})@(?!sha\d{3}:)(?=\[|[\w-]{0,80}[A-Za-z.])",
    ),
    Shape(
        ("authorization",),
        rf"authorization{_IS}[\"']?(?:(?:basic|bearer|token|apikey|api-key|digest){_SPACE})?"
        r"(?P<secret>[^\s\"',;]{3,5000})",
    ),
    Shape(("bearer",), rf"\bbearer{_SPACE}(?P<secret>[^\s\"',;<>`)\]}}]{{3,5000}})"),
    Shape(("basic",), rf"\bbasic{_SPACE}(?P<secret>[\w+/-]{{4,2000}}={{0,2}})", _basic),
    HEADERS,
    Shape(
        ("=", ":"),
        _NAME + _IS,
        _named,
        behind=rf"(?:{_QUOTED}|{_NO_CALL}(?P<secret2>[^\s\"',;&|)\]}}]{{1,5000}}))",
    ),
    Shape(
        ("--",),
        r"(?<![\w-])--(?P<name>[\w-]{1,60})[ \t]{1,3}",
        _named,
        behind=rf"(?:{_QUOTED}|(?P<secret2>[^\s\"'-][^\s\"']{{0,5000}}))",
    ),
    Shape(
        ("curl",),
        r"curl\b[^\n]{0,500}?[ ](?:-u|--user)[ =]?[\"']?[^\s\"':]{1,200}:(?P<secret>[^\s\"']{1,500})",
    ),
    Shape(
        ("-h ", "--header"),
        r"(?<![\w-])(?:-H|--header)[ =]{1,3}(?:\"(?P<name>[\w-]{1,100}):[ ]{0,9}(?P<secret>[^\"\n]{1,5000})\""
        r"|'(?P<name1>[\w-]{1,100}):[ ]{0,9}(?P<secret1>[^'\n]{1,5000})')",
        _private_header,
    ),
    Shape(
        ("sig", "key=", "token=", "credential="),
        r"[?&](?:sig|signature|x-amz-signature|x-amz-credential|access_token|key)="
        r"(?P<secret>[^&\s\"'#]{1,3000})",
    ),
    Shape(_TOKEN_STARTS, rf"(?<![A-Za-z0-9])(?P<secret>{'|'.join(_TOKENS)})"),
)
"""Searched in this order; what an earlier one hid is no longer seen by the later ones."""
