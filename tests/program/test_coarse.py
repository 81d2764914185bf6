"""A program with too many paths is read again with paths joined early: a verdict, and no false pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.shutdown import shutdown
from lens_preflight.program import machine
from tests.corpus import Score, corpus_root
from tests.program.judge import CHECKS, Answer, cases, judge
from tests.program.scripts import asked

NESTED = """\
import lib
from nemo.lens import NemoLensConfig, setup_telemetry

def main():
    handle = setup_telemetry(NemoLensConfig.from_env())
    try:
        while lib.more():
            for batch in lib.batches():
                if lib.skip(batch):
                    continue
                while lib.retry():
                    for part in lib.parts(batch):
                        try:
                            if lib.a(part):
                                x = lib.b(part)
                            elif lib.c():
                                break
                        except ValueError:
                            if lib.d():
                                raise
                        finally:
                            lib.e()
                        while lib.f():
                            if lib.g():
                                INSIDE
                            y = lib.h()
    LAST
        CLOSE

main()
"""


def program(inside: str = "return 3", last: str = "finally:", close: str = "handle.shutdown()") -> str:
    return NESTED.replace("INSIDE", inside).replace("LAST", last).replace("CLOSE", close)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (program(), "pass"),
        (program(last="except KeyError:"), "fail"),
        (program(inside="handle = None", close="if handle: handle.shutdown()"), "fail"),
        (program(inside="import os; os._exit(1)"), "fail"),
    ],
)
def test_nested_loops_get_a_verdict(tmp_path: Path, text: str, verdict: str) -> None:
    answer = asked(tmp_path, shutdown, text)
    assert answer.verdict == verdict, answer.reason


@pytest.mark.parametrize("folder", ["program", "program-own"])
def test_no_false_pass_when_every_program_is_read_coarsely(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The corpora, with so little patience that paths are joined from the start."""
    monkeypatch.setattr(machine, "FINE_STEPS", 0)
    scores = {check.id: Score(f"{folder}, coarse/{check.id}") for check in CHECKS}
    for case in cases(corpus_root() / folder):
        answers: dict[str, Answer] = judge(case)
        for check, wanted in case.data["expected_verdicts"].items():
            acceptable = case.data.get("acceptable", {}).get(check, ())
            scores[check].add(case.id, answers[check].verdict, wanted, acceptable)
    assert {check: score.false_passes for check, score in scores.items() if score.false_passes} == {}
    assert all(score.right >= 0.95 * score.total for score in scores.values())


STACKED = """\
import trainlib
from contextlib import ExitStack
from nemo.lens import NemoLensConfig, setup_telemetry

def main():
    with ExitStack() as stack:
        handle = setup_telemetry(NemoLensConfig.from_env())
        FIRST
        trainlib.train()

main()
"""


@pytest.mark.parametrize(
    ("first", "verdict"),
    [
        ("stack.callback(handle.shutdown)", "pass"),
        ("if trainlib.ready(): stack.callback(handle.shutdown)", "fail"),
        ("stack.callback(handle.shutdown if trainlib.ready() else print)", "fail"),
    ],
)
def test_what_a_stack_may_hold_is_not_what_it_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str, verdict: str
) -> None:
    monkeypatch.setattr(machine, "FINE_STEPS", 0)
    answer = asked(tmp_path, shutdown, STACKED.replace("FIRST", first))
    assert answer.verdict == verdict, answer.reason
