"""Small programs in ``samples``, each with what a check says of it; one process unless it says ``world 8``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from lens_preflight.core.world import World
from tests.program.judge import CHECKS
from tests.program.scripts import asked, rules

FOLDER = Path(__file__).parent / "samples"
HEAD = (FOLDER / "head.txt").read_text()
BY_ID = {check.id: check for check in CHECKS}


def samples() -> Iterator[tuple[str, str, str, str]]:
    """(name, check, what it says, program): a line ``#### name | check | verdict rule ...`` begins each."""
    for path in sorted(FOLDER.glob("*.txt")):
        for part in re.split(r"(?m)^#### ", path.read_text())[1:]:
            head, _, body = part.partition("\n")
            name, check, wanted = (word.strip() for word in head.split("|"))
            yield f"{path.stem}: {name}", check, wanted, body


SAMPLES = list(samples())


@pytest.mark.parametrize(("name", "check", "wanted", "body"), SAMPLES, ids=[s[0] for s in SAMPLES])
def test_what_a_check_says_of_a_sample(name: str, check: str, wanted: str, body: str, tmp_path: Path) -> None:
    world = World(8, 4) if "world 8" in name else World(1, 1)
    answer = asked(tmp_path, BY_ID[check], HEAD + body, world=world)
    verdict, *named = wanted.split()
    assert answer.verdict == verdict, (rules(answer), answer.reason)
    assert set(named) <= set(rules(answer))
    assert verdict != "pass" or rules(answer) == []
