"""Waivers weigh nothing by themselves, end on their day, and stay visible."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lens_preflight.baseline import baseline_text, read_baseline
from lens_preflight.core.check import Check, check
from lens_preflight.core.errors import InputError, Skip, Undecided
from lens_preflight.core.finding import Finding, Location, Proof, Rule
from lens_preflight.core.outcome import RunRecord
from lens_preflight.core.words import Severity, Status
from lens_preflight.settings import Settings, load
from tests.making import record, subject

RULE = Rule("made-up/bad", "bad", Severity.BLOCKER)
OTHER = Rule("made-up/worse", "worse", Severity.BLOCKER)
NOW = datetime.datetime(2026, 5, 17, 23, 59, 59, tzinfo=datetime.timezone.utc)
TODAY = NOW.date()
LATER = TODAY + datetime.timedelta(days=90)


def findings(*rules: Rule) -> tuple[Finding, ...]:
    return tuple(
        Finding(rule, rule.summary, Location.file(f"{rule.name}.py", 3), remedy="x") for rule in rules
    )


def made(*said: Any) -> Check:
    def run(_ctx: Any) -> Iterator[Any]:
        for word in said:
            if isinstance(word, Exception):
                raise word
            yield word

    return check("made-up", "Made up", rules=(RULE, OTHER), items=(1,), decisive=True)(run)


def waive(folder: Path, text: str) -> Settings:
    file = folder / "preflight.toml"
    file.write_text(text)
    return load(file)


def table(rule: str = "made-up/bad", until: datetime.date = LATER, **more: str) -> str:
    extra = "".join(f'{key} = "{value}"\n' for key, value in more.items())
    return f'[[waive]]\nrule = "{rule}"\nreason = "known"\nuntil = {until.isoformat()}\n{extra}'


def judged(settings: Settings, *said: Any, **more: Any) -> RunRecord:
    inputs = subject(settings=settings, **more)
    return record([made(*said)], inputs, started=NOW.timestamp())


def notes(run: RunRecord) -> list[str]:
    return [j.finding.rule.name for o in run.results if o.check == "waivers" for j in o.findings]


def test_a_waived_blocker_stays_visible_and_costs_nothing(tmp_path: Path) -> None:
    run = judged(waive(tmp_path, table()), *findings(RULE))
    assert run.exit_code == 0
    assert run.results[0].status is Status.WARN
    assert run.results[0].findings[0].waived == "known"
    assert run.counts["waived"] == 1
    assert not notes(run)


def test_another_rule_of_the_same_check_still_fails(tmp_path: Path) -> None:
    assert judged(waive(tmp_path, table()), *findings(RULE, OTHER)).exit_code == 1
    assert judged(waive(tmp_path, table("made-up/*")), *findings(RULE, OTHER)).exit_code == 0


@pytest.mark.parametrize(
    ("globs", "code"),
    [
        ({"path": "bad.*"}, 0),
        ({"path": "other.py"}, 1),
        ({"path": "bad.py", "variable": "X"}, 1),
        ({"launch": "environ*"}, 1),
        ({"panel": "*"}, 1),
    ],
)
def test_all_given_globs_must_match(tmp_path: Path, globs: dict[str, str], code: int) -> None:
    settings = waive(tmp_path, table("made-up/bad", LATER, **globs))
    assert judged(settings, *findings(RULE)).exit_code == code


def test_an_expired_waiver_counts_again_with_a_note(tmp_path: Path) -> None:
    past = waive(tmp_path, table(until=TODAY - datetime.timedelta(days=1)))
    run = judged(past, *findings(RULE))
    assert run.exit_code == 1
    assert notes(run) == ["expired"]


def test_the_last_day_counts_and_is_announced(tmp_path: Path) -> None:
    run = judged(waive(tmp_path, table(until=TODAY)), *findings(RULE))
    assert run.exit_code == 0
    assert notes(run) == ["expires-soon"]


def test_an_unused_waiver_is_a_note(tmp_path: Path) -> None:
    run = judged(waive(tmp_path, table("made-up/worse")), *findings(RULE))
    assert (run.exit_code, notes(run)) == (1, ["unused"])


def test_not_knowing_can_be_waived_and_a_crash_cannot(tmp_path: Path) -> None:
    settings = waive(tmp_path, table("made-up", status="unknown"))
    assert judged(settings, Undecided("opaque")).exit_code == 0
    assert judged(settings, RuntimeError("bug")).exit_code == 3


def test_an_expected_item_is_met_when_all_that_carries_it_is_there_and_known_or_waived(
    tmp_path: Path,
) -> None:
    """A waiver is for what it names: not for the other check of the item, and not for one that is not run."""
    expected = waive(tmp_path, table("rank-decision", status="unknown"))
    ranks, sampler = (
        check(name, "Made up", items=(7,), decisive=False)(made(*said).run)
        for name, said in (("rank-decision", [Undecided("opaque")]), ("sampler", [Undecided("opaque")]))
    )
    decided = check("sampler", "Made up", items=(7,))(made(Proof("chosen")).run)
    codes = [
        record(checks, subject(settings=expected, expect=frozenset({7})), started=NOW.timestamp()).exit_code
        for checks in ([ranks], [ranks, sampler], [ranks, decided])
    ]
    assert codes == [3, 3, 0]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (table("*"), "must name a check"),
        (table("*/*"), "must name a check"),
        (table("made-up"), "made-up/*"),
        (table("made-up/b*"), "only a whole name"),
        (table(status="error"), "errors cannot"),
        (table("made-up/bad", status="unknown"), "id of a check"),
        (table(pth="x"), "did you mean 'path'"),
        ('[[waive]]\nrule = "made-up/bad"\nuntil = 2030-01-01', "a reason is missing"),
        ('[[waive]]\nrule = "made-up/bad"\nreason = "x"', "until"),
        ('[[waive]]\nrule = "made-up/bad"\nreason = "x"\nuntil = "soon"', "until"),
        ("waive = 3", "[[waive]]"),
    ],
)
def test_mistakes_are_refused(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        waive(tmp_path, text)
    assert says in str(caught.value)


def test_a_baseline_accepts_what_it_lists_and_nothing_new(tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"
    file.write_text(baseline_text(findings(RULE)))
    accepted = read_baseline(str(file))
    assert judged(Settings(), *findings(RULE), baseline=accepted).exit_code == 0
    assert judged(Settings(), *findings(RULE, OTHER), baseline=accepted).exit_code == 1


@pytest.mark.parametrize("text", ["", "[]", '{"schema": "other"}', "[" * 100_000])
def test_what_is_no_baseline_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "baseline.json"
    file.write_text(text)
    with pytest.raises(InputError):
        read_baseline(str(file))


def test_a_note_about_a_waiver_is_no_judgement(tmp_path: Path) -> None:
    run = judged(waive(tmp_path, table(until=TODAY - datetime.timedelta(days=1))), Skip("does not apply"))
    assert notes(run) == ["expired"]
    assert (run.verdict, run.exit_code) == ("nothing-judged", 4)
