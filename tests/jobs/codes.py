"""The fault codes of the job corpus and the rules that report them here."""

from __future__ import annotations

CODES: dict[str, tuple[str, ...]] = {
    "NOT_EXPORTED": ("propagation/not-exported",),
    "SUBSHELL_EXPORT": ("propagation/subshell",),
    "FUNCTION_LOCAL": ("propagation/function-local",),
    "PREFIX_ON_OTHER_COMMAND": ("propagation/prefix",),
    "BAD_ASSIGNMENT": ("propagation/bad-assignment", "propagation/array"),
    "UNQUOTED_METACHARACTER": ("propagation/metacharacter",),
    "WORD_SPLIT_VALUE": ("propagation/word-split",),
    "EMPTY_VALUE": ("propagation/empty", "propagation/empty-rank"),
    "EMPTY_EXPANSION": ("propagation/empty", "propagation/empty-rank"),
    "QUOTE_NO_EXPAND": ("propagation/quoted-dollar",),
    "EARLY_EXPANSION": ("propagation/early-expansion",),
    "EXPORT_AFTER_LAUNCH": ("propagation/after-launch",),
    "UNSET_AGAIN": ("propagation/unset-again",),
    "EXPORT_NONE": ("propagation/export-none",),
    "EXPORT_LIST_WITHOUT_ALL": ("propagation/export-list",),
    "DIRECTIVE_IGNORED": ("propagation/inert-directive",),
    "TASKS_VS_NNODES": ("propagation/agents",),
    "SLURM_VAR_OUTSIDE_JOB": ("propagation/outside-job",),
    "CONTAINER_ENV_LOST": ("propagation/container",),
    "IMAGE_ENV_MAY_WIN": ("propagation/image-environment",),
    "ENV_FILE_QUOTES_KEPT": ("propagation/env-file-quotes",),
    "ENV_CLEARED": ("propagation/cleared",),
    "LAUNCHER_DROPS_ENV": ("propagation/launcher",),
    "RAY_ENV_ORDER": ("propagation/ray-order",),
    "OPAQUE_ENVIRONMENT": ("propagation/opaque", "propagation/left-to-others"),
    "PROGRAM_OPAQUE": ("propagation/program-opaque",),
    "PROGRAM_IN_IMAGE": ("propagation/program-in-image",),
    "BRANCH_DEPENDENT": ("propagation/branch",),
    "LOCALHOST_MULTINODE": ("propagation/localhost", "propagation/localhost-gateway"),
    "LOCALHOST_IN_POD": ("propagation/localhost-pod",),
    "LOCALHOST_IN_CONTAINER": ("propagation/localhost-container",),
    "PROXY_NO_BYPASS": ("propagation/proxy",),
    "SECRET_IN_SCRIPT": ("propagation/secret",),
    "SECRET_ON_COMMAND_LINE": ("propagation/secret-argument",),
    "RUN_ID_PER_TASK": ("run-id/differs",),
    "RUN_ID_PER_POD": ("run-id/differs",),
    "RUN_ID_DIFFERS_BETWEEN_STEPS": ("run-id/steps",),
    "RUN_ID_DIFFERS_BETWEEN_REPLICAS": ("run-id/replicas",),
    "RUN_ID_ARRAY_COLLISION": ("run-id/array",),
    "RUN_ID_SHARED_BY_JOBS": ("run-id/shared-by-jobs", "run-id/constant"),
    "RUN_ID_SHARED_BY_LAUNCHES": ("run-id/shared-by-launches",),
    "RUN_ID_NOT_STABLE_OVER_REQUEUE": ("run-id/not-stable",),
    "RUN_ID_RANDOM_FALLBACK": ("run-id/per-process", "run-id/random"),
    "RUN_ID_CONSTANT": ("run-id/constant",),
}
"""Code of the corpus -> ids of our rules, any of which is right."""

ELSEWHERE = {
    "BAD_BOOLEAN": "environment",
    "UNKNOWN_VARIABLE": "environment",
    "PREFIX_SHADOWS_FALLBACK": "rollback",
    "FLAG_OVERRIDES_ENV": "rollback",
    "SPAN_GROUPS_ALL": "span-groups",
    "SIGTERM_NOT_DELIVERED": "sigterm",
    "SIGTERM_SWALLOWED": "sigterm",
}
"""Code -> the check that reports it."""

SEVERITIES = {"error": 30, "warning": 20, "info": 10}
