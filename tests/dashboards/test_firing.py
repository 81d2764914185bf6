"""When an alert can fire."""

from __future__ import annotations

import pytest

from lens_preflight.dashboards.firing import Fires, Trouble, fires, seconds, warns

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


@pytest.mark.parametrize(
    ("expression", "sends", "queue"),
    [
        (f"{FAILED} > 0", True, True),
        (f"{FAILED} == 0", False, False),
        (f"{FAILED} < 10", False, False),
        (f"sum({FAILED}) != 0", True, True),
        ("otelcol_exporter_send_failed_spans > 0", True, True),
        ("absent(otelcol_exporter_send_failed_spans)", False, True),
        ("absent_over_time(otelcol_exporter_send_failed_spans[5m])", False, True),
        ("rate(otelcol_exporter_send_failed_spans[1s]) > 0", False, False),
        ("otelcol_exporter_send_failed_spans[5m]", False, False),
        (f"{FAILED} / rate(otelcol_exporter_sent_spans_total[5m]) > 0.01", True, True),
        (f"{SIZE} / {CAPACITY} > 0.8", True, True),
        (f"{SIZE} / {CAPACITY} < 0.8", False, False),
        (f"100 * {SIZE} / {CAPACITY} > 80", True, True),
        (f"{CAPACITY} / {SIZE} < 1.25", True, True),
        (f"1 - {SIZE} / {CAPACITY} < 0.2", True, True),
        (f"1 - {SIZE} / {CAPACITY} > 0.2", False, False),
        (f"{CAPACITY} - {SIZE} < 100", True, True),
        (f"{SIZE} > 0.8 * {CAPACITY}", True, True),
        (f"{SIZE} > 500", True, True),
        (f"{SIZE} < 500", False, False),
        (f"{SIZE} == 0", True, False),
        (f"absent({SIZE})", True, False),
        (f"deriv({SIZE}[10m]) > 0", True, True),
        (f"predict_linear({SIZE}[10m], 600) > {CAPACITY}", True, True),
        ("rec:share > 0.8", True, True),
        ("rec:share < 0.8", False, False),
        ("rec:other < 0.8", True, True),
    ],
)
def test_an_alert_warns_of_a_trouble_and_not_while_all_is_well(
    expression: str, sends: bool, queue: bool
) -> None:
    def recorded(name: str) -> tuple[str, ...]:
        return (f"{SIZE} / {CAPACITY}",) if name == "rec:share" else ()

    assert warns(expression, Trouble.SENDS, recorded) is sends
    assert warns(expression, Trouble.QUEUE, recorded) is queue


def test_durations() -> None:
    assert [seconds(text) for text in ("1.2.3s", "1.5h", "5", "5 m", "5m5h", "5ms10s", "", "999y")] == [
        None
    ] * 8
    assert [seconds(text) for text in ("0", "5m", "1h30m", "1d", "500ms")] == [0, 300, 5400, 86400, 0.5]
