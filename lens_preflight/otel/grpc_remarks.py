"""Settings of a gRPC exporter that do something else than they say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lens_preflight.otel.remark import Remark

if TYPE_CHECKING:
    from lens_preflight.otel.grpc_exporter import GrpcSettings


def remarks(settings: GrpcSettings) -> tuple[Remark, ...]:
    """All of them."""
    _ = settings
    return ()
