"""What counts as true, rank by rank."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program.scripts import decided, rules


def verdict(folder: Path, decision: str) -> str:
    """The verdict; of a fail its rule, which says who exports."""
    answer = decided(folder, decision)
    return rules(answer)[0] if answer.verdict == "fail" else answer.verdict


@pytest.mark.parametrize(
    ("decision", "expected"),
    [
        ("mine = rank == 0", "pass"),
        ("mine = not rank", "pass"),
        ("mine = [] if rank else [1]", "pass"),
        ("mine = {} or (rank == 1)", "pass"),
        ("mine = '' or rank == 3", "pass"),
        ("mine = [rank == 0]", "everybody"),
        ("mine = (0,)", "everybody"),
        ("mine = ()", "nobody"),
        ("mine = 0.0", "nobody"),
        ("mine = os.environ['RANK']", "everybody"),
        ("class C: pass\nmine = C() and rank == 2", "pass"),
        ("mine = print or rank", "everybody"),
        ("mine = (rank == 0) is True", "pass"),
        ("mine = not not (rank == 5)", "pass"),
        ("mine = ((n := rank) == 2) and n", "pass"),
        ("class C:\n    def __bool__(self): return rank == 0\nmine = C()", "pass"),
        ("class B:\n    def __len__(self): return 0\nclass C(B): pass\nmine = C()", "nobody"),
        ("class C:\n    def __len__(self): return rank == 4\nmine = 1 if C() else 0", "pass"),
        ("class C:\n    def __bool__(self): return rank == 4\nmine = not not C()", "pass"),
        ("class C:\n    def __bool__(self): return False\nmine = C() or rank == 4", "pass"),
        ("class C:\n    def __eq__(self, o): return o == rank\nmine = C() == 4", "pass"),
        ("class C:\n    def __eq__(self, o): return o == rank\nmine = 4 == C()", "pass"),
        ("class C:\n    def __eq__(self, o): return o != rank\nmine = C() != 4", "pass"),
        ("class C:\n    def __contains__(self, r): return r == 4\nmine = rank in C()", "pass"),
        ("class C:\n    def __contains__(self, r): return r != 4\nmine = rank not in C()", "pass"),
        ("class C:\n    def __and__(self, o): return o == 4\nmine = C() & rank", "pass"),
        ("class C:\n    def __radd__(self, o): return o == 4\nmine = rank + C()", "pass"),
        ("class C:\n    def __invert__(self): return rank == 4\nmine = ~C()", "pass"),
        ("class C:\n    def __lt__(self, o): return False\nmine = C() < 1 or 1 > C()", "nobody"),
        ("mine = [rank] == [4]", "pass"),
        ("mine = [1] == [1]", "everybody"),
        ("mine = {} != {}", "nobody"),
        ("kept = {0: 1} if rank == 0 else {}\nmine = bool(kept)", "pass"),
    ],
)
def test_the_truth_of_what_is_known(decision: str, expected: str, tmp_path: Path) -> None:
    assert verdict(tmp_path, decision) == expected


@pytest.mark.parametrize(
    "decision",
    [
        "class C:\n    def __bool__(self): return trainlib.chosen()\nmine = C()",
        "class C(dict): pass\nmine = C()",
        "import collections\nclass B(collections.UserList): pass\nclass C(B): pass\nmine = C()",
        "kept = []\nif rank == 0:\n    kept.append(1)\nmine = kept",
        "kept = []\nif rank == 0:\n    kept.append(1)\nmine = len(kept) > 0",
        "mine = [r for r in (1, 2) if r == rank]",
        "mine = False\nif [r for r in (1, 2) if r == rank]:\n    mine = True",
    ],
)
def test_what_a_class_or_a_length_decides_is_not_taken_for_true(decision: str, tmp_path: Path) -> None:
    assert verdict(tmp_path, decision) == "unknown"
