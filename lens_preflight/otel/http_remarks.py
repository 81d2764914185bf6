"""Settings of an HTTP exporter that do something else than they say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lens_preflight.otel.remark import Remark

if TYPE_CHECKING:
    from lens_preflight.otel.http_exporter import HttpSettings


def remarks(settings: HttpSettings) -> tuple[Remark, ...]:
    """All of them."""
    _ = settings
    return ()
