"""The page of limits says what the code does."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parent.parent / "docs" / "limits.md").read_text(encoding="utf-8")
UNITS = {"": 1, "bytes": 1, "s": 1, "KiB": 1 << 10, "MiB": 1 << 20}
ROWS = [
    tuple(cell.strip() for cell in line.strip("|").split("|"))
    for line in PAGE.splitlines()
    if line.startswith("|") and "`lens_preflight." in line
]


def constant(path: str) -> float:
    """The value of a dotted name."""
    module, _, name = path.rpartition(".")
    value = getattr(importlib.import_module(module), name)
    assert isinstance(value, int | float)
    return float(value)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[-1].strip("`"))
def test_each_figure_is_that_of_its_constant(row: tuple[str, ...]) -> None:
    what, figure, then, path = row
    assert what and then
    match = re.fullmatch(r"([\d,.]+) ?(\w*)", figure)
    assert match is not None, figure
    assert float(match[1].replace(",", "")) * UNITS[match[2]] == constant(path.strip("`")), what


def test_the_figures_in_the_text_are_right_too() -> None:
    (found,) = re.findall(r"run on (\d+) threads\s+\(`([\w.]+)`\)", PAGE)
    assert int(found[0]) == constant(found[1])


def test_no_bound_of_bytes_is_left_out() -> None:
    """Constants that bound what is read, found by their names, are all on the page."""
    root = Path(__file__).parent.parent
    left_out = []
    for file in sorted((root / "lens_preflight").rglob("*.py")):
        module = ".".join(file.relative_to(root).with_suffix("").parts)
        for name in re.findall(
            r"^(MAX_BYTES|MAX_BODY|MAX_READ|MAX_REPLY|MAX_DOCUMENT) =", file.read_text(), re.M
        ):
            if f"`{module}.{name}`" not in PAGE:
                left_out.append(f"{module}.{name}")
    assert left_out == ["lens_preflight.probe.worker.MAX_BODY"], (
        "the client's MAX_REPLY is on the page for it"
    )
