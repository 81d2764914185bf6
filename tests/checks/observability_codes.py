"""The codes of the corpora and the rules that stand for them."""

from __future__ import annotations

from collections.abc import Iterable

from lens_preflight.core.finding import Finding
from lens_preflight.core.words import Severity

CODES: dict[str, tuple[str, ...]] = {
    "D1": (
        "dashboard-panels/family-missing",
        "dashboard-panels/unresolved-panel",
        "dashboard-panels/unreadable",
        "dashboard-panels/quantile-without-le",
        "dashboard-panels/wrong-language",
        "dashboard-panels/no-result",
        "dashboard-panels/stale-span-name",
        "dashboard-panels/not-scraped",
        "dashboard-panels/scraped-rarely",
    ),
    "D2": (
        "dashboard-run-id/no-variable",
        "dashboard-run-id/wrong-label",
        "dashboard-run-id/wrong-metric",
        "dashboard-run-id/lists-target-info",
        "dashboard-run-id/never-refreshed",
        "dashboard-run-id/not-a-list",
        "dashboard-run-id/hidden-variable",
        "dashboard-run-id/broken-list",
        "dashboard-run-id/some-runs-only",
        "dashboard-run-id/unknown-metric",
    ),
    "D3": (
        "dashboard-panels/datasource-placeholder",
        "dashboard-panels/datasource-undeclared",
        "dashboard-panels/datasource-fixed",
    ),
    "D4": (
        "dashboard-run-id/unfiltered",
        "dashboard-run-id/hard-coded",
        "dashboard-run-id/broken-filter",
        "dashboard-run-id/prefix",
        "dashboard-run-id/other-service",
        "dashboard-run-id/mixed-runs",
        "dashboard-run-id/label-lost",
        "dashboard-run-id/lost-by-scraping",
    ),
    "N": ("dashboard-panels/metric-name", "dashboard-panels/unit-mismatch"),
    "C01": (
        "collector-config/unreadable",
        "collector-config/unknown-section",
        "collector-config/unknown-key",
        "collector-config/wrong-shape",
        "collector-config/bad-duration",
        "collector-config/bad-condition",
        "collector-config/wrong-type",
        "collector-config/bad-name",
        "collector-config/unknown-type",
    ),
    "C02": (
        "collector-config/undefined-reference",
        "collector-config/extension-not-started",
        "collector-config/no-pipelines",
        "collector-config/unknown-signal",
        "collector-config/empty-pipeline",
        "collector-config/wrong-signal",
        "collector-config/one-sided-connector",
        "collector-config/receiver-without-protocol",
        "collector-config/endpoint-missing",
        "collector-config/endpoint-form",
        "collector-config/named-twice",
        "collector-config/listen-form",
        "collector-config/port-twice",
        "collector-config/not-a-storage",
        "collector-config/unused-component",
    ),
    "C03": (
        "collector-config/limiter-missing",
        "collector-config/limiter-late",
        "collector-config/limiter-invalid",
        "collector-config/limiter-tight",
        "collector-config/limiter-starves",
    ),
    "C04": (
        "collector-config/no-batching",
        "collector-config/batch-early",
        "collector-config/batch-invalid",
        "collector-config/duration-without-unit",
    ),
    "C05": (
        "collector-config/queue-off",
        "collector-config/queue-in-memory",
        "collector-config/queue-storage",
        "collector-config/queue-volatile",
        "collector-config/queue-invalid",
    ),
    "C06": (
        "collector-config/retry-off",
        "collector-config/retry-short",
        "collector-config/retry-invalid",
    ),
    "C07": (
        "collector-config/signal-not-received",
        "collector-config/signal-to-nowhere",
        "collector-config/sampled-away",
        "collector-config/protocol-not-received",
        "collector-config/signal-dropped",
        "collector-config/span-dropped",
        "collector-config/not-the-receiver",
        "collector-config/receiver-differs",
        "collector-config/no-credentials",
        "collector-config/feeds-itself",
    ),
    "C08": ("backup-sink/one-sink", "backup-sink/one-sink-for-signal"),
    "C09": (
        "collector-config/bind-localhost",
        "collector-config/bind-localhost-unsaid",
        "collector-config/bind-partly-local",
        "collector-config/bind-open",
    ),
    "C10": ("collector-config/message-size",),
    "C11": (
        "collector-config/run-id-not-a-label",
        "collector-config/run-id-by-join",
        "collector-config/run-id-constant",
    ),
    "C12": ("collector-config/stale-series", "collector-config/short-series"),
    "C13": (
        "collector-config/tail-sampling-window",
        "collector-config/tail-sampling-replicas",
        "collector-config/span-metrics-after-sampling",
    ),
    "C15": (
        "collector-config/telemetry-off",
        "collector-config/telemetry-level",
        "collector-config/telemetry-local",
        "collector-config/telemetry-address",
        "collector-config/telemetry-address-ignored",
    ),
    "C16": (
        "collector-config/no-health-check",
        "collector-config/health-not-listed",
        "collector-config/debug-open",
    ),
    "C17": (
        "collector-config/shell-default",
        "collector-config/bad-variable",
        "collector-config/bare-variable",
        "collector-config/inline-secret",
    ),
    "C18": ("collector-config/tls-off",),
    "C19": (
        "collector-config/removed-component",
        "collector-config/removed-key",
        "collector-config/ignored-key",
        "collector-config/latest-tag",
    ),
    "C20": (
        "collector-config/run-id-removed",
        "collector-config/related-removed",
        "collector-config/run-id-unwanted",
        "collector-config/metric-dropped",
        "collector-config/resource-overridden",
    ),
    "C21": ("collector-config/doubled-path", "collector-config/doubled-path-only-sink"),
    "T1": ("truncated-spans/unfiltered-generator",),
    "T2": ("truncated-spans/inverted-filter",),
    "T3": ("truncated-spans/compares-with-text",),
    "T4": ("truncated-spans/dropped-everywhere",),
    "T5": ("truncated-spans/error-mode",),
    "T6": ("truncated-spans/latency-sampling",),
    "T7": ("truncated-spans/misspelt-attribute",),
    "T8": ("truncated-spans/filter-too-late",),
    "T10": (
        "truncated-spans/unfiltered-duration",
        "truncated-spans/needs-default",
        "truncated-spans/traceql-semantics",
        "truncated-spans/passed-on",
        "truncated-spans/queries-must-filter",
    ),
    "T11": ("truncated-spans/only-truncated",),
    "T12": ("truncated-spans/wrong-label-value",),
    "T13": ("truncated-spans/half-filtered",),
    "T14": ("truncated-spans/label-gone",),
    "T15": ("truncated-spans/branch-only", "truncated-spans/excluded-by-unless"),
}

WITHOUT_CODE = ("dashboard-run-id/all-value", "dashboard-panels/not-evaluated")
"""Rules that the corpora have no code for."""

_BY_RULE = {rule: code for code, rules in CODES.items() for rule in rules}


def codes(findings: Iterable[Finding]) -> set[str]:
    """The codes of what weighs; notes are listed apart, but for a panel that leaves the answer open."""
    return {
        _BY_RULE[f.rule.id]
        for f in findings
        if f.rule.id in _BY_RULE and (f.severity > Severity.NOTE or f.rule.name == "unresolved-panel")
    }


def notes(findings: Iterable[Finding]) -> set[str]:
    """The codes of what does not weigh."""
    return {_BY_RULE[f.rule.id] for f in findings if f.rule.id in _BY_RULE and f.severity is Severity.NOTE}


def table() -> str:
    """The table as text, for the log of the tests."""
    return "\n".join(f"{code:4} {', '.join(rules)}" for code, rules in CODES.items())
