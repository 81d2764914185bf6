"""Reports of runs with any text in every place, and the redaction of planted secrets."""

from __future__ import annotations

import base64
import dataclasses
import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from random import Random
from typing import Any
from urllib.parse import quote

from lens_preflight.core.outcome import RunRecord
from lens_preflight.redact import Redactor
from lens_preflight.reports import REPORTS
from tests.fuzz import mutate
from tests.fuzz.target import CANARY, Target
from tests.fuzz.targets.nodes import rendered
from tests.redact.test_no_leak import planted
from tests.reports.records import everything

_KEPT = ("Rule", "Item")
"""Types whose texts are ours."""


def _run(random: Random) -> RunRecord:
    made: RunRecord = stuffed(random, everything(), random.choice((0.05, 0.3, 1.0)))
    return made


def stuffed(random: Random, value: Any, share: float) -> Any:
    """The same with other texts in some places; enumerations, ids and words of the verdict are kept."""
    if isinstance(value, str):
        return _text(random, value) if random.random() < share else value
    if isinstance(value, dict):
        return {key: stuffed(random, inner, share) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(stuffed(random, inner, share) for inner in value)
    if not dataclasses.is_dataclass(value) or isinstance(value, type) or type(value).__name__ in _KEPT:
        return value
    kept = ("verdict", "check")
    return dataclasses.replace(
        value,
        **{
            f.name: stuffed(random, getattr(value, f.name), share)
            for f in dataclasses.fields(value)
            if f.init and f.name not in kept
        },
    )


def _text(random: Random, old: str) -> str:
    return random.choice((mutate.nasty(random), old + mutate.nasty(random), mutate.nasty(random) * 3))


def _use_run(run: RunRecord) -> Iterator[str]:
    clean = Redactor((CANARY,)).record(run)
    for name in REPORTS:
        text = rendered(clean, name)
        data = text.encode("utf-8", "surrogatepass" if name == "console" else "strict")
        if name in ("json", "sarif", "gitlab"):
            json.loads(data)
        if name.startswith("junit"):
            ElementTree.fromstring(data)
        assert "\x1b" not in text, f"{name} lets control characters through"
        yield text


@dataclasses.dataclass(frozen=True)
class Secret:
    """A secret, the environment that tells it, and texts that hold it in one of its forms."""

    text: str
    env: dict[str, str]
    around: tuple[str, ...]
    form: str


def _secret(random: Random) -> Secret:
    signs = "abcdefghijkmnpqrstuvwxyzABCDEFGH0123456789" + random.choice(
        ("", "+/=", "-_.", "!~*", "&%#", "é")
    )
    text = "Zq" + "".join(random.choice(signs) for _ in range(random.randrange(8, 40))) + "7x"
    env = random.choice(
        (
            {"OTEL_EXPORTER_OTLP_HEADERS": f"a=b,x-team={quote(text, safe='')}"},
            {"OTEL_EXPORTER_OTLP_TRACES_HEADERS": f"Authorization=Bearer%20{quote(text, safe='')}"},
            {"HTTPS_PROXY": f"http://user:{quote(text, safe='')}@proxy:3128"},
            {"SITE_API_KEY": text},
            {"WANDB_API_KEY": text},
            {"DB_PASSWORD": text},
        )
    )
    form = random.choice((text, quote(text, safe=""), base64.b64encode(text.encode()).decode()))
    around = tuple(mutate.nasty(random).replace("\0", "") for _ in range(4))
    return Secret(text, env, around, form)


def _use_secret(made: Secret) -> Iterator[str]:
    redactor = Redactor.of([made.env])
    a, b, c, d = made.around
    for text in (made.form, f"{a}{made.form}{b}", f"--x={made.form} {c}", f"{d}://u:{made.form}@h/{a}"):
        told = redactor.redact(text)
        assert redactor.redact(told) == told, f"redacting twice changes {told!r}"
        yield from _gone(made, told)
    yield from _gone(made, repr(redactor.record(planted(made.form))))


def _gone(made: Secret, told: str) -> Iterator[str]:
    assert made.text not in told and made.form not in told, (
        f"{made.form!r} of {made.env} is in {told[:500]!r}"
    )
    yield told


TARGETS = (
    Target("reports", 180, _run, _use_run),
    Target("redaction", 500, _secret, _use_secret),
)
