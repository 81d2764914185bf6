from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.core.errors import InputError
from lens_preflight.gate.options import GateSettings, Policy, gate_settings
from lens_preflight.settings import load


def read(folder: Path, text: str) -> GateSettings:
    path = folder / "preflight.toml"
    path.write_text(f"[gate]\n{text}\n")
    return gate_settings(load(path))


def test_nothing_said_is_advisory(tmp_path: Path) -> None:
    found = read(tmp_path, "")
    assert found.policy is Policy.ADVISORY and found.enabled and not found.fleet


def test_everything_said(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        'policy = "quarantine"\nttl = 60\ntimeout = 2.5\nfleet = "https://x/fleet.json"\n'
        'control_address = "[::1]:22"\nrun_dir = "/run/x/%n"\nenvironment = {A = "b"}',
    )
    assert found.policy is Policy.QUARANTINE
    assert found.lifetime == 122.5
    assert found.folder("n1") == Path("/run/x/n1")
    assert found.environment == {"A": "b"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('policy = "strict"', "srun"),
        ('policy = "hard"', "advisory, quarantine"),
        ('polciy = "advisory"', "policy"),
        ("ttl = 0", "seconds"),
        ("ttl = nan", "seconds"),
        ("ttl = true", "seconds"),
        ('enabled = "no"', "true or false"),
        ('run_dir = "run"', "absolute"),
        ('fleet = "fleet"', "absolute"),
        ('control_address = "host"', "HOST:PORT"),
        ('control_address = "host:99999"', "HOST:PORT"),
        ("environment = {A = 1}", "texts"),
        ('control_name = "a\\nb"', "one line"),
        ("max_drains_per_hour = -1", "whole number"),
    ],
)
def test_what_has_no_meaning_is_refused(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        read(tmp_path, text)
