"""log-scope: which logger, from which level on."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.log_scope import log_scope
from tests.program.scripts import GOOD, HEAD, RANKED, asked, rules

BRIDGES = {
    "setup_logging_bridge('trainer')": ("pass", []),
    "setup_logging_bridge(__name__)": ("pass", []),
    "setup_logging_bridge()": ("warn", ["root"]),
    "setup_logging_bridge('root')": ("warn", ["root"]),
    "setup_logging_bridge(level=logging.DEBUG)": ("fail", ["root-debug"]),
    "setup_logging_bridge(level=logging.WARNING)": ("note", ["root-warnings"]),
    "setup_logging_bridge('trainer', logging.DEBUG)": ("warn", ["debug"]),
    "setup_logging_bridge(trainlib.name())": ("unknown", []),
    "logging.getLogger().addHandler(LoggingHandler())": ("warn", ["root"]),
    "logging.getLogger('trainer').addHandler(LoggingHandler(level=20))": ("pass", []),
}


@pytest.mark.parametrize("bridge", sorted(BRIDGES))
def test_bridges(tmp_path: Path, bridge: str) -> None:
    verdict, wanted = BRIDGES[bridge]
    text = HEAD + "import logging\nfrom nemo.lens.logging_bridge import setup_logging_bridge\n"
    text += "from opentelemetry.sdk._logs import LoggingHandler\n" + RANKED
    text += f"try:\n    {bridge}\n    trainlib.train()\nfinally:\n    handle.shutdown()\n"
    answer = asked(tmp_path, log_scope, text)
    assert (answer.verdict, rules(answer)) == (verdict, wanted)


def test_the_worst_of_several(tmp_path: Path) -> None:
    text = HEAD + "from nemo.lens.logging_bridge import setup_logging_bridge\n" + RANKED
    text += "for name in ('trainer', ''):\n    setup_logging_bridge(logger_name=name)\nhandle.shutdown()\n"
    assert rules(asked(tmp_path, log_scope, text)) == ["root"]


def test_a_doubt_about_one_hides_no_fault_of_another(tmp_path: Path) -> None:
    text = HEAD + "import logging\nfrom nemo.lens.logging_bridge import setup_logging_bridge\n" + RANKED
    text += "setup_logging_bridge(trainlib.name())\nsetup_logging_bridge(level=logging.DEBUG)\nhandle.shutdown()\n"
    answer = asked(tmp_path, log_scope, text)
    assert (answer.verdict, rules(answer)) == ("fail", ["root-debug"])


def test_no_bridge_no_question(tmp_path: Path) -> None:
    assert "no log bridge" in asked(tmp_path, log_scope, GOOD).reason
