"""The runner: every ending of a check is an outcome, nothing is waited for after the deadline."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lens_preflight.core.check import Check, Run, check, stand_in
from lens_preflight.core.deadline import Deadline
from lens_preflight.core.errors import Harm, InputError, LibraryFailure, Skip, Undecided
from lens_preflight.core.finding import Assumption, Finding, Location, Proof, Rule
from lens_preflight.core.words import Need, Owner, Scope, Severity, Status
from lens_preflight.jobs.run import MAX_LAUNCHES
from lens_preflight.registry import register, select
from lens_preflight.runner import fold
from lens_preflight.settings import Settings
from tests.making import outcome, record, rules, subject

NOTE = Rule("probe-me/note", "a note", Severity.NOTE)
CAUTION = Rule("probe-me/caution", "a caution", Severity.CAUTION)
BLOCKER = Rule("probe-me/blocker", "a blocker", Severity.BLOCKER, Owner.HOST)
HERE = Location.variable("X")


def finding(rule: Rule) -> Finding:
    return Finding(rule, rule.summary, HERE, remedy="export X=1")


def made(*said: Any, **declared: Any) -> Check:
    """A check that says these things; an exception among them is raised."""

    def run(_ctx: Any) -> Iterator[Any]:
        """Say what the test wants."""
        for word in said:
            if isinstance(word, BaseException):
                raise word
            yield word

    options = {"rules": (NOTE, CAUTION, BLOCKER), "decisive": True, **declared}
    return check("probe-me", "A made-up check", **options)(run)


@pytest.mark.parametrize(
    ("said", "status", "code"),
    [
        ((), Status.UNKNOWN, 3),
        ((Proof("seen"),), Status.PASS, 0),
        ((finding(NOTE),), Status.PASS, 0),
        ((finding(CAUTION),), Status.WARN, 0),
        ((finding(NOTE), finding(BLOCKER)), Status.FAIL, 1),
        ((Undecided("opaque line"),), Status.UNKNOWN, 3),
        ((finding(CAUTION), Undecided("opaque line")), Status.UNKNOWN, 3),
        ((finding(BLOCKER), Undecided("opaque line")), Status.FAIL, 1),
        ((finding(BLOCKER), RuntimeError("bug")), Status.FAIL, 1),
        ((RuntimeError("bug"),), Status.ERROR, 3),
        ((Skip("not here"),), Status.SKIP, 4),
        ((LibraryFailure(Harm.RAISES, "ValueError", variable="X"),), Status.UNKNOWN, 3),
    ],
)
def test_each_ending_has_its_status_and_exit_code(said: tuple[Any, ...], status: Status, code: int) -> None:
    run = record([made(*said)])
    assert run.results[0].status is status
    assert run.exit_code == code


def test_a_crash_names_its_kind_and_place_but_not_its_message() -> None:
    reason = outcome(made(RuntimeError("token=hunter2"))).reason
    assert "RuntimeError" in reason
    assert "hunter2" not in reason


def test_a_check_that_calls_exit_is_an_error_at_once() -> None:
    result = outcome(made(SystemExit(0)))
    assert result.status is Status.ERROR
    assert "SystemExit" in result.reason


def test_an_undeclared_rule_is_that_checks_error() -> None:
    foreign = Rule("other/rule", "not mine", Severity.NOTE)
    result = outcome(made(finding(foreign)))
    assert result.status is Status.ERROR
    assert "other/rule" in result.reason


def test_a_missing_library_is_a_skip_with_the_line_to_type() -> None:
    result = outcome(made(ModuleNotFoundError("No module named 'yaml'", name="yaml")))
    assert result.status is Status.SKIP
    assert result.missing_input == "python3 -m pip install --user PyYAML"
    assert outcome(made(ModuleNotFoundError("x", name="lens_preflight.oops"))).status is Status.ERROR


def test_a_plain_function_without_findings_passes() -> None:
    run: Run = lambda _ctx: None  # type: ignore[assignment, return-value]  # noqa: E731
    assert outcome(check("plain", "Plain")(run)).status is Status.PASS


def test_non_decisive_trouble_costs_nothing() -> None:
    assert record([made(Proof("fine")), quiet(Undecided("no idea"))]).exit_code == 0


def quiet(*said: Any) -> Check:
    original = made(*said, decisive=False, rules=())
    return check("quiet", "Not decisive")(original.run)


def test_a_stuck_check_is_an_error_when_the_deadline_is_reached() -> None:
    release = threading.Event()

    def run(_ctx: Any) -> Iterator[Any]:
        release.wait(60)
        yield Proof("too late")

    stuck = check("stuck", "Never returns", decisive=True)(run)
    try:
        run_record = record([stuck, made(Proof("in time"))], deadline=Deadline.after(0.3))
    finally:
        release.set()
    by_id = {r.check: r for r in run_record.results}
    assert by_id["stuck"].status is Status.ERROR
    assert by_id["probe-me"].status is Status.PASS
    assert run_record.exit_code == 3
    assert run_record.incomplete


def test_settings_change_the_weight_of_a_rule_and_say_so() -> None:
    severity = {"probe-me/blocker": Severity.NOTE, "probe-me/caution": None}
    what = subject(settings=Settings(severity=severity, source="preflight.toml"))
    run_record = record([made(finding(BLOCKER), finding(CAUTION), Proof("the rest"))], what)
    assert run_record.results[0].status is Status.PASS
    assert rules(run_record.results[0]) == ["blocker"]
    assert Assumption("severity of probe-me/caution", "off", "preflight.toml") in run_record.assumptions


@pytest.mark.parametrize("severity", [Severity.NOTE, Severity.CAUTION, None])
@pytest.mark.parametrize(("rest", "code"), [((), 3), ((Proof("the rest"),), 0), ((Undecided("opaque"),), 3)])
def test_a_blocker_that_weighs_less_is_no_proof_of_the_rest(
    severity: Severity | None, rest: tuple[Any, ...], code: int
) -> None:
    what = subject(settings=Settings(severity={"probe-me/blocker": severity}, source="preflight.toml"))
    assert record([made(finding(BLOCKER), *rest)], what).exit_code == code


def test_missing_needs_skip_with_what_to_give() -> None:
    result = outcome(made(Proof("x"), needs=(Need.DASHBOARDS,)))
    assert result.status is Status.SKIP
    assert result.missing_input == "--dashboard FILE"
    either = outcome(made(Proof("x"), any_of=(Need.RULES, Need.COLLECTOR)))
    assert either.missing_input == "--rules FILE"
    assert "no rules file, no collector configuration was given" in either.reason


def test_the_same_said_of_several_targets_is_said_once() -> None:
    what = subject({"NEMO_LENS_ENABLED": "1"})
    (result,) = record([made(finding(CAUTION), scope=Scope.SIGNAL)], what).results
    assert [t.key for t in result.targets] == ["metrics", "traces"]
    assert [t.key for t in result.findings[0].targets] == ["metrics", "traces"]


def test_two_checks_of_one_name_stop_the_run() -> None:
    with pytest.raises(InputError, match="probe-me"):
        register([made(), made()])


def returning(value: Any, **declared: Any) -> Check:
    def run(_ctx: Any) -> Any:
        """Return instead of yielding."""
        return value

    return check("probe-me", "A made-up check", **{"rules": (BLOCKER,), **declared})(run)


@pytest.mark.parametrize("value", [False, True, 0, "bad", b"bad", {"a": 1}, finding(BLOCKER), BLOCKER])
def test_a_check_returns_nothing_or_what_it_says(value: object) -> None:
    run = record([returning(value)])
    assert run.results[0].status is Status.ERROR
    assert run.exit_code == 3  # though it is not decisive: what it meant may have been a blocker
    assert "yield Finding" in run.results[0].reason


@pytest.mark.parametrize("value", [None, (), [], iter(()), [finding(NOTE)], (Proof("seen"),)])
def test_a_returned_list_is_as_good_as_a_generator(value: object) -> None:
    assert outcome(returning(value, rules=(NOTE,))).status is Status.PASS


@pytest.mark.parametrize("word", ["bad", None, False, BLOCKER, [finding(BLOCKER)], made().run(None)])
def test_what_a_check_says_is_one_of_three_kinds(word: object) -> None:
    run = record([made(word, Proof("ok"), decisive=False)])
    assert (run.results[0].status, run.exit_code) == (Status.ERROR, 3)


def test_an_undeclared_blocker_of_a_check_that_is_not_decisive_is_no_green_run() -> None:
    run = record([made(finding(BLOCKER), rules=(NOTE,), decisive=False)])
    assert (run.results[0].status, run.exit_code) == (Status.ERROR, 3)
    assert "does not declare: probe-me/blocker" in run.results[0].reason


def test_a_blocker_said_before_something_odd_is_kept() -> None:
    said = outcome(made(finding(BLOCKER), "bad"))
    assert said.status is Status.FAIL
    assert "not a Finding" in said.reason


@pytest.mark.parametrize(
    "error",
    [
        asyncio.CancelledError("canary-secret"),
        KeyboardInterrupt("canary-secret"),
        GeneratorExit("canary-secret"),
        SystemExit("canary-secret"),
        ModuleNotFoundError("canary-secret", name=5),  # type: ignore[arg-type]
        Undecided(None),  # type: ignore[arg-type]
        Undecided("r", "train.py:3"),  # type: ignore[arg-type]
        Skip(None),  # type: ignore[arg-type]
    ],
)
def test_whatever_is_raised_is_an_error_at_once_and_says_no_value(
    error: BaseException, capfd: pytest.CaptureFixture[str]
) -> None:
    run = record([made(error)])
    assert (run.results[0].status, run.exit_code) == (Status.ERROR, 3)
    assert not run.incomplete
    assert "canary" not in run.results[0].reason
    assert capfd.readouterr().err == ""


def test_a_check_that_never_stops_talking_is_an_error() -> None:
    assert "more than" in outcome(returning(itertools.repeat(Proof("x")))).reason


def test_a_misdeclared_check_is_an_error_of_its_own() -> None:
    foreign = Rule("other/rule", "not mine", Severity.NOTE)
    run = record([made(rules=(foreign,))])
    assert (run.results[0].check, run.results[0].status, run.exit_code) == ("probe-me", Status.ERROR, 3)
    assert "probe-me/" in run.results[0].reason


def test_two_checks_of_one_id_stop_the_run_and_one_that_comes_twice_does_not() -> None:
    one = made(Proof("seen"))
    assert register([one, one]) == (one,)
    with pytest.raises(InputError, match="two checks are called 'probe-me'"):
        register([one, made()])


def test_what_could_not_be_loaded_stays_in_every_selection() -> None:
    known = register([made(), stand_in("plugin:acme[x]", "acme cannot be loaded")])
    assert [c.id for c in select(known, ["probe-me"], [])] == ["probe-me", "plugin:acme[x]"]
    assert [c.id for c in select(known, [], ["plugin:acme[x]"])] == ["probe-me"]
    with pytest.raises(InputError, match="acme cannot be loaded"):
        select(known, ["acme-check"], [])


def test_a_missing_library_for_a_file_that_was_named_is_unknown(tmp_path: Path) -> None:
    """Whoever names a dashboard expects it to be judged."""
    error = ModuleNotFoundError("No module named 'promql_parser'", name="promql_parser")
    (tmp_path / "d.json").write_text('{"panels": []}')
    needing = made(error, needs=(Need.DASHBOARDS,))
    run = record([needing], subject(dashboards=(str(tmp_path / "d.json"),)))
    assert (run.results[0].status, run.exit_code) == (Status.UNKNOWN, 3)
    assert run.results[0].missing_input == "python3 -m pip install --user promql-parser"


def test_outcomes_fold_only_when_they_ask_for_the_same() -> None:
    one = outcome(made(Skip("not here", missing_input="--map IN=OUT")))
    other = outcome(made(Skip("not here")))
    assert len(fold([one, one], [])) == 1
    assert [o.missing_input for o in fold([one, other], [])] == ["--map IN=OUT", ""]


def test_a_job_of_which_a_part_is_read_is_not_judged_by_that_part(tmp_path: Path) -> None:
    """The launches that were read pass; what stands behind them may be anything."""
    script = tmp_path / "job.sh"
    script.write_text("#!/bin/bash\n" + "python train.py\n" * (MAX_LAUNCHES + 2))
    run = record([made(Proof("fine"), scope=Scope.LAUNCH)], subject(targets=(str(script),)))
    found = {o.status: o for o in run.results}
    assert set(found) == {Status.PASS, Status.UNKNOWN} and run.exit_code == 3
    assert "only a part of" in found[Status.UNKNOWN].reason
    assert [t.key for t in found[Status.UNKNOWN].targets] == [str(script)]


@pytest.mark.parametrize("text", ["#!/bin/bash\nsleep 1\n", "#!/bin/tcsh\nsrun python train.py\n"])
def test_a_job_that_is_not_read_does_not_go_under_in_another(tmp_path: Path, text: str) -> None:
    good, other = tmp_path / "good.sh", tmp_path / "other.sh"
    good.write_text("#!/bin/bash\npython train.py\n")
    other.write_text(text)
    run = record([made(Proof("fine"), scope=Scope.LAUNCH)], subject(targets=(str(good), str(other))))
    assert [(o.status, o.targets[0].key) for o in run.results if o.status is not Status.PASS] == [
        (Status.UNKNOWN, str(other))
    ]
    assert run.exit_code == 3
