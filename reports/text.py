"""Text from anywhere, made safe to show: terminals, XML and strict JSON readers take none of it raw."""

from __future__ import annotations

import re

from lens_preflight.core.escapes import without_ansi

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_NOT_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_INVISIBLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]"
)


def whole(text: str) -> str:
    """Replace lone surrogates: an undecodable byte becomes ``\\xNN``, any other U+FFFD."""
    if text.isascii():
        return text

    def spell(match: re.Match[str]) -> str:
        code = ord(match.group())
        return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else "\ufffd"

    return _SURROGATE.sub(spell, text)


def printable(text: str) -> str:
    """Make text safe for a terminal: escapes gone, control and bidi characters spelt out.

    Line feeds stay, a tab becomes a space.
    """
    text = whole(without_ansi(text.replace("\r\n", "\n"))).replace("\t", " ")
    return _INVISIBLE.sub(lambda m: m.group().encode("unicode_escape").decode(), text)


def one_line(text: str) -> str:
    """Make text safe for a terminal and put it on one line."""
    return " ".join(printable(text).split())


def shorten(text: str, limit: int) -> str:
    """Keep the two ends of a text longer than ``limit`` characters and say how long it was."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]} [... {len(text):,} characters, whole in --report json ...] {text[-half:]}"


def xml_text(text: str) -> str:
    """Escape for XML element content, in ASCII; what XML 1.0 forbids becomes U+FFFD."""
    text = _NOT_XML.sub("\ufffd", whole(without_ansi(text)))
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")
    return text.encode("ascii", "xmlcharrefreplace").decode("ascii")


def xml_attribute(text: str) -> str:
    """Escape for a double-quoted XML attribute, in ASCII; line ends and tabs survive."""
    return xml_text(text).replace('"', "&quot;").replace("\n", "&#10;").replace("\t", "&#9;")
