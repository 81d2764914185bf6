"""When an alert can fire."""

from __future__ import annotations

import pytest

from lens_preflight.dashboards.firing import Fires, fires, seconds

SIZE, CAPACITY = "otelcol_exporter_queue_size", "otelcol_exporter_queue_capacity"
FAILED = "rate(otelcol_exporter_send_failed_spans_total[5m])"


@pytest.mark.parametrize(
    ("expression", "when"),
    [
        (f"{SIZE} / {CAPACITY} > 0.8", Fires.SOMETIMES),
        (f"100 * {SIZE} / {CAPACITY} > 80", Fires.SOMETIMES),
        (f"({SIZE} / {CAPACITY}) * 100 > 80", Fires.SOMETIMES),
        (f"max by (exporter) ({SIZE}) / max by (exporter) ({CAPACITY}) >= 1", Fires.SOMETIMES),
        (f"{SIZE} / {CAPACITY} > 2", Fires.NEVER),
        (f"{SIZE} / {CAPACITY} > 80", Fires.NEVER),
        (f"({SIZE} / {CAPACITY}) * 100 > 101", Fires.NEVER),
        (f"{CAPACITY} / {SIZE} > 0.8", Fires.ALWAYS),
        (f"{CAPACITY} / {SIZE} < 1.25", Fires.SOMETIMES),
        (f"{SIZE} > 0.8 * {CAPACITY}", Fires.SOMETIMES),
        (f"{SIZE} > 4000", Fires.SOMETIMES),
        (f"{FAILED} > 0", Fires.SOMETIMES),
        (f"sum by (exporter) ({FAILED}) > 0.1", Fires.SOMETIMES),
        (f"{FAILED} < 0", Fires.NEVER),
        (f"{FAILED} >= 0", Fires.ALWAYS),
        (FAILED, Fires.ALWAYS),
        (f"{FAILED} > bool 0", Fires.ALWAYS),
        (f"({FAILED} > bool 0) == 1", Fires.SOMETIMES),
        (f"{FAILED} > 0 and vector(0) == 1", Fires.NEVER),
        (f"{FAILED} > 0 and on () up == 1", Fires.SOMETIMES),
        (f"{FAILED} < 0 or {SIZE} > 10", Fires.SOMETIMES),
        (f"{FAILED} > 0 unless on () vector(1)", Fires.SOMETIMES),
        (f"{FAILED} / rate(otelcol_exporter_sent_spans_total[5m]) > 0.01", Fires.SOMETIMES),
        ('rate({__name__=~"otelcol_exporter_send_failed_.*"}[5m]) > 0', Fires.SOMETIMES),
        ("job:failed:rate5m", Fires.SOMETIMES),
        ("absent(otelcol_exporter_queue_size)", Fires.SOMETIMES),
        ("sum(", Fires.SOMETIMES),
    ],
)
def test_when_an_expression_has_a_result(expression: str, when: Fires) -> None:
    assert fires(expression) is when


def test_durations() -> None:
    assert [seconds(text) for text in ("1.2.3s", "1.5h", "5", "5 m", "5m5h", "5ms10s", "", "999y")] == [
        None
    ] * 8
    assert [seconds(text) for text in ("0", "5m", "1h30m", "1d", "500ms")] == [0, 300, 5400, 86400, 0.5]
