"""Text made safe keeps all that can be kept."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from lens_preflight.reports.text import (
    one_line,
    printable,
    shorten,
    whole,
    xml_attribute,
    xml_text,
)
from tests.reports.strategies import texts


def test_what_a_terminal_would_obey_is_spelt_out() -> None:
    assert printable("a\0b\x07c\x7f\x85\u202ed\te\r\nf\rg") == "a\\x00b\\x07c\\x7f\\x85\\u202ed e\nf\\rg"


def test_one_line_is_one_line() -> None:
    assert one_line(" a\n\nb \u2028 c ") == "a b \\u2028 c"


def test_surrogates_become_bytes_or_the_replacement_character() -> None:
    assert whole("é\udc80\ud800") == "é\\x80\ufffd"


@given(texts())
def test_safe_text_has_an_encoding(text: str) -> None:
    whole(text).encode("utf-8")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", printable(text))


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cn"]), max_size=40))
def test_xml_gives_ordinary_text_back(text: str) -> None:
    read = ElementTree.fromstring(f'<a b="{xml_attribute(text)}">{xml_text(text)}</a>')
    assert read.get("b") == text
    assert (read.text or "") == text


def test_a_long_text_keeps_its_ends() -> None:
    short = shorten("a" * 5000 + "z", 100)
    assert short.startswith("a" * 50)
    assert short.endswith("z")
    assert "5,001 characters" in short
    assert shorten("abc", 3) == "abc"
