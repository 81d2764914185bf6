"""Regular expressions of scripts: matched only when that is sure to end soon."""

from __future__ import annotations

import re

MAX_WORK = 10**7
"""Ways to match that are tried at most, reckoned from the repeats and the length of the text."""


def affordable(pattern: str, text: str) -> bool:
    """Whether matching ends soon: no repeat within a repeat, few repeats on a long text.

    Python's matcher tries each way in turn; ``(a+)+$`` takes twice as long for each more sign.
    """
    if re.search(r"\)[*+{?]", pattern):
        return False
    repeats = len(re.findall(r"[*+{]", pattern))
    return float(max(2, len(text))) ** (repeats + 1) <= MAX_WORK or repeats == 0
