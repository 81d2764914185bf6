"""Methods that Python calls by itself, between the setup and the protected region, and in a finally."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.shutdown import shutdown
from tests.program.scripts import FINALLY, HEAD, RANKED, asked


def between(method: str, body: str, use: str) -> str:
    """A script that uses an object between the setup and the try."""
    made = f"class C:\n    def {method}:\n        {body}\nc = C()\n"
    return HEAD + made + RANKED + use + "\n" + FINALLY


USES = [
    ("__format__(self, spec)", "print(f'from {c}')"),
    ("__str__(self)", "print(f'from {c}')"),
    ("__str__(self)", "name = str(c)"),
    ("__str__(self)", "print('run', c)"),
    ("__repr__(self)", "print(f'{c!r}')"),
    ("__bool__(self)", "if c: pass"),
    ("__bool__(self)", "while c: break"),
    ("__bool__(self)", "x = 1 if c else 2"),
    ("__bool__(self)", "x = not c"),
    ("__bool__(self)", "x = c and 1"),
    ("__bool__(self)", "assert c"),
    ("__bool__(self)", "x = bool(c)"),
    ("__len__(self)", "if c: pass"),
    ("__len__(self)", "x = len(c)"),
    ("__contains__(self, x)", "x = 3 in c"),
    ("__contains__(self, x)", "x = 3 not in c"),
    ("__eq__(self, x)", "x = c == 3"),
    ("__eq__(self, x)", "x = 3 != c"),
    ("__lt__(self, x)", "x = 1 < c < 3"),
    ("__add__(self, x)", "x = c + 1"),
    ("__radd__(self, x)", "x = 1 + c"),
    ("__rshift__(self, x)", "x = c >> 1"),
    ("__iadd__(self, x)", "c += 1"),
    ("__neg__(self)", "x = -c"),
    ("__int__(self)", "x = int(c)"),
    ("__next__(self)", "x = next(c)"),
]


@pytest.mark.parametrize(("method", "use"), USES)
def test_a_method_that_raises_leaves_without_a_shutdown(method: str, use: str, tmp_path: Path) -> None:
    text = between(method, "raise ValueError('unset')", use)
    assert asked(tmp_path, shutdown, text).verdict in ("fail", "warn")


@pytest.mark.parametrize(("method", "use"), USES)
def test_a_method_that_returns_costs_nothing(method: str, use: str, tmp_path: Path) -> None:
    text = "'x'" if method.startswith(("__format__", "__str__", "__repr__")) else "1"
    assert asked(tmp_path, shutdown, between(method, f"return {text}", use)).verdict == "pass"


IN_FINALLY = """def no(): return False
def yes(): return True
def down():
    handle.shutdown()
    return True
class Noop:
    def shutdown(self): return True
try:
    trainlib.train()
finally:
    {use}
"""


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        ("all(f() for f in (no, down))", "fail"),
        ("any(f() for f in (yes, down))", "fail"),
        ("any(c.shutdown() for c in [Noop(), handle])", "fail"),
        ("all(f() for f in (yes, down, no))", "pass"),
        ("any(f() for f in (no, down))", "pass"),
        ("all([f() for f in (no, down)])", "pass"),
        ("any(f() for f in (down, no) if f is not no)", "pass"),
        ("any(c.shutdown() for c in [handle])", "pass"),
        ("list(c.shutdown() for c in [Noop(), handle])", "pass"),
        ("x = (c.shutdown() for c in [handle])", "unknown"),
    ],
)
def test_how_far_a_generator_is_asked(use: str, expected: str, tmp_path: Path) -> None:
    text = HEAD + RANKED + IN_FINALLY.format(use=use)
    assert asked(tmp_path, shutdown, text).verdict == expected
