"""Calls in a large program that may set telemetry up out of sight: told by name, since most is not followed."""

from __future__ import annotations

import re

from lens_preflight.program.machine import Machine
from lens_preflight.program.state import Site

TOPICS = (
    b"telemetry",
    b"otel",
    b"opentelemetry",
    b"tracing",
    b"observability",
    b"nemo_lens",
    b"instrumentation",
)
CALLED = re.compile(rb"([A-Za-z_][\w.]*)\(")
VERBS = ("set_up", "setup", "init", "start", "configure", "enable", "install", "instrument", "register")
DEFINED = re.compile(rb"^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.M)


def note(m: Machine) -> None:
    """Remember the first such call of a large program that sets nothing up itself.

    A name that some file of the tree defines says nothing: what it does is in sight.
    """
    if m.plan.small or m.seen.setups or m.seen.opaque:
        return
    for path, data in m.closure.bytes.items():
        if not any(topic in data.lower() for topic in TOPICS):
            continue
        for number, line in enumerate(data.splitlines(), 1):
            name = suggestive(line)
            if name and not defined(m, name.rpartition(".")[2].encode()):
                reason = f"{name}() is outside the tree, and by its name it may set telemetry up"
                m.seen.opaque.append((reason, Site(path, number, f"{name}()")))
                return


def suggestive(line: bytes) -> str:
    """The name of a call on a line of code that speaks of setting telemetry up; empty for any other line."""
    if not any(topic in line.lower() for topic in TOPICS) or line.lstrip().startswith(b"#"):
        return ""
    for match in CALLED.finditer(line):
        name = match.group(1).decode()
        last = name.rpartition(".")[2].lower()
        if last.lstrip("_").startswith(VERBS) and any(topic.decode() in last for topic in TOPICS):
            return name
    return ""


def defined(m: Machine, name: bytes) -> bool:
    """True when a file of the tree defines a function or class of that name."""
    return any(
        name in data and name in (found.group(1) for found in DEFINED.finditer(data))
        for data in m.closure.bytes.values()
    )
