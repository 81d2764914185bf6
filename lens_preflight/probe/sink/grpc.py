"""The gRPC half of the sink: the Export calls of the three OTLP services."""

from __future__ import annotations

from collections.abc import Callable
from concurrent import futures
from typing import Any

from lens_preflight.probe import otlp
from lens_preflight.probe.sink.store import Store

MAX_MESSAGE = 64 << 20


class GrpcReceiver:
    """Listens on ``host:port`` (0: a free port) and keeps what it gets in ``store``.

    Raises:
        OSError: the port cannot be had.
    """

    def __init__(self, store: Store, host: str, port: int) -> None:
        import grpc

        options = (("grpc.so_reuseport", 0), ("grpc.max_receive_message_length", MAX_MESSAGE))
        self._server = grpc.server(futures.ThreadPoolExecutor(8), options=options)
        self._server.add_generic_rpc_handlers(tuple(_handler(store, s) for s in otlp.SIGNALS))
        name = f"[{host}]" if ":" in host else host
        try:
            self.port: int = self._server.add_insecure_port(f"{name}:{port}")
        except RuntimeError as error:
            raise OSError(f"cannot listen on port {port}") from error
        if not self.port:
            raise OSError(f"cannot listen on port {port}")

    def start(self) -> None:
        """Answer calls."""
        self._server.start()

    def stop(self) -> None:
        """Close the port; calls in progress get half a second."""
        self._server.stop(0.5).wait()


def _handler(store: Store, signal: str) -> Any:
    import grpc

    response = otlp.response_type(signal)

    def export(request: Any, _: Any) -> Any:
        store.add(signal, request, "grpc")
        return response()

    read: Callable[[bytes], Any] = otlp.request_type(signal).FromString
    write: Callable[[Any], bytes] = response.SerializeToString
    method = grpc.unary_unary_rpc_method_handler(export, request_deserializer=read, response_serializer=write)
    return grpc.method_handlers_generic_handler(otlp.service(signal), {"Export": method})
