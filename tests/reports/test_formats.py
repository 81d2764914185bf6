"""The table of formats: cheap to look at, complete, and knowing nothing but the core."""

from __future__ import annotations

import ast
import io
import subprocess
import sys
from pathlib import Path

import pytest

import lens_preflight.reports
from lens_preflight.reports import REPORTS, wants_color
from tests.reports.records import everything

FOLDER = Path(lens_preflight.reports.__file__).parent


@pytest.mark.parametrize("name", list(REPORTS))
def test_a_format_is_found_by_the_name_that_it_gives_itself(name: str) -> None:
    out = io.StringIO()
    REPORTS[name].write(everything(), out)
    assert REPORTS[name].name == name
    assert out.getvalue().endswith("\n")


def test_the_names_cost_no_import() -> None:
    script = (
        "import sys; from lens_preflight.reports import REPORTS; assert 'json' in REPORTS and REPORTS\n"
        "print(*[m for m in sys.modules if m.startswith('lens_preflight.reports.')], 'json' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["lens_preflight.reports.writer", "False"]


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.name)
def test_reports_know_the_core_alone(path: Path) -> None:
    ours = [
        node.module
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("lens_preflight")
    ]
    assert all(module.startswith(("lens_preflight.core", "lens_preflight.reports")) for module in ours)


@pytest.mark.parametrize(
    ("choice", "terminal", "no_color", "term", "colour"),
    [
        ("auto", True, None, "xterm", True),
        ("auto", True, "", None, True),
        ("auto", True, "1", "xterm", False),
        ("auto", True, None, "dumb", False),
        ("auto", False, None, "xterm", False),
        ("always", False, "1", "dumb", True),
        ("never", True, None, "xterm", False),
    ],
)
def test_the_option_beats_the_variable_which_beats_the_terminal(
    choice: str, terminal: bool, no_color: str | None, term: str | None, colour: bool
) -> None:
    assert wants_color(choice, terminal=terminal, no_color=no_color, term=term) is colour
