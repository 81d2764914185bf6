"""Pages of checks are what the checks say, and every rule has something to say."""

from __future__ import annotations

import pytest

from lens_preflight.core.check import Check
from lens_preflight.core.words import Severity
from lens_preflight.pages import page
from lens_preflight.registry import ITEMS, builtin, register
from tests.docs_pages import drift

CHECKS = register(builtin())


def test_pages_are_up_to_date() -> None:
    assert not drift(), "type: make docs"


@pytest.mark.parametrize("check", CHECKS, ids=lambda c: c.id)
def test_a_check_explains_itself(check: Check) -> None:
    assert len(check.about) > 200, "the docstring is the page: what, why, how it judges"
    assert not check.title.endswith(".")
    assert check.rules
    for rule in check.rules:
        assert rule.summary
        assert not rule.summary.endswith(".")
        assert f'<a id="{rule.name}"></a>' in page(check)
        if rule.severity is not Severity.NOTE:
            assert rule.help, f"{rule.id} says neither why nor what to type"


def test_rules_have_stable_ids() -> None:
    ids = [rule.id for check in CHECKS for rule in check.rules]
    assert len(ids) == len(set(ids))
    assert all(i == i.lower() and " " not in i for i in ids)


def test_carriers_of_items_are_decisive_checks() -> None:
    by_id = {check.id: check for check in CHECKS}
    for n, line in ITEMS.items():
        for carrier in line.carriers:
            if carrier in by_id:
                assert n in by_id[carrier].items
                assert by_id[carrier].decisive
