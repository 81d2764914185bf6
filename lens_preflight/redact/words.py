"""Words that decide whether a value is worth hiding."""

from __future__ import annotations

import re
from typing import Final

REDACTED: Final = "<redacted>"
"""What stands where a secret was."""

SHORTEST: Final = 4
"""Characters below which a secret is hidden where it is assigned, but not looked for elsewhere."""


def word_set(*lines: str) -> frozenset[str]:
    """The words of some lines."""
    return frozenset(word for line in lines for word in line.split())


_ORDINARY: Final = word_set(
    "true false yes no on off none null nil auto default unset empty set not missing required invalid",
    "expired wrong unknown absent present here there and or is are was the a an of for in to with from",
    "token tokens auth authentication authorization scheme header headers realm credential credentials",
    "prefix error type format value values string text name",
)
_REFERENCE: Final = re.compile(
    r"\$\{?[A-Za-z_]\w*\}?\Z|\$[({]|\{\{|%\(|<[^>]*>\Z|\*+\Z|\.\.\.|(?:TOKEN|BASE64)\Z"
)
_SCHEME: Final = re.compile(r"(?:basic|bearer|token|apikey|api-key|digest)(?:[ +]|%20)+", re.IGNORECASE)


def ordinary(text: str) -> bool:
    """True for words of prose and for on/off values: hiding them would only spoil the report."""
    return text.strip(".,:;!?()").lower() in _ORDINARY


def reference(text: str) -> bool:
    """True for a place-holder: ``$NAME``, ``$(...)``, ``{{...}}``, ``<...>``, ``***``, ``TOKEN``."""
    return _REFERENCE.match(text) is not None


def credential(header: str) -> str:
    """What follows ``Bearer``, ``Basic`` or the like in the value of a header; else the whole."""
    scheme = _SCHEME.match(header)
    return header[scheme.end() :] if scheme else header


def worth_hiding(text: str) -> bool:
    """True for a text that may be a secret."""
    return bool(text.strip()) and not ordinary(text) and not reference(text)
