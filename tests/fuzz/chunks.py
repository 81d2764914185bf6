"""The part of a worker process: some executions of one target, within its bounds."""

from __future__ import annotations

import faulthandler
import os
from pathlib import Path

from tests.fuzz.engine import bounded_memory, run
from tests.fuzz.growth import Measured
from tests.fuzz.held import peak, resident
from tests.fuzz.tally import Tally
from tests.fuzz.targets import BY_NAME

SECONDS = 900
"""Wall-clock seconds after which a chunk that does not end is dumped and its process killed."""


def chunk(name: str, seed: str, indices: range, folder: str) -> tuple[Tally, Measured]:
    """Run some executions; a file in ``folder`` names the one under way."""
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    with bounded_memory():
        tally = run(BY_NAME[name], seed, indices, Path(folder) / f"{os.getpid()}")
    faulthandler.cancel_dump_traceback_later()
    return tally, Measured(os.getpid(), resident(), peak())
