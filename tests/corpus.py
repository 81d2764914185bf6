"""Scores of corpus tests: one line each, the same for any corpus root."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

LINES: list[str] = []
"""Lines for the end of the test run."""


def corpus_root() -> Path:
    """The folder that holds the corpora: PREFLIGHT_CASES, else the copies in the project."""
    return Path(os.environ.get("PREFLIGHT_CASES") or Path(__file__).parent / "cases")


@dataclass
class Score:
    """Counts what a checker said of the cases of one corpus.

    A verdict is right when it is the expected one or listed as acceptable; a pass or note that is
    neither is a false pass; a fail that is neither is a false fail.
    """

    name: str
    noun: str = "cases"
    right: int = 0
    wrong: list[tuple[str, str, str]] = field(default_factory=list)
    recall: dict[str, list[int]] = field(default_factory=dict)

    def add(self, case: str, verdict: str, expected: str, acceptable: Sequence[str] = ()) -> bool:
        """Count one case; returns whether it was right."""
        good = verdict == expected or verdict in acceptable
        hits = self.recall.setdefault(expected, [0, 0])
        hits[0] += good
        hits[1] += 1
        if good:
            self.right += 1
        else:
            self.wrong.append((case, verdict, expected))
        return good

    @property
    def total(self) -> int:
        """The number of cases counted."""
        return self.right + len(self.wrong)

    @property
    def false_passes(self) -> list[str]:
        """Cases that passed and should not have."""
        return [case for case, verdict, _ in self.wrong if verdict in ("pass", "note")]

    @property
    def mean_recall(self) -> float:
        """The mean, over the expected verdicts, of the share that was right; 1.0 for no case."""
        shares = [good / total for good, total in self.recall.values()]
        return sum(shares) / len(shares) if shares else 1.0

    def count(self, verdict: str) -> int:
        """How many wrong answers were this verdict."""
        return sum(said == verdict for _, said, _ in self.wrong)

    def line(self) -> str:
        """The one line of this corpus; also kept for the end of the test run."""
        text = (
            f"corpus {self.name}: {self.total} {self.noun}, {self.right} right, "
            f"{len(self.false_passes)} false pass, {self.count('fail')} false fail, "
            f"{self.count('unknown')} unknown"
        )
        LINES.append(text)
        return text
