"""The checks of the training script against programs whose truth is known."""

from __future__ import annotations

import pytest

from tests.corpus import Score, corpus_root
from tests.program.judge import CHECKS, Answer, Case, Looked, cases, judge

FOLDERS = ("program", "program-own")


@pytest.fixture(scope="module", params=FOLDERS)
def judged(request: pytest.FixtureRequest) -> tuple[str, list[tuple[Case, dict[str, Answer]]]]:
    """All cases of one corpus with the answers."""
    found = cases(corpus_root() / request.param)
    if not found:
        pytest.skip(f"no cases in {request.param}")
    return request.param, [(case, judge(case)) for case in found]


@pytest.mark.parametrize("check", [c.id for c in CHECKS])
def test_verdicts(judged: tuple[str, list[tuple[Case, dict[str, Answer]]]], check: str) -> None:
    """No false pass; 95 % right, 90 % mean recall, at most 5 % unknown where something else is expected."""
    folder, answers = judged
    score = Score(f"{folder}/{check}")
    undue = 0
    for case, answer in answers:
        wanted = case.data["expected_verdicts"].get(check)
        if wanted is None:
            continue
        verdict = answer[check].verdict
        good = score.add(case.id, verdict, wanted, case.data.get("acceptable", {}).get(check, ()))
        undue += not good and verdict == "unknown"
    score.line()
    assert score.false_passes == []
    if score.total:
        assert score.right >= 0.95 * score.total, score.wrong
        assert score.mean_recall >= 0.9, score.wrong
        assert undue <= 0.05 * score.total, score.wrong


@pytest.mark.parametrize("check", [c.id for c in CHECKS])
def test_places(judged: tuple[str, list[tuple[Case, dict[str, Answer]]]], check: str) -> None:
    """A primary or related place on an expected line in 95 % of the right findings."""
    _, answers = judged
    hits, missed = 0, []
    for case, answer in answers:
        wanted = case.data["expected_verdicts"].get(check)
        lines = case.data["lines"]["finding"].get(check)
        mine = answer[check]
        right = mine.verdict == wanted or mine.verdict in case.data.get("acceptable", {}).get(check, ())
        if not lines or not right or mine.verdict not in ("note", "warn", "fail"):
            continue
        if mine.lines & set(lines):
            hits += 1
        else:
            missed.append((case.id, lines, sorted(mine.lines)))
    assert hits >= 0.95 * (hits + len(missed)), missed


def test_what_may_be_waived_changes_no_verdict(
    judged: tuple[str, list[tuple[Case, dict[str, Answer]]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind a blocker that may be waived more is said: never less, and nothing else as long as it is not."""
    _, answers = judged
    every = frozenset(rule.id for check in CHECKS for rule in check.rules)
    monkeypatch.setattr(Looked, "lifted", every)
    wrong = []
    for case, answer in answers:
        for check, more in judge(case).items():
            said = {(f.rule.id, f.at) for f in answer[check].findings}
            if more.verdict != answer[check].verdict or not said <= {
                (f.rule.id, f.at) for f in more.findings
            }:
                wrong.append((case.id, check, answer[check].verdict, more.verdict))
    assert wrong == []
