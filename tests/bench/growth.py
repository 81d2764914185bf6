"""Does the cost grow with the size of the input, or faster? Ten times the input, CPU time in process."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from lens_preflight.collector import read_collector
from lens_preflight.dashboards import read_dashboards
from tests.collector import generated as collectors
from tests.dashboards import generated as dashboards

ROUNDS = 7
BAR = 12.0


def cpu(job: Callable[[], object]) -> float:
    """CPU seconds of one call."""
    started = time.process_time()
    job()
    return time.process_time() - started


def growth(name: str, small: Callable[[], object], large: Callable[[], object]) -> bool:
    """Print the paired ratio of a job on ten times the input; True when the bar holds."""
    small(), large()
    ratio = statistics.median(cpu(large) / max(cpu(small), 1e-6) for _ in range(ROUNDS))
    print(f"{name:<44} {ratio:7.2f} x a tenth of it  bar {BAR:g} {'ok' if ratio <= BAR else 'BROKEN'}")
    return ratio <= BAR


def main() -> bool:
    """Measure them; True when every bar holds."""
    with TemporaryDirectory() as folder:
        paths = {name: Path(folder) / name for name in ("50.json", "500.json", "500.yaml", "5000.yaml")}
        paths["50.json"].write_text(dashboards.dashboard(50))
        paths["500.json"].write_text(dashboards.dashboard(500))
        paths["500.yaml"].write_text(collectors.collector(500))
        paths["5000.yaml"].write_text(collectors.collector(5000))
        board = growth(
            "dashboard of 500 panels",
            lambda: read_dashboards([paths["50.json"]]),
            lambda: read_dashboards([paths["500.json"]]),
        )
        file = growth(
            "collector file of 5,000 lines",
            lambda: read_collector([paths["500.yaml"]]),
            lambda: read_collector([paths["5000.yaml"]]),
        )
        return board and file
