"""Selectors in texts that are no expressions."""

from __future__ import annotations

import itertools
import random
import re

import pytest

from lens_preflight.dashboards.scanning import scan_selectors
from lens_preflight.dashboards.selectors import Matcher, Use
from tests.fuzz.engine import watchdog


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("sum(a_b{x='1', y!~`2`} ", [("a_b", (("x", "=", "1"), ("y", "!~", "2")))]),
        ('{"a.b"="1"} {', [("", (("a.b", "=", "1"),))]),
        ('it\'s a_b {x="}"} of {y="1"}', [("a_b", (("x", "=", "}"),)), ("of", (("y", "=", "1"),))]),
        (r'a{x="say \"y=\"z\""} b_c[5m]', [("a", (("x", "=", 'say "y="z"'),)), ("b_c", ())]),
        ('a{x="1" {y="2"}', [("", (("y", "=", "2"),))]),
        ("a{x=\"1} b{y='2'}", [("b", (("y", "=", "2"),))]),
        ("a{x='1} b{y='2'}", [("b", (("y", "=", "2"),))]),
        ('a{x="1} b{y="2"} c{z="3"}', [("b", (("y", "=", "2"),)), ("c", (("z", "=", "3"),))]),
        ('9a{x="1"}', [("", (("x", "=", "1"),))]),
        ('"m_x" + rate(my_metric[5m]) > by (q_q) 1', [("my_metric", ())]),
        ("", []),
    ],
)
def test_what_is_seen(text: str, found: list[tuple[str, tuple[tuple[str, str, str], ...]]]) -> None:
    assert scan_selectors(text) == tuple(
        Use(name, tuple(Matcher(*parts) for parts in matchers)) for name, matchers in found
    )


GRAMMAR = re.compile(
    r"(?:(?<![a-zA-Z0-9_:])(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)\s*)?"
    r"\{(?:[^{}\"'`]|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`)*\}",
    re.DOTALL,
)
"""A selector as one pattern: right, and slow on texts full of quotes."""


def test_it_sees_what_the_grammar_sees() -> None:
    chance = random.Random(5)
    pieces = (*"{}\"'`\\a=1 ,9", "b_c", 'a="x"', '{a="1"}', "{b='")
    for _ in range(20_000):
        text = "".join(chance.choice(pieces) for _ in range(chance.randrange(1, 16)))
        found = [use.metric for use in scan_selectors(text)]
        wanted = [match["name"] or "" for match in GRAMMAR.finditer(text)]
        assert found[: len(wanted)] == wanted, text


PIECES = ("{", "}", '"', "'", "`", '\\"', "\\", "a", '{a="', '{"', ",", "(", "by (", " ", '"="x"')


def test_the_work_grows_with_the_text() -> None:
    """Fifty thousand signs of each two pieces take a moment; their square would take minutes."""
    for pieces in itertools.product(PIECES, repeat=2):
        pair = "".join(pieces)
        with watchdog(10.0):
            scan_selectors(pair * (50_000 // len(pair)))
