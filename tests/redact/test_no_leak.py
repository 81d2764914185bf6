"""No planted secret in any format at any verbosity, wherever in the run it was planted."""

from __future__ import annotations

import base64
import dataclasses
import io
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lens_preflight.core.finding import Assumption, Finding, Location, Related
from lens_preflight.core.outcome import Judged, Outcome, RunRecord, Target
from lens_preflight.core.words import Scope, Status
from lens_preflight.redact import Redactor
from lens_preflight.reports import REPORTS, Style
from tests.reports.records import everything, finding, outcome, record
from tests.reports.strategies import records

OURS = {
    RunRecord: {"profile", "verdict", "tool"},
    Outcome: {"check", "title", "url"},
    Finding: set(),
    Target: set(),
}
"""Text fields that hold only words of this program."""


def renderings(run: RunRecord) -> Iterator[str]:
    for verbosity in (0, 1, 2):
        for width in (60, 160):
            yield rendered("console", run, Style(width, color=bool(verbosity), verbosity=verbosity))
    yield from (rendered(name, run, Style()) for name in REPORTS if name != "console")


def rendered(name: str, run: RunRecord, style: Style) -> str:
    out = io.StringIO()
    REPORTS[name].write(run, out, style)
    return out.getvalue()


def planted(text: str) -> RunRecord:
    """A run with a text in every place where a check, a library or a user may put it."""
    targets = (Target(Scope.BACKEND, f"jaeger={text}"), Target(Scope.BACKEND, text))
    found = Finding(
        finding().rule,
        f"message {text}",
        Location.file(f"at/{text}", 3),
        (Related(f"related {text}", Location.variable(text)),),
        {f"key {text}": f"evidence {text}", "headers": text},
        f"remedy `curl {text}`",
        (("OTEL_EXPORTER_OTLP_HEADERS", f"x={text}"), ("B", text)),
    )
    judged = (Judged(found, targets), Judged(found, targets, f"waived {text}"))
    bare = [
        dataclasses.replace(
            outcome("run-id", status, reason=f"reason {text}", reason_at=Location.option(text)),
            targets=targets,
            evidence={text: text},
            assumptions=(Assumption(text, text, text),),
            missing_input=f"--backend {text}",
            decisive=True,
        )
        for status in (Status.PASS, Status.UNKNOWN, Status.ERROR, Status.SKIP)
    ]
    failed = dataclasses.replace(outcome("shutdown", Status.FAIL, *judged), targets=targets)
    run = record(failed, *bare, exit_code=3, verdict="cannot-tell", headline=f"NOT READY — give {text}")
    return dataclasses.replace(
        run,
        profile_why=f"why {text}",
        items=tuple(dataclasses.replace(item, missing_input=text) for item in run.items),
        assumptions=(Assumption(f"what {text}", text, f"why {text}"),),
        inputs=((f"in/{text}", "0" * 64),),
        subject={
            "launches": [{"args": ["--x", text, f"--y={text}"], "env": {"A": text}, text: [{"b": text}]}]
        },
        run={
            "argv": ["check", "--set", f"OTEL_EXPORTER_OTLP_HEADERS=x={text}", text],
            "settings": {text: text},
        },
        incomplete=f"interrupted {text}",
    )


@pytest.mark.parametrize("secret", ["Zq7canary", "Zq7 c/a+n=a&r'y", "Zq7-ca%nary.é"])
def test_a_planted_secret_is_in_no_report(secret: str) -> None:
    run = Redactor([secret]).record(planted(secret))
    for text in renderings(run):
        assert secret not in text
        assert "canary" not in text
        assert "<redacted>" in text or "&lt;redacted&gt;" in text


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=6, max_size=24),
    st.sampled_from(["header", "bearer", "basic", "password", "variable", "option"]),
)
def test_no_form_of_any_secret_is_in_any_report(text: str, source: str) -> None:
    secret = f"Zq{text}7".replace(",", ".").replace("@", "a").replace("$", "s").replace("/", "+")
    secret = secret.replace("'", "q").replace('"', "q").replace("?", "x").replace("#", "x").replace("%", "y")
    redactor = Redactor.of([environment(source, secret)])
    raw = secret.encode()
    for form in (secret, quote(secret, safe=""), base64.b64encode(raw).decode()):
        for report in renderings(redactor.record(planted(form))):
            flat = re.sub(r"\x1b\[[0-9;]*m", "", report)
            assert form not in flat
            assert secret not in flat


def environment(source: str, secret: str) -> dict[str, str]:
    pair = base64.b64encode(f"user:{secret}".encode()).decode()
    name, value = {
        "header": ("OTEL_EXPORTER_OTLP_HEADERS", f"a=b,x-team={quote(secret, safe='')}"),
        "bearer": ("OTEL_EXPORTER_OTLP_TRACES_HEADERS", f"Authorization=Bearer {quote(secret)}"),
        "basic": ("OTEL_EXPORTER_OTLP_HEADERS", f"authorization=Basic%20{pair}"),
        "password": ("HTTPS_PROXY", f"http://user:{quote(secret, safe='')}@proxy:3128"),
        "variable": ("SITE_API_KEY", secret),
        "option": ("ARGS", f"--token '{secret}'"),
    }[source]
    return {name: value}


def test_every_free_text_of_a_run_is_reached() -> None:
    """Plants a secret in each text of each type; a new field must be redacted or be one of OURS."""
    redactor = Redactor(["Zq7canary"])
    told = redactor.record(_stuffed(everything()))
    assert [path for path, text in _texts("", told) if "Zq7canary" in text] == []


def _stuffed(value: Any, owner: type = object, name: str = "") -> Any:
    if isinstance(value, str):
        keep = name in OURS.get(owner, ()) or (owner.__name__ == "Item" and name in ("title", "status"))
        return value if keep or owner.__name__ == "Rule" else f"{value} Zq7canary"
    if isinstance(value, dict):
        return {key: _stuffed(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        keep = owner.__name__ == "Item" and name == "checks"
        return value if keep else type(value)(_stuffed(inner) for inner in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        return type(value)(**{n: _stuffed(getattr(value, n), type(value), n) for n in names})
    return value


def _texts(path: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(f"{path}[{key}]", inner)
    elif isinstance(value, (list, tuple)):
        for number, inner in enumerate(value):
            yield from _texts(f"{path}[{number}]", inner)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _texts(f"{path}.{field.name}", getattr(value, field.name))


def test_a_run_without_secrets_is_left_alone() -> None:
    assert Redactor().record(everything()) == everything()


def test_the_words_of_the_verdict_survive_a_secret_that_spells_them() -> None:
    redactor = Redactor(["ready", "shutdown", "fail", "login", "Telemetry is set up once"])
    run = redactor.record(everything())
    assert (run.verdict, run.profile) == ("not-ready", "login")
    assert [item.title for item in run.items] == [item.title for item in everything().items]
    assert [o.check for o in run.results] == [o.check for o in everything().results]
    assert [o.status for o in run.results] == [o.status for o in everything().results]


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(records())
def test_a_run_of_any_text_is_taken(run: RunRecord) -> None:
    told = Redactor(["Zq7canary"]).record(run)
    assert [o.status for o in told.results] == [o.status for o in run.results]
    assert [j.finding.severity for o in told.results for j in o.findings] == [
        j.finding.severity for o in run.results for j in o.findings
    ]
