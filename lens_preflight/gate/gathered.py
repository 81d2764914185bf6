"""Reports of many nodes, taken in one by one: what is kept is one line a node and each outcome once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from lens_preflight.core.data import dataclass, field, replace
from lens_preflight.core.outcome import Outcome
from lens_preflight.gate.decode import Report, decode
from lens_preflight.gate.reportfile import NotAReport, SeveralDocuments, documents, parse, whole
from lens_preflight.gate.skeleton import Skeleton, skeleton

ENDPOINT = "endpoint"
"""The evidence that says which endpoint an outcome is about."""

WAY = "way "
"""How the keys of evidence begin that say in which way something was sent."""

MERGED = "merged"
"""The mark of a merged report, in ``run.obtained``."""

_MERGED_KEY = f'"{MERGED}"'.encode()

MOST_SHAPES, MOST_OUTCOMES, MOST_NAMES = 32, 5_000, 200


class Entry(NamedTuple):
    """One node's report: its job, when it started, why it is incomplete, its outcomes by number."""

    job: str
    started: str
    incomplete: str
    body: tuple[int, ...]


_FIELDS = (
    b'\n    "started": ',
    b'\n    "obtained": {\n      "host": ',
    b'\n      "slurm_job": ',
    b'\n      "node": ',
    b'\n    "incomplete": ',
)
"""What is needed of ``run``, in the order in which it is written."""


def _fields(text: bytes) -> list[str] | None:
    """The values of the needed fields, empty for null; None when one is written in another way."""
    found = []
    place = 0
    find = text.find
    for key in _FIELDS:
        place = find(key, place)
        if place < 0:
            return None
        place += len(key)
        if text.startswith(b"null", place):
            found.append("")
            continue
        end = find(b'"', place + 1)
        value = text[place + 1 : end]
        if not text.startswith(b'"', place) or end < 0 or b"\\" in value:
            return None
        found.append(value.decode("ascii", "replace"))
        place = end
    return found


@dataclass
class Gathered:
    """Grows by ``take``. ``rejected`` holds file names with the reason, the first 200 of them."""

    nodes: dict[str, Entry] = field(default_factory=dict)
    outcomes: list[Outcome] = field(default_factory=list)
    rejected: dict[str, str] = field(default_factory=dict)
    rejected_count: int = 0
    repeated: set[str] = field(default_factory=set)
    sample: Report | None = None
    _known: list[tuple[Skeleton, tuple[int, ...]]] = field(default_factory=list)
    _numbers: dict[object, int] = field(default_factory=dict)

    def take(self, path: str) -> None:
        """Take in all reports of a file; what is none is named, never raised."""
        try:
            data = whole(path)
            if data is not None and data.startswith((b"{", b"[")):
                try:
                    self._take(data)
                    return
                except SeveralDocuments:
                    pass
            for document in documents(path):
                try:
                    self._take(document)
                except NotAReport as reason:
                    self._reject(path, str(reason))
        except NotAReport as reason:
            self._reject(path, str(reason))
        except OSError as error:
            self._reject(path, f"cannot be read ({error.strerror})")

    def take_all(self, paths: Iterable[str]) -> None:
        """Take in several files."""
        for path in paths:
            self.take(path)

    def _take(self, document: bytes) -> None:
        for place, (known, body) in enumerate(self._known):
            text = known.run_of(document)
            if text is not None:
                self._prefer(place, document)
                self._enter_text(text, body)
                return
        if not document.strip():
            raise NotAReport("empty")
        report = decode(parse(document))
        if report.profile != "node":
            raise NotAReport(f"of profile {report.profile}, not of a compute node")
        body = tuple(self._number(outcome) for outcome in report.outcomes)
        self._enter_run(report.run, body)
        if self.sample is None or len(report.outcomes) > len(self.sample.outcomes):
            self.sample = report
        shape = skeleton(document)
        if shape is not None:
            self._known.insert(0, (shape, body))
            del self._known[MOST_SHAPES:]

    def _prefer(self, place: int, document: bytes) -> None:
        """Try this skeleton first for the next report, which is probably like this one."""
        known, body = self._known[place]
        if known.blocks:  # seen for the second time: learn what its reports have in common
            self._known[place] = (Skeleton(known.first, known.rest), body)
            self._known.insert(0, (known.tightened(document), body))
        elif place:
            self._known.insert(0, self._known.pop(place))
        del self._known[MOST_SHAPES:]

    def _enter_text(self, text: bytes, body: tuple[int, ...]) -> None:
        """Note a node from the text of ``run``; looked for when it is laid out as usual, else parsed."""
        fields = _fields(text)
        if fields is None or _MERGED_KEY in text:
            self._enter_run(parse(text), body)
            return
        started, host, job, node, incomplete = fields
        self._enter(node or host, Entry(job, started, incomplete, body))

    def _enter_run(self, run: Mapping[str, Any], body: tuple[int, ...]) -> None:
        obtained = run.get("obtained")
        obtained = obtained if isinstance(obtained, dict) else {}
        if obtained.get(MERGED):
            raise NotAReport("merged already; give the reports of the nodes")
        node = obtained.get("node") or obtained.get("host") or run.get("host")
        entry = Entry(
            job=str(obtained.get("slurm_job") or ""),
            started=str(run.get("started") or ""),
            incomplete=str(run.get("incomplete") or ""),
            body=body,
        )
        self._enter(node if isinstance(node, str) else "", entry)

    def _enter(self, node: str, entry: Entry) -> None:
        if not node:
            raise NotAReport("does not say which node it is from")
        before = self.nodes.get(node)
        if before is not None:
            self.repeated.add(node)
            if before.started > entry.started:
                return
        self.nodes[node] = entry

    def _number(self, outcome: Outcome) -> int:
        """The number of an outcome; equal ones have one. Evidence of the first is kept."""
        found = tuple((j.finding.rule, j.finding.message, j.finding.at, j.waived) for j in outcome.findings)
        endpoint = (outcome.evidence.get(ENDPOINT), *sorted(k for k in outcome.evidence if k.startswith(WAY)))
        about = (outcome.check, outcome.status, outcome.waived, outcome.reason, outcome.targets)
        key: object = (*about, endpoint, found)
        if key not in self._numbers and len(self.outcomes) >= MOST_OUTCOMES:
            key = (outcome.check, outcome.status)
            outcome = replace(
                outcome,
                findings=(),
                waived="",
                reason="too many different outcomes; read the report of the node",
            )
        number = self._numbers.setdefault(key, len(self.outcomes))
        if number == len(self.outcomes):
            self.outcomes.append(outcome)
        return number

    def _reject(self, path: str, reason: str) -> None:
        self.rejected_count += 1
        if len(self.rejected) < MOST_NAMES:
            self.rejected[path] = reason
