"""What the light commands load: counted, not timed."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("requests", "grpc", "google", "yaml", "promql_parser", "urllib3", "importlib.metadata")

PROBE = """
import sys
from lens_preflight.cli import cli
try:
    cli.main(args={args!r}, standalone_mode=False)
finally:
    print(len(sys.modules), *[m for m in {heavy!r} if m in sys.modules], file=sys.stderr)
"""


@pytest.mark.parametrize("args", [["--help"], ["checks"], ["checks", "sampler"], ["check", "--help"]])
def test_light_commands_load_no_heavy_library(args: list[str]) -> None:
    code = PROBE.format(args=args, heavy=HEAVY)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    count, *heavy = done.stderr.split()
    assert heavy == []
    assert int(count) < 260
