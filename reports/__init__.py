"""Report formats by name."""

from __future__ import annotations

if __name__ != "lens_preflight.reports":
    raise ImportError("import lens_preflight.reports, not the checkout folder 'reports'")
