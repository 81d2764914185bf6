"""JUnit for readers that take more than the strict schemas allow: file, line and properties of a case.

GitLab, CircleCI and the annotating actions of GitHub show the place; the schema of Jenkins' xunit
plug-in rejects it (take ``junit`` there). A warning passes, as in the strict shape, and its text is
the ``system-out`` of its case.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TextIO

from lens_preflight.core.outcome import RunRecord
from lens_preflight.core.words import Scope
from lens_preflight.reports.cases import Case, told
from lens_preflight.reports.issues import in_file
from lens_preflight.reports.junit import child, head, lines
from lens_preflight.reports.paths import Repository, Starts
from lens_preflight.reports.text import xml_attribute, xml_text
from lens_preflight.reports.writer import PLAIN, Style

name: Final = "junit-rich"


def write(record: RunRecord, to: TextIO, style: Style = PLAIN) -> None:
    """Write the report as ASCII XML that says it is UTF-8."""
    repository, starts = Repository.here(), Starts.read(record)
    for line in lines(record, lambda case: _case(case, repository, starts)):
        to.write(line + "\n")


def _case(case: Case, repository: Repository, starts: Starts) -> Iterator[str]:
    place = "".join(f' {key}="{xml_attribute(value)}"' for key, value in _place(case, repository, starts))
    yield f"    <testcase {head(case)}{place}>"
    properties = list(_properties(case))
    if properties:
        yield "      <properties>"
        for key, value in properties:
            yield f'        <property name="{xml_attribute(key)}" value="{xml_attribute(value)}"/>'
        yield "      </properties>"
    if case.child:
        yield f"      {child(case)}"
    elif case.findings:
        said = "\n\n".join(map(told, case.findings))
        yield f"      <system-out>{xml_text(said)}</system-out>"
    yield "    </testcase>"


def _place(case: Case, repository: Repository, starts: Starts) -> Iterator[tuple[str, str]]:
    """The first finding that lies in a file, else the reason, else what was judged."""
    for at in (*(finding.at for finding in case.findings), case.at):
        if at is not None and in_file(at):
            yield "file", repository.relative(at.what)
            if at.line is not None:
                yield "line", str(at.line)
            return
    if case.target.scope is Scope.FILE and case.target.key.strip():
        yield "file", repository.relative(case.target.key)
    elif case.target.scope in (Scope.LAUNCH, Scope.SIGNAL) and (start := starts.of(case.target.key)):
        yield "file", repository.relative(start[0])
        yield "line", str(start[1])


def _properties(case: Case) -> Iterator[tuple[str, str]]:
    if case.outcome is None:
        return
    yield "lens.status", case.status
    yield "lens.items", " ".join(map(str, case.outcome.items))
    if case.target.key:
        yield "lens.target", case.target.key
    if case.outcome.url:
        yield "lens.url", case.outcome.url
    for finding in case.findings:
        yield "lens.rule", finding.rule.id
        yield "lens.severity", finding.severity.word
        yield "lens.owner", finding.rule.owner.value
        yield "lens.fingerprint", finding.fingerprint
        if finding.remedy:
            yield "lens.fix", finding.remedy
