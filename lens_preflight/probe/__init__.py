"""Tells whether an OTLP endpoint takes telemetry, and when it does not, at which stage and why."""
