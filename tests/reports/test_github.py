"""Annotations and the step summary of GitHub Actions, read back as the runner and a Markdown reader do."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from lxml import etree, html
from markdown_it import MarkdownIt

from lens_preflight.core.finding import Location
from lens_preflight.core.outcome import Judged, RunRecord
from lens_preflight.core.words import Severity, Status
from lens_preflight.reports import github_summary
from lens_preflight.reports.block import paste_block
from lens_preflight.reports.github import harmless
from lens_preflight.reports.markdown import code, escaped, prose
from lens_preflight.reports.text import one_line
from tests.reports.records import everything, finding, outcome, record
from tests.reports.rendering import judged, rendered, untold, waived, weights
from tests.reports.strategies import records, texts

relaxed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
LINE = re.compile(r"::(?P<kind>\w+)(?: (?P<given>[^\n]*?))?::(?P<data>[^\n]*)")


@dataclass(frozen=True)
class Seen:
    """A workflow command as the runner takes it."""

    kind: str
    given: dict[str, str]
    text: str


def seen(run: RunRecord) -> list[Seen]:
    lines = rendered("github", run).split("\n")
    assert lines.pop() == ""
    return [_read(line) for line in lines if line.lstrip().startswith("::")]


def _read(line: str) -> Seen:
    match = LINE.fullmatch(line)
    assert match, line
    pairs = (pair.partition("=") for pair in match["given"].split(","))
    given = {key: _plain(text, {"%3A": ":", "%2C": ","}) for key, _, text in pairs}
    return Seen(match["kind"], given, _plain(match["data"], {}))


def _plain(text: str, more: dict[str, str]) -> str:
    codes = {"%0D": "\r", "%0A": "\n", **more}
    for spelt, char in codes.items():
        text = text.replace(spelt, char)
    return text.replace("%25", "%")


@relaxed
@given(records())
def test_the_runner_counts_what_the_run_holds(run: RunRecord) -> None:
    found = Counter(one.kind for one in seen(run))
    weight = weights(run)
    red = sum(o.status is Status.FAIL and all(j.waived for j in o.findings) for o in run.results)
    assert found["notice"] == weight[Severity.NOTE]
    heavy = weight[Severity.BLOCKER] + weight[Severity.CAUTION] + untold(run) + red
    verdict = sum(one.given["title"].startswith("verdict: ") for one in seen(run))
    assert found["error"] + found["warning"] == heavy + verdict
    assert found["error"] >= weight[Severity.BLOCKER] + red
    assert found["error"] or run.exit_code == 0
    assert all(one.text and one.given["title"] for one in seen(run))


@relaxed
@given(records())
def test_what_is_waived_is_a_line_of_the_log(run: RunRecord) -> None:
    lines = rendered("github", run).split("\n")
    assert sum(line.startswith("waived: ") for line in lines) == waived(run)


def test_what_is_waived_is_no_command() -> None:
    known = Judged(finding(message="x ::error::y"), (), "until ##[error] May")
    text = rendered("github", record(outcome("shutdown", Status.WARN, known)))
    assert "waived: train.py:41: x : :error: :y [shutdown/hard-exit]: until # #[error] May" in text


def test_a_message_and_a_path_come_back_as_they_were() -> None:
    at = Location.file("a,b:c%41=d.py", 3, 5)
    found = finding(message="50% of it: a,b %0A c", remedy="type `x`\nthen y", at=at)
    (one,) = seen(record(outcome("shutdown", Status.FAIL, found), exit_code=1))
    assert one.kind == "error"
    assert one.given["file"] == "a,b:c%41=d.py"
    assert (one.given["line"], one.given["endLine"], one.given["col"]) == ("3", "3", "5")
    assert one.text.startswith("50% of it: a,b %0A c\nfix: type `x`\nthen y\nfor train.sbatch:13\nhttps://")


def test_a_column_is_told_within_one_line_only() -> None:
    found = finding(at=Location.file("a.py", 3, 5, 9))
    (one,) = seen(record(outcome("shutdown", Status.FAIL, found), exit_code=1))
    assert one.given["endLine"] == "9"
    assert "col" not in one.given


def test_a_place_that_is_no_file_is_in_the_text() -> None:
    found = finding(at=Location.variable("OTEL_X"), message="unset")
    (one,) = seen(record(outcome("sampler", Status.FAIL, found), exit_code=1))
    assert "file" not in one.given
    assert one.text.startswith("$OTEL_X: unset")


@pytest.mark.parametrize(
    ("decisive", "code", "kind"), [(True, 3, "error"), (True, 0, "warning"), (False, 0, "warning")]
)
def test_what_could_not_be_told_is_an_error_when_it_made_the_exit_code(
    decisive: bool, code: int, kind: str
) -> None:
    unknown = outcome(
        "run-id", Status.UNKNOWN, reason="sourced", decisive=decisive, missing_input="--set A=B"
    )
    (one,) = seen(record(unknown, exit_code=code, verdict="cannot-tell"))
    assert one.kind == kind
    assert one.text.startswith("cannot tell: sourced\nfix: give --set A=B")


def test_the_worst_come_first_and_the_rest_is_pointed_to() -> None:
    notes = [finding(message=f"n{i}", severity=Severity.NOTE) for i in range(12)]
    run = record(outcome("shutdown", Status.FAIL, *notes, finding(message="bad")), exit_code=1)
    assert [one.kind for one in seen(run)] == ["error"] + ["notice"] * 12
    assert "12 notices; GitHub shows about 10, --report github-summary has all" in rendered("github", run)


@relaxed
@given(texts())
def test_the_headline_is_no_command(text: str) -> None:
    line = harmless(f"lens-preflight: {text}")
    assert "\n" not in line
    assert "##[" not in line
    assert not line.lstrip().startswith("::")


def page(run: RunRecord) -> Any:
    """The summary as HTML, as GitHub's reader makes it; raw HTML of texts would be taken as such."""
    reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    return html.fromstring(f"<div>{reader.render(rendered('github-summary', run))}</div>")


TAGS = {
    *("div", "h2", "h3", "p", "table", "thead", "tbody", "tr", "th", "td"),
    *("ul", "li", "strong", "code", "pre", "a", "br"),
}


@relaxed
@given(records())
def test_the_summary_holds_every_issue_and_no_markup_of_texts(run: RunRecord) -> None:
    read = page(run)
    assert {element.tag for element in read.iter(etree.Element)} <= TAGS
    assert len(read.findall(".//tbody/tr")) == len(run.items)
    words = Counter(element.findtext(".//strong") for element in read.iter("li"))
    weight = weights(run)
    waived = sum(bool(j.waived) for j in judged(run))
    waived += sum(bool(o.waived) and o.status in (Status.UNKNOWN, Status.ERROR) for o in run.results)
    assert words["warn"] == weight[Severity.CAUTION]
    assert words["note"] == weight[Severity.NOTE]
    assert words["waived"] == waived
    assert words["FAIL"] >= weight[Severity.BLOCKER]
    assert len(list(read.iter("h2"))) == 1
    assert len(list(read.iter("h3"))) <= 3


@relaxed
@given(texts())
def test_markdown_shows_a_text_as_it_is(text: str) -> None:
    reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    quiet = text.replace("`", "'")
    for spelt, plain in ((escaped(text), text), (code(text), text), (prose(quiet), quiet)):
        shown: Any = html.fromstring(f"<div>{reader.render('- **x** ' + spelt)}</div>")
        assert shown.text_content().split() == ["x", *one_line(plain).split()]


def test_the_block_to_paste_is_in_the_summary_as_it_is() -> None:
    (block,) = page(everything()).iter("pre")
    assert block.text_content().splitlines() == paste_block(everything())


def test_code_in_a_remedy_stays_code() -> None:
    found = finding(remedy="move `a_b()` into `finally:` of *main*")
    read = page(record(outcome("shutdown", Status.FAIL, found), exit_code=1))
    (item,) = read.iter("li")
    assert "a_b()" in [element.text for element in item.iter("code")]
    assert "fix: move a_b() into finally: of *main*" in item.text_content()


def test_a_remedy_of_several_lines_is_a_block_of_code() -> None:
    lines = ["try:", "    main()", "finally:", "    `x` = ```1", "", "    handle.shutdown()"]
    found = finding(remedy="\n".join(lines))
    read = page(record(outcome("shutdown", Status.FAIL, found, finding(message="next")), exit_code=1))
    assert [block.text_content().splitlines() for block in read.iter("pre")] == [lines]
    assert len(list(read.iter("li"))) == 2


def test_a_page_that_would_be_too_long_says_what_is_left_out() -> None:
    notes = [finding(message="n" * 4000, severity=Severity.NOTE) for _ in range(400)]
    run = record(outcome("shutdown", Status.FAIL, *notes, finding(message="bad")), exit_code=1)
    text = rendered("github-summary", run)
    assert len(text.encode()) <= github_summary.MOST_BYTES
    assert text.index("bad") < text.index("nnnn")
    left = re.search(r"- and (\d+) more: this page is full", text)
    assert left is not None
    assert int(left[1]) + text.count("**note**") == 400
    assert text.rstrip().endswith("exit code 1")


def test_a_waived_finding_has_a_section_of_its_own() -> None:
    waived = Judged(finding(message="known"), (), "until <May>")
    text = page(record(outcome("shutdown", Status.PASS, waived))).text_content()
    assert "Waived" in text
    assert "waived: until <May>" in text
    assert "What to act on" not in text


def test_a_message_of_control_characters_alone_still_says_what_it_is_about() -> None:
    (one,) = seen(record(outcome("shutdown", Status.FAIL, finding(message="\x9b@")), exit_code=1))
    assert one.text.startswith(finding().rule.summary)
