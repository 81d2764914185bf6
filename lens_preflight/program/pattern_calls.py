"""Regular expressions on known texts, as far as they cost nothing to try."""

from __future__ import annotations

import contextlib
import re

from lens_preflight.program import libraries
from lens_preflight.program.outcomes import Outcome
from lens_preflight.program.registry import Call, model
from lens_preflight.program.values import Const

SIMPLE = re.compile(r"[\w ^$()|.:=-]{1,80}")
"""A pattern without repetition, sets and escapes."""

LONGEST = 1000


@model("re.match", "re.search", "re.fullmatch")
def matched(this: Call) -> list[Outcome]:
    """None where a simple pattern does not match a known text; a match itself is not followed."""
    pattern, text = this.arg(0, "pattern"), this.arg(1, "string")
    if isinstance(pattern, Const) and isinstance(text, Const) and len(this.args.plain) == 2:
        fits = isinstance(pattern.value, str) and SIMPLE.fullmatch(pattern.value)
        if fits and isinstance(text.value, str) and len(text.value) < LONGEST:
            with contextlib.suppress(re.error):
                function = getattr(re, this.path.rpartition(".")[2])
                if function(pattern.value, text.value) is None:
                    return this.done(Const(None, pattern.taints | text.taints))
    return libraries.unknown(this)
