"""The gate through which a check and its words come in: whole ones pass, odd ones are named by kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lens_preflight.core.check import Check
from lens_preflight.core.data import replace
from lens_preflight.core.finding import Assumption, Finding, Location, Place, Proof, Related, Rule
from lens_preflight.core.wellformed import declaration_fault, ending_fault, saying_fault
from lens_preflight.core.words import Need, Scope, Severity
from lens_preflight.registry import builtin

RULE = Rule("site-x/bad", "bad", Severity.BLOCKER)
HERE = Location.file("a.py", 1, 2, 3)


def nothing(_ctx: Any) -> tuple[()]:
    return ()


def declared(**changes: Any) -> Check:
    given = {"items": (4,), "scope": Scope.LAUNCH, "needs": (Need.SCRIPT,), "rules": (RULE,), **changes}
    return Check(given.pop("id", "site-x"), given.pop("title", "X"), given.pop("run", nothing), **given)


@pytest.mark.parametrize("check", builtin(), ids=lambda check: str(check.id))
def test_our_own_are_well_formed(check: Check) -> None:
    assert declaration_fault(check) == ""


def test_a_plain_declaration_is_well_formed() -> None:
    assert declaration_fault(declared()) == ""
    assert declaration_fault(declared(id="SITE_x.2", rules=())) == ""


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"id": ""}, "the id"),
        ({"id": 5}, "the id"),
        ({"id": "a/b\n::error::x"}, "the id"),
        ({"id": "waivers", "rules": ()}, "taken"),
        ({"title": None}, "title"),
        ({"run": None}, "run is None"),
        ({"items": 4}, "items"),
        ({"items": (99,)}, "items"),
        ({"items": (True,)}, "items"),
        ({"scope": "launch"}, "scope is of type str"),
        ({"needs": Need.SCRIPT}, "needs"),
        ({"rules": [RULE]}, "rules"),
        ({"rules": RULE}, "rules"),
        ({"rules": ("x",)}, "rules"),
        ({"rules": (replace(RULE, severity="blocker"),)}, "severity"),  # type: ignore[arg-type]
        ({"rules": (replace(RULE, owner=None),)}, "owner"),  # type: ignore[arg-type]
        ({"rules": (replace(RULE, id="other/bad"),)}, "site-x/"),
        ({"rules": (replace(RULE, id="site-x"),)}, "site-x/"),
        ({"decisive": "yes"}, "decisive"),
    ],
)
def test_a_misdeclared_check_is_named(changes: dict[str, Any], says: str) -> None:
    assert says in declaration_fault(declared(**changes))


def finding(**changes: Any) -> Finding:
    given = {"rule": RULE, "message": "m", "at": HERE, **changes}
    return Finding(**given)


@pytest.mark.parametrize(
    "said",
    [
        finding(),
        finding(related=(Related("see", HERE),), evidence={"n": "3"}, settings=(("A", "1"), ("B", None))),
        finding(at=Location.variable("X")),
        Proof("seen", {"n": "3"}, "--endpoint URL"),
        Assumption("what", "value", "why"),
    ],
)
def test_a_whole_word_passes(said: object) -> None:
    assert saying_fault(said) == ""


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ("secret", "of type str"),
        (None, "None"),
        (finding(rule="site-x/bad"), "Finding.rule"),
        (finding(message=None), "Finding.message"),
        (finding(at=None), "Finding.at is None"),
        (finding(at="train.py:3"), "Finding.at is of type str"),
        (finding(at=Location.file(Path("a"))), "what"),  # type: ignore[arg-type]
        (finding(at=Location("file", "a")), "kind"),  # type: ignore[arg-type]
        (finding(at=Location(Place.FILE, "a", "12")), "numbers"),  # type: ignore[arg-type]
        (finding(at=Location.file("a", -3)), "numbers"),
        (finding(at=Location.file("a", 0)), "numbers"),
        (finding(related=[Related("see", HERE)]), "related"),
        (finding(related=(Related("see", "a:1"),)), "Related.at"),  # type: ignore[arg-type]
        (finding(evidence={"n": 3}), "evidence"),
        (finding(evidence=None), "evidence"),
        (finding(remedy=None), "remedy"),
        (finding(settings=(("A",),)), "settings"),
        (Proof(None), "Proof.text"),  # type: ignore[arg-type]
        (Proof("x", None), "Proof.evidence"),  # type: ignore[arg-type]
        (Assumption("what", 3, "why"), "Assumption.value"),  # type: ignore[arg-type]
    ],
)
def test_an_odd_word_is_named_by_kind(said: object, says: str) -> None:
    fault = saying_fault(said)
    assert says in fault
    assert "secret" not in fault


def test_an_ending_is_a_reason_and_a_place() -> None:
    assert ending_fault("why", HERE, "--map IN=OUT") == ending_fault("", None, "") == ""
    assert ending_fault(None, None, "") and ending_fault("why", "a:1", "") and ending_fault("why", None, None)
