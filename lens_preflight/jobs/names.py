"""Which environment variables belong to telemetry, and which carry ranks, proxies or secrets."""

from __future__ import annotations

import re

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
"""What the shell takes for the name of a variable."""

ENV_NAME = re.compile(r"[A-Za-z_][\w.-]*")
"""What env and its kin take for a name as well."""

PREFIXES = ("NEMO_LENS_", "MEGATRON_OTEL_", "NEMO_RL_OTEL_", "NEMO_GYM_OTEL_", "OTEL_")
RANKS = frozenset({"RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "NODE_RANK", "MASTER_ADDR"})
TASK_NUMBERS = frozenset({"SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID"})
PROXIES = frozenset(
    name
    for low in ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "grpc_proxy", "no_grpc_proxy")
    for name in (low, low.upper())
)
FALLBACKS = frozenset({"SLURM_JOB_ID", "SLURM_PROCID"})
SOFTWARE = frozenset(
    {
        "OTEL_SERVICE_NAME",
        "OTEL_SDK_DISABLED",
        "OTEL_TRACES_EXPORTER",
        "OTEL_METRICS_EXPORTER",
        "OTEL_LOGS_EXPORTER",
        "OTEL_PROPAGATORS",
    }
)
"""Names that describe the software rather than the site: an image may set them itself."""


def is_telemetry(name: str) -> bool:
    """True for the names that Lens, its frameworks or the OTel SDK read."""
    return name.startswith(PREFIXES)


def is_watched(name: str) -> bool:
    """True for the names whose loss is worth a word."""
    return is_telemetry(name) or name in FALLBACKS or name in PROXIES
