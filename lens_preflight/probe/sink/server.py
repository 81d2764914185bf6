"""An OTLP receiver with a gRPC and an HTTP port over one store."""

from __future__ import annotations

from types import TracebackType

from lens_preflight.probe.sink.grpc import GrpcReceiver
from lens_preflight.probe.sink.http import HttpReceiver
from lens_preflight.probe.sink.store import Store


class Sink:
    """Receives three signals over two transports, in memory.

    Ports of 0 become free ports; both are bound when the constructor returns, calls are answered
    from ``start`` to ``stop``, or inside a ``with`` block.

    Raises:
        OSError: a port cannot be had.
    """

    def __init__(self, host: str = "127.0.0.1", grpc_port: int = 0, http_port: int = 0) -> None:
        self.store = Store()
        self._host = host
        self._http = HttpReceiver(self.store, host, http_port)
        try:
            self._grpc = GrpcReceiver(self.store, host, grpc_port)
        except OSError:
            self._http.close()
            raise

    @property
    def grpc_url(self) -> str:
        """The endpoint for OTEL_EXPORTER_OTLP_PROTOCOL=grpc."""
        return f"http://{self._name}:{self._grpc.port}"

    @property
    def http_url(self) -> str:
        """The base endpoint for OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf."""
        return f"http://{self._name}:{self._http.port}"

    @property
    def _name(self) -> str:
        return f"[{self._host}]" if ":" in self._host else self._host

    def start(self) -> Sink:
        """Answer calls."""
        self._grpc.start()
        self._http.start()
        return self

    def stop(self) -> None:
        """Close both ports; the store stays."""
        self._http.stop()
        self._grpc.stop()

    def __enter__(self) -> Sink:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
