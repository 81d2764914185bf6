"""What the console shows of a run, in order: entries grouped by checklist item, worst first."""

from __future__ import annotations

import enum
from collections.abc import Iterator

from lens_preflight.core.data import dataclass, field, replace
from lens_preflight.core.finding import Finding
from lens_preflight.core.outcome import Judged, Outcome, RunRecord, Target
from lens_preflight.core.words import Scope, Severity, Status
from lens_preflight.reports.text import one_line
from lens_preflight.reports.writer import Style

_MOST_TARGETS = 3


class Rank(enum.IntEnum):
    """How soon a reader should see an entry."""

    FAIL = 0
    WARN = 1
    BROKEN = 2
    """A decisive check could not tell: weighs more than a caution, but says less."""
    UNKNOWN = 3
    NOTE = 4
    WAIVED = 5
    SKIP = 6
    PASS = 7


@dataclass(frozen=True)
class Entry:
    """One thing to show: a finding, or an outcome that has none.

    ``label`` is the id of its rule or check, ``related`` are (text, place) pairs, ``evidence`` is
    for ``-v`` and ``more`` for ``-vv``.
    """

    rank: Rank
    word: str
    kind: str
    label: str
    text: str
    place: str = ""
    remedy: str = ""
    related: tuple[tuple[str, str], ...] = ()
    evidence: tuple[tuple[str, str], ...] = ()
    more: tuple[str, ...] = ()
    for_targets: tuple[str, ...] = ()

    def targets(self, style: Style) -> str:
        """The targets in words, unless they are the place itself."""
        keys = [one_line(key) for key in self.for_targets if key != self.place]
        if not keys:
            return ""
        shown = keys if style.verbosity > 0 else keys[:_MOST_TARGETS]
        more = f" and {len(keys) - len(shown)} more" if len(keys) > len(shown) else ""
        return f"for {', '.join(shown)}{more}"


@dataclass
class Group:
    """The entries of one checklist item, or of one check that belongs to none."""

    title: str
    order: int
    entries: list[Entry] = field(default_factory=list)

    @property
    def rank(self) -> Rank:
        """The rank of its worst entry."""
        return min(entry.rank for entry in self.entries)


def grouped(record: RunRecord, verbosity: int) -> list[Group]:
    """The groups that have something to show, worst first, then in checklist order."""
    titles = {item.n: item.title for item in record.items}
    launches = {t.key for o in record.results for t in o.targets if t.scope is Scope.LAUNCH}
    obvious = launches if len(launches) == 1 else set()
    groups: dict[str, Group] = {}
    for outcome in record.results:
        entries = [e for e in _entries(outcome, obvious) if _shown(e, verbosity)]
        if not entries:
            continue
        item = outcome.items[0] if outcome.items else 0
        title = f"{item}  {titles.get(item, outcome.title)}" if item else f"–  {outcome.title}"
        key = f"{item}" if item else outcome.check
        groups.setdefault(key, Group(title, item or 99)).entries.extend(entries)
    for group in groups.values():
        group.entries.sort(key=lambda entry: entry.rank)
    kept = [group for group in _once(sorted(groups.values(), key=lambda g: g.order)) if group.entries]
    return sorted(kept, key=lambda group: (group.rank, group.order))


def _once(groups: list[Group]) -> list[Group]:
    """The groups with each doubt said once, by the first check that has it, in the name of all."""
    labels: dict[tuple[object, ...], list[str]] = {}
    for group in groups:
        for entry in group.entries:
            if entry.kind == "doubt":
                labels.setdefault(_doubt(entry), []).append(entry.label)
    told: set[tuple[object, ...]] = set()
    for group in groups:
        kept = []
        for entry in group.entries:
            doubt = _doubt(entry)
            if entry.kind == "doubt" and doubt in told:
                continue
            if entry.kind == "doubt":
                told.add(doubt)
                entry = replace(entry, label=", ".join(dict.fromkeys(labels[doubt])))
            kept.append(entry)
        group.entries = kept
    return groups


def _doubt(entry: Entry) -> tuple[object, ...]:
    return entry.word, entry.text, entry.place, entry.for_targets


def _shown(entry: Entry, verbosity: int) -> bool:
    return verbosity > 0 or entry.rank not in (Rank.NOTE, Rank.SKIP, Rank.PASS)


def _entries(outcome: Outcome, obvious: set[str]) -> Iterator[Entry]:
    for judged in outcome.findings:
        yield _waived(judged) if judged.waived else _found(judged, obvious)
    if outcome.status in _OUTCOMES:
        yield _bare(outcome, obvious)
    elif outcome.reason:
        yield _unfinished(outcome)


_WEIGHTS = {
    Severity.BLOCKER: (Rank.FAIL, "FAIL", "bad"),
    Severity.CAUTION: (Rank.WARN, "warn", "caution"),
    Severity.NOTE: (Rank.NOTE, "note", "faint"),
}
_OUTCOMES = {
    Status.UNKNOWN: (Rank.UNKNOWN, "unknown", "doubt"),
    Status.ERROR: (Rank.UNKNOWN, "error", "doubt"),
    Status.SKIP: (Rank.SKIP, "skip", "faint"),
    Status.PASS: (Rank.PASS, "pass", "good"),
}


def _keys(targets: tuple[Target, ...], obvious: set[str]) -> tuple[str, ...]:
    """The keys worth telling: not the whole run, not the only launch there is."""
    return tuple(target.key for target in targets if target.key and target.key not in obvious)


def _found(judged: Judged, obvious: set[str]) -> Entry:
    finding = judged.finding
    rank, word, kind = _WEIGHTS[finding.severity]
    return Entry(
        rank,
        word,
        kind,
        finding.rule.id,
        finding.message,
        str(finding.at),
        finding.remedy,
        tuple((related.text, str(related.at)) for related in finding.related),
        tuple(sorted(finding.evidence.items())),
        _more(finding),
        _keys(judged.targets, obvious),
    )


def _more(finding: Finding) -> tuple[str, ...]:
    settings = (f"{key}={value}" if value is not None else f"unset {key}" for key, value in finding.settings)
    return (f"owner {finding.rule.owner.value}, fingerprint {finding.fingerprint}", *settings)


def _waived(judged: Judged) -> Entry:
    finding = judged.finding
    text = f"{finding.message} (waived: {judged.waived})"
    return Entry(Rank.WAIVED, "waived", "faint", finding.rule.id, text, str(finding.at))


def _bare(outcome: Outcome, obvious: set[str]) -> Entry:
    rank, word, kind = _OUTCOMES[outcome.status]
    if outcome.waived:
        rank, kind = Rank.WAIVED, "faint"
    elif outcome.decisive and rank is Rank.UNKNOWN:
        rank = Rank.BROKEN
    waived = f" (waived: {outcome.waived})" if outcome.waived else ""
    return Entry(
        rank,
        word,
        kind,
        outcome.check,
        outcome.reason + waived,
        str(outcome.reason_at) if outcome.reason_at else "",
        f"give {outcome.missing_input}" if outcome.missing_input else "",
        evidence=tuple(sorted(outcome.evidence.items())),
        more=(outcome.url,) if outcome.url else (),
        for_targets=_keys(outcome.targets, obvious),
    )


def _unfinished(outcome: Outcome) -> Entry:
    """What a check with findings also had to say: what it could not see, or what it saw hold."""
    at = str(outcome.reason_at) if outcome.reason_at else ""
    evidence = tuple(sorted(outcome.evidence.items()))
    return Entry(Rank.NOTE, "also", "faint", outcome.check, outcome.reason, at, evidence=evidence)
