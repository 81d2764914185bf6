"""Fingerprints survive moved lines and tell different things apart."""

from __future__ import annotations

from dataclasses import replace

from lens_preflight.core.finding import Finding, Location, Rule
from lens_preflight.core.words import Severity

RULE = Rule("run-id/per-task", "each process makes its own", Severity.BLOCKER)
FINDING = Finding(RULE, "each process invents its own run id", Location.file("train.sbatch", 13))


def test_a_moved_line_keeps_the_fingerprint() -> None:
    moved = replace(FINDING, at=Location.file("train.sbatch", 14), evidence={"host": "gpu001"})
    assert moved.fingerprint == FINDING.fingerprint


def test_a_moved_line_in_the_message_keeps_the_fingerprint() -> None:
    """Some messages name a second line of the same file."""
    above, below = (replace(FINDING, message=f"set below the launch at train.sbatch:{n}") for n in (9, 10))
    assert above.fingerprint == below.fingerprint
    other = replace(FINDING, message="set below the launch at other.sbatch:9")
    assert other.fingerprint != above.fingerprint


def test_the_variable_and_the_panel_of_a_place_are_no_part_of_it() -> None:
    place = Location.file("train.sbatch", 13)
    assert place.setting("NEMO_LENS_RUN_ID") == place == replace(place, of_panel="Loss")
    assert str(place.setting("NEMO_LENS_RUN_ID")) == "train.sbatch:13"


def test_another_file_message_or_rule_changes_it() -> None:
    others = [
        replace(FINDING, at=Location.file("other.sbatch", 13)),
        replace(FINDING, message="something else"),
        replace(FINDING, rule=replace(RULE, id="run-id/other")),
    ]
    assert len({f.fingerprint for f in (FINDING, *others)}) == 4


def test_a_lone_surrogate_has_a_fingerprint() -> None:
    assert len(replace(FINDING, message="\ud800").fingerprint) == 16


def test_locations_read_as_people_write_them() -> None:
    assert str(Location.file("train.py", 3, 7)) == "train.py:3:7"
    assert str(Location.variable("NEMO_LENS_ENABLED")) == "$NEMO_LENS_ENABLED"
    assert RULE.check == "run-id"
    assert RULE.name == "per-task"
