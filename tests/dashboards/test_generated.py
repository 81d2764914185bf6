"""Large inputs are judged like small ones."""

from __future__ import annotations

from pathlib import Path

from lens_preflight.checks.collector_config import collector_config
from lens_preflight.checks.dashboard_panels import dashboard_panels
from lens_preflight.checks.dashboard_run_id import dashboard_run_id
from lens_preflight.checks.truncated_spans import truncated_spans
from lens_preflight.core.words import Status
from tests.checks.asking import Asked, ask
from tests.collector.configs import read as read_config
from tests.collector.generated import collector
from tests.dashboards.boards import read
from tests.dashboards.generated import dashboard


def test_a_dashboard_of_500_panels() -> None:
    board = read(dashboard(500))
    assert len(board.panels) == 500
    for check in (dashboard_panels, dashboard_run_id, truncated_spans):
        assert ask(check, Asked(dashboards=(board,))).status is Status.PASS


def test_a_configuration_of_5000_lines(tmp_path: Path) -> None:
    text = collector(5000)
    assert 4900 < text.count("\n") < 5100
    config = read_config(tmp_path, text)
    assert len(config.routes) == 2 * len(config.of_signal("traces")) + 2
    for check in (collector_config, truncated_spans):
        assert ask(check, Asked(collector=config)).status is Status.PASS
