"""Waivers weigh nothing by themselves, end on their day, and stay visible."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lens_preflight.baseline import baseline_text, read_baseline
from lens_preflight.core.accepted import Accepted
from lens_preflight.core.check import Check, check
from lens_preflight.core.data import replace
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


@pytest.mark.parametrize(
    ("ending", "status", "code"),
    [
        (Undecided("opaque", Location.file("bad.py", 9)), Status.UNKNOWN, 3),
        (RuntimeError("bug"), Status.ERROR, 3),
        (Skip("not here"), Status.SKIP, 4),
        (Proof("the rest"), Status.WARN, 0),
    ],
)
def test_a_waived_blocker_leaves_what_is_beneath_it(
    tmp_path: Path, ending: Any, status: Status, code: int
) -> None:
    for settings, more in (
        (waive(tmp_path, table()), {}),
        (Settings(), {"baseline": Accepted({findings(RULE)[0].fingerprint: 1}, "known")}),
    ):
        assert judged(Settings(), *findings(RULE), ending).exit_code == 1
        run = judged(settings, *findings(RULE), ending, **more)
        assert (run.results[0].status, run.exit_code) == (status, code)
        assert run.results[0].findings[0].waived == "known"


def test_what_is_beneath_can_be_waived_by_its_own_place_and_an_error_cannot(tmp_path: Path) -> None:
    opaque = Undecided("opaque", Location.file("bad.py", 9))
    both = table() + table("made-up", status="unknown", path="bad.py")
    elsewhere = table() + table("made-up", status="unknown", path="worse.py")
    assert judged(waive(tmp_path, both), *findings(RULE), opaque).exit_code == 0
    run = judged(waive(tmp_path, elsewhere), *findings(RULE), opaque)
    assert (run.exit_code, notes(run)) == (3, ["unused"])
    assert judged(waive(tmp_path, both), *findings(RULE), RuntimeError("bug")).exit_code == 3
    run = judged(waive(tmp_path, table("made-up", status="unknown")), *findings(RULE), opaque)
    assert (run.exit_code, notes(run)) == (1, [])


def test_a_waiver_under_one_generation_does_not_hide_another(tmp_path: Path) -> None:
    """Several generations may be meant; the worst counts, and of equals the first one is shown."""

    def run(ctx: Any) -> Iterator[Any]:
        yield findings(RULE if str(ctx.generation) == "0.1" else OTHER)[0]

    one = check("made-up", "Made up", rules=(RULE, OTHER), items=(1,), decisive=True)(run)
    for text, code in ((table(), 1), (table("made-up/worse"), 1), (table("made-up/*"), 0)):
        what = subject(settings=waive(tmp_path, text))
        assert len(what.generations(None)) > 1
        assert record([one], what, started=NOW.timestamp()).exit_code == code


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


def test_a_waiver_of_a_check_that_is_not_here_says_so(tmp_path: Path) -> None:
    """Its package may not be installed on this host; that is no mistake of the settings."""
    run = judged(waive(tmp_path, table("site-rule/bad")), *findings(RULE))
    assert (run.exit_code, notes(run)) == (1, ["unused"])
    (note,) = [j.finding for o in run.results if o.check == "waivers" for j in o.findings]
    assert "no check of this run is called site-rule" in note.message
    assert notes(judged(waive(tmp_path, table("shutdown/gap")), *findings(RULE))) == []


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
        (table(path=""), "path is empty"),
        (table(variable=" "), "variable is empty"),
        (table(panel=""), "panel is empty"),
        (table(launch=""), "launch is empty"),
        (table(" made-up/*"), 'write rule = "made-up/*"'),
        (table("made-up/bad").replace(LATER.isoformat(), "20270131"), "until = 20270131 is no day"),
        (table("made-up/bad").replace(LATER.isoformat(), '"20270131"'), "is no day"),
        (table("made-up/bad").replace(LATER.isoformat(), '"2027-W05-1"'), "is no day"),
        (table("made-up/bad").replace(LATER.isoformat(), '"2027-02-31"'), "is no day"),
        (table("made-up/bad").replace(LATER.isoformat(), "2027-01-31T00:00:00Z"), "is no day"),
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


def at_lines(*lines: int) -> tuple[Finding, ...]:
    return tuple(Finding(RULE, RULE.summary, Location.file("bad.py", line), remedy="x") for line in lines)


def test_a_baseline_accepts_as_many_places_as_there_were(tmp_path: Path) -> None:
    """The fingerprint has no line, so that edits above do not matter; one more place is a new finding."""
    file = tmp_path / "baseline.json"
    file.write_text(baseline_text(at_lines(3, 9)))
    accepted = read_baseline(str(file))
    assert judged(Settings(), *at_lines(3, 9), baseline=accepted).exit_code == 0
    assert judged(Settings(), *at_lines(13), baseline=accepted).exit_code == 0
    run = judged(Settings(), *at_lines(3, 9, 40), baseline=accepted)
    assert run.exit_code == 1
    assert [j.finding.at.line for j in run.results[0].findings if not j.waived] == [40]


def test_a_baseline_from_before_there_were_counts_accepts_one_place(tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"
    document = json.loads(baseline_text(at_lines(3)))
    file.write_text(json.dumps({**document, "findings": [{k: v for k, v in e.items() if k != "count"}
                                                         for e in document["findings"]]}))  # fmt: skip
    accepted = read_baseline(str(file))
    assert judged(Settings(), *at_lines(3), baseline=accepted).exit_code == 0
    assert judged(Settings(), *at_lines(3, 9), baseline=accepted).exit_code == 1


@pytest.mark.parametrize("count", ["0", "-1", "true", '"2"', "1.5", "null"])
def test_a_count_that_is_none_is_refused(tmp_path: Path, count: str) -> None:
    file = tmp_path / "baseline.json"
    file.write_text(baseline_text(at_lines(3)).replace('"count": 1', f'"count": {count}'))
    with pytest.raises(InputError, match="count"):
        read_baseline(str(file))


def test_a_place_that_a_waiver_covers_takes_none_of_the_baseline(tmp_path: Path) -> None:
    accepted = Accepted({at_lines(3)[0].fingerprint: 1}, "accepted")
    other = Finding(RULE, RULE.summary, Location.file("other.py", 3), remedy="x")
    settings = replace(waive(tmp_path, table(path="other.py")), source="")
    assert judged(settings, *at_lines(3), other, baseline=accepted).exit_code == 0


@pytest.mark.parametrize("typed", ["bad.py", "./bad.py", "sub/../bad.py", "{folder}/bad.py"])
def test_a_file_has_one_name_however_it_was_typed(tmp_path: Path, typed: str) -> None:
    """Seen from the folder of the settings, for waivers and for the baseline."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "bad.py").touch()
    settings = waive(tmp_path, table("made-up/worse"))
    name = typed if "{" in typed else f"{tmp_path}/{typed}"
    said = Finding(
        RULE, f"bad in {name.format(folder=tmp_path)}", Location.file(name.format(folder=tmp_path))
    )
    plain = Finding(RULE, "bad in bad.py", Location.file("bad.py"))
    accepted = Accepted({plain.fingerprint: 1}, "accepted")
    assert judged(settings, said, baseline=accepted).exit_code == 0
    assert judged(waive(tmp_path, table(path="bad.py")), said).exit_code == 0
    assert judged(waive(tmp_path, table(path=f"{tmp_path}/*.py")), said).exit_code == 0
    assert judged(waive(tmp_path, table(path="sub/bad.py")), said).exit_code == 1
    assert judged(waive(tmp_path / "sub", table(path="bad.py")), said).exit_code == 1
    assert judged(waive(tmp_path / "sub", table(path="../bad.py")), said).exit_code == 0


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
