"""Words that options and settings choose from; light, since every --help needs them."""

from __future__ import annotations

PROFILES = ("auto", "ci", "login", "node")
PURPOSES = ("production", "profiling", "debug")
TOPOLOGIES = ("gateway", "node-agent")
FAIL_ON = ("never", "fail", "unknown", "warn")
FAMILIES = ("step_duration", "loss", "throughput", "grad_norm")
GENERATIONS = ("auto", "0.1", "0.2", "nightly")
ASSUMPTIONS = ("step_seconds", "spans_per_step", "span_bytes", "outage_seconds")
