"""The built-in checks, in checklist order."""

from __future__ import annotations

if __name__ != "lens_preflight.checks":
    raise ImportError("import lens_preflight.checks, not the checkout folder 'checks'")
