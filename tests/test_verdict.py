"""From outcomes to items, verdict, exit code and headline."""

from __future__ import annotations

import pytest

from lens_preflight.core.data import replace
from lens_preflight.core.finding import Finding, Location, Rule
from lens_preflight.core.outcome import Judged, Outcome, Target
from lens_preflight.core.words import Scope, Severity, Status
from lens_preflight.registry import ITEMS
from lens_preflight.verdict import Verdict, headline, judge, sum_items

WEIGHT = {Status.FAIL: Severity.BLOCKER, Status.WARN: Severity.CAUTION}


def said(check: str, items: tuple[int, ...], status: Status, missing: str = "", waived: str = "") -> Outcome:
    findings: tuple[Judged, ...] = ()
    if status in WEIGHT:
        rule = Rule(f"{check}/rule", "made up", WEIGHT[status])
        findings = (Judged(Finding(rule, "made up", Location.variable("X")), waived=waived),)
    return Outcome(
        check, check, items, Scope.RUN, (Target(),), status, findings, missing_input=missing, decisive=True
    )


def everything(status: Status = Status.PASS) -> list[Outcome]:
    return [said(c, (n,), status) for n, line in ITEMS.items() for c in line.carriers]


def test_nine_passes_are_ready() -> None:
    items = sum_items(everything(), frozenset())
    verdict, code = judge(everything(), items, frozenset())
    assert (verdict, code) == (Verdict.READY, 0)
    assert headline(verdict, items) == "READY (9 of 9 judged)"


def test_what_is_not_judged_is_named_with_what_to_give() -> None:
    some = [o for o in everything() if o.items[0] not in (3, 8, 5)]
    some.append(said("backend-run-id", (5,), Status.SKIP, "--backend NAME=URL"))
    some.append(said("truncated-spans", (3,), Status.SKIP, "--dashboard FILE"))
    some.append(said("dashboard-panels", (8,), Status.SKIP, "--dashboard FILE"))
    items = sum_items(some, frozenset())
    line = headline(Verdict.READY, items)
    assert line.startswith("READY for what was judged (6 of 9; not judged: 3, 5, 8")
    assert line.endswith("give --dashboard FILE, --backend NAME=URL)")


def test_an_expected_item_without_its_input_cannot_be_told() -> None:
    some = [*everything()[:-1], said("rollback", (9,), Status.SKIP, "a training script")]
    expected = frozenset({9})
    items = sum_items(some, expected)
    assert items[8].status == "unknown"
    assert judge(some, items, expected) == (Verdict.CANNOT_TELL, 3)
    assert judge(some, sum_items(some, frozenset()), frozenset()) == (Verdict.READY, 0)


def test_an_item_that_does_not_apply_costs_nothing_when_expected() -> None:
    some = [o for o in everything() if o.items != (3,)]
    some.append(said("truncated-spans", (3,), Status.SKIP))
    items = sum_items(some, frozenset({3}))
    assert items[2].status == "not-judged"
    assert judge(some, items, frozenset({3}))[1] == 0


def test_one_half_of_an_item_does_not_carry_it() -> None:
    some = [o for o in everything() if o.check != "rank-decision"]
    some.append(said("rank-decision", (7,), Status.SKIP, "a training script"))
    item = sum_items(some, frozenset())[6]
    assert (item.status, item.missing_input) == ("not-judged", "a training script")


def test_a_pass_from_elsewhere_leaves_its_item_open() -> None:
    some = [o for o in everything() if o.items != (6,)]
    some.append(said("otlp-endpoint", (6,), Status.PASS, "--profile node"))
    assert sum_items(some, frozenset())[5].status == "not-judged"


@pytest.mark.parametrize(
    ("status", "fail_on", "code"),
    [
        (Status.FAIL, "unknown", 1),
        (Status.FAIL, "fail", 1),
        (Status.FAIL, "never", 0),
        (Status.UNKNOWN, "unknown", 3),
        (Status.UNKNOWN, "fail", 0),
        (Status.UNKNOWN, "never", 0),
        (Status.ERROR, "unknown", 3),
        (Status.WARN, "unknown", 0),
        (Status.WARN, "warn", 1),
    ],
)
def test_fail_on(status: Status, fail_on: str, code: int) -> None:
    some = [*everything()[1:], said("setup-once", (1,), status)]
    items = sum_items(some, frozenset())
    assert judge(some, items, frozenset(), fail_on=fail_on)[1] == code


def test_a_fail_that_says_no_more_counts() -> None:
    """A merge of very many different outcomes keeps their status alone."""
    bare = replace(said("setup-once", (1,), Status.FAIL), findings=())
    verdict, code = judge([bare, *everything()[1:]], [], frozenset())
    assert (verdict, code) == (Verdict.NOT_READY, 1)


def test_a_waived_blocker_does_not_count() -> None:
    some = [*everything()[1:], said("setup-once", (1,), Status.FAIL, waived="known")]
    assert judge(some, sum_items(some, frozenset()), frozenset())[1] == 0


def test_only_skips_is_nothing_judged() -> None:
    some = everything(Status.SKIP)
    assert judge(some, sum_items(some, frozenset()), frozenset()) == (Verdict.NOTHING_JUDGED, 4)


def test_an_incomplete_run_cannot_tell() -> None:
    some = everything()
    assert judge(some, sum_items(some, frozenset()), frozenset(), incomplete=True)[1] == 3


@pytest.mark.parametrize("seen", [Status.PASS, Status.WARN])
def test_a_warning_does_not_stand_for_an_expected_judgement(seen: Status) -> None:
    """Item 7 has two carriers; the one that needs the script was not asked."""
    some = [
        said("sampler", (7,), seen),
        said("rank-decision", (7,), Status.SKIP, missing="a training script"),
    ]
    expected = frozenset({7})
    items = sum_items(some, expected)
    assert (items[6].status, items[6].missing_input) == ("unknown", "a training script")
    assert judge(some, items, expected) == (Verdict.CANNOT_TELL, 3)
    assert judge(some, sum_items(some, frozenset()), frozenset())[0] is Verdict.READY
