"""What a peer sends to the probe: HTTP/2 frames, header blocks, HTTP/1 heads, OTLP replies; the sink's requests."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from lens_preflight.probe import h2, hpack, otlp, peer
from lens_preflight.probe.client import Answer
from lens_preflight.probe.replies import judge_grpc, judge_http, judge_message
from lens_preflight.probe.sink.store import Store
from lens_preflight.probe.wire import Heard
from tests.fuzz import mutate
from tests.fuzz.target import CANARY, Target

_HEADERS = (
    *((":status", "200"), (":status", "404"), ("content-type", "application/grpc"), ("grpc-status", "0")),
    *(
        ("grpc-message", "no"),
        ("grpc-status", "12"),
        ("server", "x"),
        (":status", "²"),
        ("grpc-status", "9" * 5000),
    ),
)


def _block(random: Random) -> bytes:
    block = hpack.encode(random.sample(_HEADERS, random.randrange(5)))
    pieces = (
        b"\x88",
        b"\x3f\xe1\x1f",
        b"\x3f\xff\xff\xff\x7f",
        b"\x40\x81\xff\x81\xff",
        b"\xbe",
        b"\x80",
        b"\xff",
    )
    block = b"".join(random.choice(pieces) for _ in range(random.choice((0, 0, 3)))) + block
    if random.random() < 0.05:
        block += b"\x40\x01a\x01b" * 12_000
    return mutate.octets(random, block)


def frames(random: Random) -> bytes:
    """What a peer says over HTTP/2."""
    data = h2.frame(h2.SETTINGS, 0, 0, bytes(6 * random.randrange(3)))
    for _ in range(random.randrange(7)):
        kind = random.choice((0, 1, 1, 1, 3, 4, 6, 7, 8, 9, 200))
        flags = random.choice((0, 1, 4, 5, 8, 12, 13, 36, 255))
        payload = _block(random) if kind in (1, 9) else random.randbytes(random.choice((0, 4, 8, 20)))
        data += h2.frame(kind, flags, random.choice((0, 1, 1, 1, 3)), payload)
    return mutate.octets(random, data) if random.random() < 0.5 else data


def _use_frames(data: bytes) -> Iterator[str]:
    read = h2.read(data)
    yield f"{read.status} {read.grpc_status} {read.ended} {h2.goaway(data)}"
    heard = Heard(data, "eof")
    yield f"{peer.speech(heard)} {peer.banner(data)} {peer.is_tls(data)} {peer.is_http2(data)}"
    for start in (0, 9):
        try:
            hpack.Decoder().decode(data[start:])
            hpack.huffman(data[start:])
        except ValueError:
            continue


def reply(random: Random) -> tuple[str, Answer]:
    """A signal, and what the real client got for it."""
    signal = random.choice(("traces", "metrics", "logs"))
    response: Any = otlp.response_type(signal)()
    if random.random() < 0.5:
        setattr(response.partial_success, otlp.REJECTED[signal], random.choice((0, 1, -1, 1 << 62)))
        response.partial_success.error_message = random.choice(("", "no", "\n\x1b[31m", "x" * 4000))
    body = response.SerializeToString()
    if random.random() < 0.4:
        body = random.choice((b"", b"{}", b"<html><form>password", b"\xff" * 9, b"ok"))
    kinds = ("application/x-protobuf", "application/json", "text/html; charset=x", "", "text/plain", ";;")
    headers = {"content-type": random.choice(kinds), "location": mutate.nasty(random)}
    names = ("OK", "UNAVAILABLE", "RESOURCE_EXHAUSTED", "UNKNOWN", "", "NEW_CODE", "UNAUTHENTICATED")
    return signal, Answer(
        status=random.choice((None, 0, 100, 200, 202, 204, 302, 307, 400, 401, 404, 429, 500, 503, 599, 999)),
        headers=headers if random.random() < 0.8 else {},
        code=random.choice(names),
        trailers=random.choice(((), ("google.rpc.retryinfo-bin",), ("x",))),
        body=mutate.octets(random, body),
        ended=random.choice(("end", "limit", "time", "cut", "silent")),
        error=random.choice(({}, {"classes": ["ConnectionError"], "numbers": [111]}, {"classes": []})),
        died=random.random() < 0.05,
    )


def _use_reply(made: tuple[str, Answer]) -> Iterator[str]:
    signal, answer = made
    for judged in (
        judge_http(signal, answer),
        judge_grpc(signal, answer),
        judge_message(signal, answer.body),
    ):
        assert "\n" not in judged.text
        yield judged.text
    head = b"HTTP/1.1 %d x\r\n" % (answer.status or 0)
    peer.http1(head + b"".join(f"{k}: {v}\r\n".encode("utf-8", "replace") for k, v in answer.headers.items()))


def _request(random: Random) -> tuple[str, bytes]:
    signal = random.choice(("traces", "metrics", "logs"))
    request: Any = otlp.request_type(signal)()
    if signal == "traces":
        resource = request.resource_spans.add()
        span = resource.scope_spans.add().spans.add(name="canary")
        span.attributes.add(key="x").value.string_value = CANARY
        resource.resource.attributes.add(key="nemo.run.id").value.string_value = "run-7"
        deep = resource.resource.attributes.add(key="deep").value
        for _ in range(random.choice((0, 5, 80))):
            deep = deep.array_value.values.add()
    return signal, mutate.octets(random, request.SerializeToString())


def _use_request(made: tuple[str, bytes]) -> Iterator[str]:
    from google.protobuf.message import DecodeError

    signal, data = made
    request: Any = otlp.request_type(signal)()
    try:
        request.ParseFromString(data)
    except DecodeError:
        return
    store = Store()
    store.add(signal, request, "http")
    yield repr(store.run_ids())
    repr(store.summary())


TARGETS = (
    Target("http2", 800, frames, _use_frames),
    Target("otlp-replies", 1300, reply, _use_reply),
    Target("otlp-requests", 750, _request, _use_request),
)
