"""Imports as they stand in the bytes of a file."""

from __future__ import annotations

import pytest

from lens_preflight.program.import_graph import Imported, imports_of


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import a, b.c as d\n", [("a", ()), ("b.c", ())]),
        ("    import a  # import b\nimport c\n", [("a", ()), ("c", ())]),
        ("from a import b; import c\n", [("a", (("b", "b"),))]),
        (
            "from a import (\n    b,  # import x\n    c as d,\n)\nimport e\n",
            [("a", (("b", "b"), ("c", "d"))), ("e", ())],
        ),
        ("from . import x\nfrom ..y import z\n", [("p.q", (("x", "x"),)), ("p.y", (("z", "z"),))]),
        ("from ....far import z\nimportlib = 1\nx.import_(a)\n", []),
        ("# import a\n'import b'\n", []),
        ("import", []),
    ],
)
def test_imports(text: str, found: list[tuple[str, tuple[tuple[str, str], ...]]]) -> None:
    assert list(imports_of(text.encode(), "p.q")) == [Imported(module, names) for module, names in found]
