"""Large programs: writes of telemetry variables in code that is not followed, found in the bytes of the files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lens_preflight.program.closure import Closure
from lens_preflight.program.state import Site

_NAME = rb"[\"']((?:OTEL|NEMO_LENS|[A-Z0-9_]+_OTEL)_[A-Z0-9_]+|SLURM_JOB_ID)[\"']"
_WRITE = re.compile(
    rb"\bdel\s+os\.environ\[\s*" + _NAME + rb"|\benviron\[\s*" + _NAME + rb"\s*\]\s*=(?!=)"
    rb"|\benviron\.(?:pop|setdefault)\(\s*" + _NAME + rb"|\bunsetenv\(\s*" + _NAME
)


def writes(closure: Closure) -> Iterator[tuple[str, Site, bool]]:
    """Names and places of the writes that spell a name out, and whether each leaves a set variable alone.

    None for a program that is followed as a whole.
    """
    if all(plan.small for plan in closure.plans.values()):
        return
    for path in sorted(closure.bytes):
        data = closure.bytes[path]
        for match in _WRITE.finditer(data):
            name = next(group for group in match.groups() if group)
            line = data.count(b"\n", 0, match.start()) + 1
            yield name.decode(), Site(path, line, name.decode()), b"setdefault" in match[0]
