"""The names of OTLP: services, paths, messages of the three signals."""

from __future__ import annotations

import importlib
from typing import Any

SIGNALS = ("traces", "metrics", "logs")

CONTENT_TYPE = "application/x-protobuf"

_NAMES = {"traces": ("trace", "Trace"), "metrics": ("metrics", "Metrics"), "logs": ("logs", "Logs")}

REJECTED = {"traces": "rejected_spans", "metrics": "rejected_data_points", "logs": "rejected_log_records"}
"""The field of ``partial_success`` that counts what the server did not take."""


def method(signal: str) -> str:
    """The full gRPC method of a signal's Export call."""
    folder, name = _NAMES[signal]
    return f"/opentelemetry.proto.collector.{folder}.v1.{name}Service/Export"


def service(signal: str) -> str:
    """The gRPC service of a signal."""
    return method(signal).rpartition("/")[0].lstrip("/")


def path(signal: str) -> str:
    """The path of a signal under the base URL of an HTTP receiver."""
    return f"/v1/{signal}"


def request_type(signal: str) -> Any:
    """The protobuf class of the Export request."""
    return getattr(_module(signal), f"Export{_NAMES[signal][1]}ServiceRequest")


def response_type(signal: str) -> Any:
    """The protobuf class of the Export response."""
    return getattr(_module(signal), f"Export{_NAMES[signal][1]}ServiceResponse")


def _module(signal: str) -> Any:
    folder = _NAMES[signal][0]
    return importlib.import_module(f"opentelemetry.proto.collector.{folder}.v1.{folder}_service_pb2")
