"""Dashboards of any size, for tests and for measuring."""

from __future__ import annotations

import json

from tests.dashboards.boards import RUN, classic, panel

_RUN = '{service_name=~"$service",nemo_run_id=~"$run_id"}'
_STEP = "megatron_training_step_duration_ms_milliseconds"
_QUERIES = (
    f"histogram_quantile(0.95, sum by (le, nemo_run_id) (rate({_STEP}_bucket{_RUN}[$__rate_interval])))",
    f"megatron_training_loss{_RUN}",
    f"megatron_training_throughput_tflops{_RUN}",
    f"megatron_training_grad_norm{_RUN}",
    f"rate({_STEP}_sum{_RUN}[5m]) / rate({_STEP}_count{_RUN}[5m])",
    "avg by (Hostname) (DCGM_FI_DEV_GPU_UTIL)",
    "histogram_quantile(0.9, sum by (le, nemo_run_id) (rate(traces_span_metrics_duration_milliseconds_bucket{"
    'span_name="megatron.checkpoint.save",nemo_run_id=~"$run_id",nemo_span_truncated!="true"}[5m])))',
)


def dashboard(panels: int) -> str:
    """A sound dashboard with so many panels, in collapsed rows of ten, as text."""
    made = [panel(n + 1, f"Panel {n}", _QUERIES[n % len(_QUERIES)]) for n in range(panels)]
    rows = [
        {"id": 100_000 + n, "type": "row", "collapsed": True, "panels": made[n : n + 10]}
        for n in range(0, panels, 10)
    ]
    service = {
        "name": "service",
        "type": "query",
        "query": "label_values(megatron_training_loss, service_name)",
    }
    return json.dumps(classic(*rows, variables=[RUN, service]), indent=1)
