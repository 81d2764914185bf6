"""Jaeger's gRPC search, for servers whose HTTP API has no search that filters.

Source: ``jaeger.api_v3.QueryService`` of jaeger-idl 0.6.0; attributes were honoured there from the start.
Requests are few and small, so that they are written here; answers are OTLP.
"""

from __future__ import annotations

from lens_preflight.backends.backend import RUN_ID
from lens_preflight.backends.http import MAX_BODY
from lens_preflight.backends.jaeger_answers import Found

PORT = 16685
"""Where jaeger-query listens for gRPC."""

_METHOD = "/jaeger.api_v3.QueryService/FindTraces"
MAX_SECONDS = 5.0


class NoGrpc(Exception):
    """Nobody answers there, or not in this language."""


def find(
    target: str,
    *,
    secure: bool,
    metadata: tuple[tuple[str, str], ...],
    service: str,
    tags: dict[str, str],
    window: tuple[float, float],
    seconds: float,
) -> Found | None:
    """The first trace of a search, None when there is none; ``window`` in Unix seconds.

    Raises:
        NoGrpc: there is no such service.
    """
    import grpc

    options = (("grpc.max_receive_message_length", MAX_BODY), ("grpc.use_local_subchannel_pool", 1))
    credentials = grpc.ssl_channel_credentials()
    channel = (
        grpc.secure_channel(target, credentials, options)
        if secure
        else grpc.insecure_channel(target, options)
    )
    with channel:
        call = channel.unary_stream(_METHOD, request_serializer=bytes, response_deserializer=_found)
        try:
            pieces = call(
                request(service, tags, window), timeout=min(seconds, MAX_SECONDS), metadata=metadata
            )
            return _joined([piece for piece in pieces if piece is not None])
        except grpc.RpcError as error:
            if error.code() is grpc.StatusCode.NOT_FOUND:
                return None
            raise NoGrpc from None


def request(service: str, tags: dict[str, str], window: tuple[float, float]) -> bytes:
    """A serialized FindTracesRequest for one trace."""
    query = _text(1, service)
    for key, value in tags.items():
        query += _bytes(3, _text(1, key) + _text(2, value))
    query += _bytes(4, _timestamp(window[0])) + _bytes(5, _timestamp(window[1]))
    return _bytes(1, query + _number(8, 1))


def _found(data: bytes) -> Found | None:
    """One message of the answer, which is opentelemetry.proto.trace.v1.TracesData."""
    from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

    message = TracesData.FromString(data)
    traces: dict[str, None] = {}
    ids, ends = set(), []
    for group in message.resource_spans:
        own = next((a.value.string_value for a in group.resource.attributes if a.key == RUN_ID), "")
        for scope in group.scope_spans:
            for span in scope.spans:
                traces[span.trace_id.hex()] = None
                carried = next((a.value.string_value for a in span.attributes if a.key == RUN_ID), "")
                ids.add(carried or own)
                ends.append(span.end_time_unix_nano / 1e9)
    if not traces:
        return None
    return Found(tuple(traces), frozenset((ids - {""}) or {""}), max(ends))


def _joined(pieces: list[Found]) -> Found | None:
    if not pieces:
        return None
    ids = frozenset(i for piece in pieces for i in piece.run_ids or ())
    newest = max(piece.newest for piece in pieces if piece.newest is not None)
    return Found(tuple(dict.fromkeys(t for piece in pieces for t in piece.trace_ids)), ids, newest)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())


def _timestamp(seconds: float) -> bytes:
    whole = int(seconds)
    return _number(1, whole) + _number(2, int((seconds - whole) * 1e9))
