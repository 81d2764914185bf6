"""The built-in checks, in checklist order."""

from __future__ import annotations

if __name__ != "lens_preflight.checks":
    raise ImportError("import lens_preflight.checks, not the checkout folder 'checks'")

from lens_preflight.core.check import Check

BUILTIN: tuple[Check, ...] = ()
"""Listed by hand; the order is that of the checklist, then of the design."""
