"""The edits of ``tests/checks/test_collector_config.py`` under a real collector."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.checks.test_collector_config import CARE, STARTS
from tests.collector.configs import GOOD, edited
from tests.live.test_stack_collector_configs import starts

pytestmark = pytest.mark.live


def spread(text: str) -> str:
    """The paths in lines of their own, where the test's folder can be put before them."""
    text = re.sub(r"\{directory: /?([^}]*)\}", r"\n    directory: /\1\n", text)
    return re.sub(r"\{ca_file: ([^}]*)\}", r"\n      ca_file: \1\n", text)


def test_the_good_configuration_starts(tmp_path: Path) -> None:
    up, log = starts(spread(GOOD), tmp_path)
    assert up, log


@pytest.mark.parametrize(("old", "new", "rule", "marker"), STARTS)
def test_what_is_said_not_to_start_does_not(
    tmp_path: Path, old: str, new: str, rule: str, marker: str
) -> None:
    up, log = starts(spread(edited(old, new)), tmp_path)
    assert not up, f"{rule} at {marker}: {log}"


@pytest.mark.parametrize(("old", "new", "rule", "marker"), CARE)
def test_what_only_warns_starts(tmp_path: Path, old: str, new: str, rule: str, marker: str) -> None:
    up, log = starts(spread(edited(old, new)), tmp_path)
    assert up, f"{rule} at {marker}: {log}"
