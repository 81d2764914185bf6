"""Relabelling of Prometheus: what its rules make of the labels of a series."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from lens_preflight.core.data import dataclass
from lens_preflight.core.errors import Undecided
from lens_preflight.core.finding import Location
from lens_preflight.core.go_patterns import is_whole
from lens_preflight.documents import Mapping as Block
from lens_preflight.documents import Node, Scalar

_SELECTING = frozenset({"drop", "keep", "dropequal", "keepequal"})


@dataclass(frozen=True)
class Relabel:
    """One entry, with the defaults of Prometheus filled in."""

    at: Location
    action: str = "replace"
    sources: tuple[str, ...] = ()
    separator: str = ";"
    regex: str = "(.*)"
    target: str = ""
    replacement: str = "$1"

    def applied(self, labels: Mapping[str, str]) -> dict[str, str] | None:
        """The labels behind it; None when the series is dropped.

        Raises:
            Undecided: its pattern cannot be tried.
        """
        text = self.separator.join(labels.get(name, "") for name in self.sources)
        if self.action in ("drop", "keep"):
            return None if self._fits(text) is (self.action == "drop") else dict(labels)
        if self.action in ("dropequal", "keepequal"):
            same = text == labels.get(self.target, "")
            return None if same is (self.action == "dropequal") else dict(labels)
        if self.action in ("labeldrop", "labelkeep"):
            return {n: v for n, v in labels.items() if self._fits(n) is (self.action == "labelkeep")}
        if self.action == "labelmap":
            return {
                **labels,
                **{self._written(n, self.replacement): v for n, v in labels.items() if self._fits(n)},
            }
        if self.action in ("lowercase", "uppercase", "hashmod"):
            changed = {"lowercase": text.lower(), "uppercase": text.upper()}.get(self.action, "0")
            return {**labels, self.target: changed}
        return self._replaced(labels, text)

    def _replaced(self, labels: Mapping[str, str], text: str) -> dict[str, str]:
        if not self._fits(text):
            return dict(labels)
        target, value = self._written(text, self.target), self._written(text, self.replacement)
        rest = {name: old for name, old in labels.items() if name != target}
        return {**rest, target: value} if value else rest

    def _fits(self, text: str) -> bool:
        fits = is_whole(self.regex, text)
        if fits is None:
            raise Undecided(f"what the relabelling pattern {self.regex} matches cannot be told", self.at)
        return fits

    def _written(self, text: str, template: str) -> str:
        match = re.fullmatch(self.regex, text, re.DOTALL)
        if match is None or "$" not in template:
            return template
        groups = {
            **{str(n): g or "" for n, g in enumerate((match.group(), *match.groups()))},
            **match.groupdict(""),
        }
        return re.sub(r"\$(?:\{(\w+)\}|(\w+))", lambda m: groups.get(m[1] or m[2], ""), template)


def read_relabels(raw: Node, key: str) -> Iterator[Relabel]:
    """The entries below a key of a scrape job."""
    for entry in raw.children(key):
        if isinstance(entry, Block):
            sources = tuple(s.text_value for s in entry.children("source_labels") if isinstance(s, Scalar))
            given = {
                "separator": entry.text("separator"),
                "regex": entry.text("regex"),
                "target": entry.text("target_label"),
                "replacement": entry.text("replacement"),
            }
            action = (entry.text("action") or "replace").lower()
            yield Relabel(entry.at, action, sources, **{k: v for k, v in given.items() if v is not None})


def relabelled(
    entries: Iterable[Relabel], labels: Mapping[str, str]
) -> tuple[dict[str, str] | None, Relabel | None]:
    """The labels behind all entries (None: dropped), and the entry that dropped the series.

    ``labels`` are those that every series has; what hangs on another one does not drop all series.

    Raises:
        Undecided: a pattern cannot be tried.
    """
    present = dict(labels)
    for entry in entries:
        if entry.action in _SELECTING and not {*entry.sources, entry.target} - {""} <= set(present):
            continue
        behind = entry.applied(present)
        if behind is None:
            return None, entry
        present = behind
    return present, None
