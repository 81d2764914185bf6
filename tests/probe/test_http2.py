"""HTTP/2 by hand: header blocks, frames, replies, and any bytes at all."""

from __future__ import annotations

import contextlib
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_preflight.probe import h2, hpack
from lens_preflight.probe.peer import Speech, banner, http1, speech
from lens_preflight.probe.wire import Heard

NAMES = st.text("abcdefghijklmnopqrstuvwxyz-:0123456789", min_size=1, max_size=40)
VALUES = st.text(st.characters(max_codepoint=255), max_size=200)


@given(st.lists(st.tuples(NAMES, VALUES), max_size=12))
def test_what_is_encoded_decodes_to_itself(headers: list[tuple[str, str]]) -> None:
    assert hpack.Decoder().decode(hpack.encode(headers)) == headers


@pytest.mark.parametrize(
    ("block", "headers"),
    [
        # the examples of RFC 7541, appendix C.4 (Huffman, one connection) and C.6.1
        (
            ["828684418cf1e3c2e5f23a6ba0ab90f4ff", "828684be5886a8eb10649cbf"],
            [
                [
                    (":method", "GET"),
                    (":scheme", "http"),
                    (":path", "/"),
                    (":authority", "www.example.com"),
                ],
                [
                    (":method", "GET"),
                    (":scheme", "http"),
                    (":path", "/"),
                    (":authority", "www.example.com"),
                    ("cache-control", "no-cache"),
                ],
            ],
        ),
        (
            ["488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff"],
            [
                [
                    (":status", "302"),
                    ("cache-control", "private"),
                    ("date", "Mon, 21 Oct 2013 20:13:21 GMT"),
                ]
            ],
        ),
    ],
)
def test_the_examples_of_the_standard(block: list[str], headers: list[list[tuple[str, str]]]) -> None:
    decoder = hpack.Decoder()
    assert [decoder.decode(bytes.fromhex(text)) for text in block] == headers


@given(st.binary(max_size=300))
def test_any_block_decodes_or_is_refused(data: bytes) -> None:
    with contextlib.suppress(ValueError):
        hpack.Decoder().decode(data)


@given(st.binary(max_size=400))
def test_any_bytes_can_be_read_as_a_reply(data: bytes) -> None:
    reply = h2.read(data)
    assert reply.status is None or reply.status >= 0
    speech(Heard(data, "eof"))
    assert banner(data).isprintable()
    http1(data)


def test_a_reply_with_trailers() -> None:
    head = hpack.encode([(":status", "200"), ("content-type", "application/grpc")])
    end = hpack.encode([("grpc-status", "7"), ("grpc-message", "no")])
    data = (
        h2.frame(h2.SETTINGS, 0, 0)
        + h2.frame(h2.HEADERS, h2.END_HEADERS, 1, head)
        + h2.frame(h2.DATA, 0, 1, b"\0\0\0\0\0")
        + h2.frame(h2.HEADERS, h2.END_HEADERS | h2.END_STREAM, 1, end)
    )
    reply = h2.read(data)
    assert (reply.status, reply.grpc_status, reply.ended) == (200, 7, True)
    assert not h2.read(data[:-1]).ended


def test_padding_priority_and_continuation() -> None:
    block = hpack.encode([(":status", "404")])
    padded = b"\x02" + b"\0\0\0\0\x10" + block[:3] + b"\0\0"
    data = h2.frame(h2.HEADERS, h2.PADDED | h2.PRIORITY, 1, padded)
    data += h2.frame(h2.CONTINUATION, h2.END_HEADERS, 1, block[3:])
    assert h2.read(data).status == 404


def test_goaway_and_reset() -> None:
    away = h2.frame(h2.GOAWAY, 0, 0, struct.pack(">II", 0, 11) + b"too_many_pings")
    assert h2.goaway(away) == h2.read(away).goaway == 11
    assert h2.read(h2.frame(h2.RST_STREAM, 0, 1, struct.pack(">I", 7))).reset == 7


@pytest.mark.parametrize(
    ("data", "end", "said"),
    [
        (b"", "silence", Speech.NOTHING),
        (b"", "eof", Speech.CLOSED),
        (b"", "reset", Speech.RESET),
        (b"HTTP/1.1 400 Bad Request\r\n", "eof", Speech.HTTP1),
        (b"HT", "silence", Speech.HTTP1),
        (b"SSH-2.0-x", "eof", Speech.SSH),
        (b"\x15\x03\x01\x00\x02\x02\x46", "eof", Speech.TLS),
        (h2.frame(h2.SETTINGS, 0, 0), "enough", Speech.HTTP2),
        (h2.frame(h2.GOAWAY, 0, 0, b"\0" * 8), "enough", Speech.HTTP2),
        (h2.frame(h2.DATA, 0, 1, b"x"), "eof", Speech.OTHER),
        (b"-ERR unknown command\r\n", "eof", Speech.OTHER),
    ],
)
def test_what_a_peer_speaks(data: bytes, end: str, said: Speech) -> None:
    assert speech(Heard(data, end)) is said


@pytest.mark.parametrize("text", ["²", "9" * 5000, "", "2 00", "-1"])
def test_a_status_that_is_no_number_is_none(text: str) -> None:
    block = hpack.encode([(":status", text), ("grpc-status", text)])
    reply = h2.read(h2.frame(h2.HEADERS, h2.END_HEADERS | h2.END_STREAM, 1, block))
    assert (reply.status, reply.grpc_status, reply.ended) == (None, None, True)


def test_a_peer_cannot_enlarge_the_dynamic_table() -> None:
    """Else each of twenty thousand entries would stay, and be counted for each of the others."""
    grow = b"\x3f\xff\xff\xff\x7f"
    with pytest.raises(ValueError, match="larger than was allowed"):
        hpack.Decoder().decode(grow + b"\x40\x01a\x01b")
    decoder = hpack.Decoder()
    decoder.decode(b"\x3f\xe1\x1f" + b"\x40\x01a\x01b" * 2000)
    assert len(decoder._dynamic) == hpack.TABLE // 34
