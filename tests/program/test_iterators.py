"""Loops over objects of the tree that say themselves what they give."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.setup_once import setup_once
from lens_preflight.checks.shutdown import shutdown
from tests.program.scripts import HEAD, RANKED, asked

SETUP = RANKED.replace("handle = ", "self.handle = ").strip()
DRIVER = f"""
class Steps:
    def __iter__(self):
        {SETUP}
        self.i = 0
        return self
    def __next__(self):
        if self.i == LAST:
            self.handle.shutdown()
            raise StopIteration
        self.i += 1
        return self.i
for step in Steps():
    BODY
"""
GENERATOR = f"""
class Steps:
    def __iter__(self):
        {SETUP}
        try:
            for i in range(3):
                yield i
        finally:
            self.handle.shutdown()
for step in Steps():
    trainlib.train_step(step)
"""
LOADER = """
class Loader:
    def __iter__(self):
        for i in range(3):
            yield i
class Names:
    def __iter__(self):
        return iter(['a', 'b'])
try:
    for batch in Loader():
        trainlib.train_step(batch)
    for name in Names():
        trainlib.evaluate(name)
finally:
    handle.shutdown()
"""


@pytest.mark.parametrize("last", ["3", "100", "len(trainlib.batches())"])
def test_an_iterator_that_sets_up_and_shuts_down(last: str, tmp_path: Path) -> None:
    text = HEAD + DRIVER.replace("LAST", last).replace("BODY", "trainlib.train_step(step)")
    assert asked(tmp_path, setup_once, text).verdict == "pass"
    assert asked(tmp_path, shutdown, text).verdict == "fail"


def test_leaving_the_loop_leaves_the_iterator(tmp_path: Path) -> None:
    text = HEAD + DRIVER.replace("LAST", "3").replace("BODY", "break")
    assert asked(tmp_path, shutdown, text).verdict == "fail"


def test_a_generator_of_a_class_is_run(tmp_path: Path) -> None:
    assert asked(tmp_path, setup_once, HEAD + GENERATOR).verdict == "pass"


def test_loaders_of_data_cost_nothing(tmp_path: Path) -> None:
    assert asked(tmp_path, shutdown, HEAD + RANKED + LOADER).verdict == "pass"
    assert asked(tmp_path, setup_once, HEAD + RANKED + LOADER).verdict == "pass"
