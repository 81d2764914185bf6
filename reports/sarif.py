"""SARIF 2.1.0 for code scanning: the findings that lie in a file, with the rules that they break.

All that GitHub requires is there, within its limits (10 MB compressed, 25,000 results of a run; the
worst stay). What has no line of a file, such as an endpoint, is no result; a check that could not
tell is a notification of the run. Waived findings are results that somebody has suppressed.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from typing import Any, Final, TextIO

from lens_preflight.core.finding import Location, Related, Rule
from lens_preflight.core.outcome import RunRecord
from lens_preflight.reports.issues import Issue, Level, in_file, issues
from lens_preflight.reports.paths import Repository
from lens_preflight.reports.plain import plain
from lens_preflight.reports.text import one_line, printable, shorten
from lens_preflight.reports.writer import PLAIN, Style

name: Final = "sarif"

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
HOME: Final = "https://lens-preflight.readthedocs.io"
MOST_RESULTS: Final = 25_000
MOST_BYTES: Final = 10_000_000
"""Of the compressed file."""
MOST_PLACES: Final = 100
LONGEST: Final = 4_000
"""Characters of a message."""
LONGEST_DESCRIPTION: Final = 1_024

_PROBLEM: Final = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "recommendation"}


def write(record: RunRecord, to: TextIO, style: Style = PLAIN) -> None:
    """Write the log as ASCII JSON, with as many of the worst results as fit."""
    found = issues(record)
    room = MOST_RESULTS
    while True:
        text = json.dumps(plain(document(record, found, room)), indent=1, allow_nan=False)
        if len(text) <= MOST_BYTES or not room or len(gzip.compress(text.encode(), 6)) <= MOST_BYTES:
            break
        room = min(room, len(found)) // 2
    to.write(text + "\n")


def document(record: RunRecord, found: Sequence[Issue], room: int = MOST_RESULTS) -> dict[str, Any]:
    """The log as plain data, with the first ``room`` results."""
    placed = [issue for issue in found if issue.rule is not None and in_file(issue.at)]
    shown, repository = placed[:room], Repository.here()
    rules = _rules(shown)
    numbers = {rule["id"]: number for number, rule in enumerate(rules)}
    version = record.tool.rpartition(" ")[2]
    driver = {
        "name": "lens-preflight",
        "informationUri": HOME,
        "rules": rules,
        **({"semanticVersion": version} if version[:1].isdigit() else {}),
    }
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"lens-preflight/{_category(record)}/"},
        "invocations": [_invocation(record, found, len(placed) - len(shown), repository)],
        "columnKind": "unicodeCodePoints",
        "results": [_result(issue, numbers[issue.id], repository) for issue in shown],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _category(record: RunRecord) -> str:
    """A name that is the same for each run on the same input, so that runs on others replace nothing."""
    name = next((path for path, _ in record.inputs), record.profile)
    return "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "-" for c in name)[-80:] or "run"


def _invocation(
    record: RunRecord, found: Sequence[Issue], left_out: int, repository: Repository
) -> dict[str, Any]:
    """How the run went: its exit code, and what could not be told."""
    told = [_notification(issue, repository) for issue in found if issue.rule is None and not issue.waived]
    if left_out:
        text = f"{left_out} more results are left out: a reader takes no more; --report json has all"
        told.insert(0, {"level": "warning", "message": {"text": text}})
    return {
        "executionSuccessful": record.exit_code in (0, 1, 4) and not record.incomplete,
        "exitCode": record.exit_code,
        "exitCodeDescription": shorten(one_line(record.headline), LONGEST) or record.verdict,
        "toolExecutionNotifications": told[:MOST_PLACES],
    }


def _notification(issue: Issue, repository: Repository) -> dict[str, Any]:
    places = [_place(issue.at, repository)] if issue.at is not None and in_file(issue.at) else []
    return {
        "level": issue.level.name.lower(),
        "message": {"text": f"{issue.id}: {_message(issue)}"},
        "locations": places,
    }


def _rules(shown: Sequence[Issue]) -> list[dict[str, Any]]:
    """Each rule once, with the page of its first finding."""
    found: dict[str, dict[str, Any]] = {}
    for issue in shown:
        if issue.rule is not None and issue.id not in found:
            found[issue.id] = _rule(issue, issue.rule)
    return list(found.values())


def _rule(issue: Issue, rule: Rule) -> dict[str, Any]:
    summary = one_line(rule.summary) or rule.id
    why = printable(rule.help).strip() or summary
    page = {"helpUri": issue.url} if issue.url.startswith("http") else {}
    return {
        "id": rule.id,
        "name": "".join(part.capitalize() for part in rule.id.replace("/", "-").split("-")),
        "shortDescription": {"text": _cut(summary, LONGEST_DESCRIPTION)},
        "fullDescription": {"text": _cut(why, LONGEST_DESCRIPTION)},
        "help": {"text": f"{why}\n\n{issue.url}" if page else why},
        **page,
        "defaultConfiguration": {"level": issue.level.name.lower()},
        "properties": {
            "precision": "high",
            "problem.severity": _PROBLEM[issue.level],
            "tags": ["telemetry", f"owner-{rule.owner.value}", *(f"item-{n}" for n in issue.items)][:10],
        },
    }


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _result(issue: Issue, number: int, repository: Repository) -> dict[str, Any]:
    assert issue.at is not None
    related = [one for one in issue.related if in_file(one.at)][: MOST_PLACES - 1]
    waived = {"kind": "external", "justification": issue.waived}
    return {
        "ruleId": issue.id,
        "ruleIndex": number,
        "level": issue.level.name.lower(),
        "message": {"text": _message(issue)},
        "locations": [_place(issue.at, repository)],
        "relatedLocations": [_related(one, n, repository) for n, one in enumerate(related, 1)],
        "partialFingerprints": {"primaryLocationLineHash": f"{issue.fingerprint}:{issue.nth}"},
        "suppressions": [waived] if issue.waived else [],
        "properties": {"targets": [one_line(key) for key in issue.targets]},
    }


def _message(issue: Issue) -> str:
    text = shorten(printable(issue.text), LONGEST) or issue.id
    return f"{text}\nfix: {shorten(printable(issue.remedy), 4 * LONGEST)}" if issue.remedy else text


def _related(one: Related, number: int, repository: Repository) -> dict[str, Any]:
    text = shorten(printable(one.text), LONGEST) or "see here"
    return {"id": number, "message": {"text": text}, **_place(one.at, repository)}


def _place(at: Location, repository: Repository) -> dict[str, Any]:
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": repository.uri(at.what)},
            "region": region(at),
        }
    }


def region(at: Location) -> dict[str, int]:
    """All four numbers, as GitHub asks for: the first character where nobody said more."""
    line = max(at.line or 1, 1)
    column = max(at.column or 1, 1)
    last = max(at.end_line or line, line)
    return {
        "startLine": line,
        "startColumn": column,
        "endLine": last,
        "endColumn": column + 1 if last == line else 2,
    }
