"""The names that ``nemo.lens`` offers itself.

Source: nemo-lens 0.1.0 as imported. Later generations may offer more.
"""

from __future__ import annotations

NAMES = frozenset(
    (
        *("DEFAULT_REDACT_KEYS", "ExportStrategy", "NemoLensConfig", "SpanGroup", "TelemetryHandle"),
        *("broadcast_trace_context", "create_linked_span", "extract_context", "get_meter", "get_tracer"),
        *("inject_context", "is_span_group_enabled", "managed_span", "redact_value"),
        *("register_export_strategy", "registered_strategies", "safe_set_span_attributes"),
        *("set_enabled_span_groups", "setup_telemetry", "span_cm", "trace_fn", "unregister_export_strategy"),
    )
)
"""What the package itself defines."""

MODULES = frozenset(
    (
        *("config", "contrib", "distributed", "fallbacks", "groups", "handle", "helpers", "instruments"),
        *("logging_bridge", "package_info", "propagation", "providers", "resources", "sampling", "semconv"),
        *("state", "strategies"),
    )
)
"""Its modules."""


def known(name: str) -> bool:
    """True for a name that the package has in 0.1.0."""
    return name in NAMES or name in MODULES or name.startswith("_")
