"""Rules that settings name: a slip is refused, a check that is not here is not."""

from __future__ import annotations

import datetime

import pytest

from lens_preflight.core.errors import InputError
from lens_preflight.core.waiver import Waiver
from lens_preflight.core.words import Severity
from lens_preflight.registry import builtin
from lens_preflight.rule_names import refuse_unknown_rules
from lens_preflight.settings import Settings


def waiving(rule: str, status: str = "") -> Settings:
    return Settings(waivers=(Waiver(rule, "known", datetime.date.max, status, source="preflight.toml"),))


def weighing(rule: str) -> Settings:
    return Settings(severity={rule: Severity.NOTE}, source="preflight.toml")


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (waiving("shutdwon/hard-exit"), "did you mean 'shutdown'"),
        (waiving("Shutdown/*"), "did you mean 'shutdown'"),
        (waiving("rank_decision/most"), "did you mean 'rank-decision'"),
        (waiving("shutdown/hard_exit"), "did you mean 'hard-exit'"),
        (waiving("shutdown/zzz"), "known: "),
        (waiving("smapler", "unknown"), "did you mean 'sampler'"),
        (weighing("sampler/unsett"), "did you mean 'unset'"),
        (weighing("samplr/unset"), "did you mean 'sampler'"),
        (weighing("sampler/*"), "has no rule '*'"),
        (weighing("sampler"), "has no rule ''"),
    ],
)
def test_a_slip_is_refused(settings: Settings, says: str) -> None:
    with pytest.raises(InputError) as caught:
        refuse_unknown_rules(settings, builtin())
    assert says in str(caught.value)
    assert str(caught.value).startswith("preflight.toml: ")


@pytest.mark.parametrize(
    "settings",
    [
        waiving("shutdown/hard-exit"),
        waiving("shutdown/*"),
        waiving("shutdown", "unknown"),
        waiving("site-proxy/set"),
        waiving("my-shutdown/late"),
        weighing("sampler/unset"),
        weighing("site-proxy/set"),
        Settings(),
    ],
)
def test_what_is_known_or_may_come_from_a_package_is_not(settings: Settings) -> None:
    refuse_unknown_rules(settings, builtin())
