"""What each need of a check is called, and what to type to meet it."""

from __future__ import annotations

from lens_preflight.core.words import Need

GIFTS = {
    Need.ENVIRONMENT: "--set NAME=VALUE",
    Need.SCRIPT: "a training script",
    Need.JOB: "a job script",
    Need.NETWORK: "a run without --offline",
    Need.DASHBOARDS: "--dashboard FILE",
    Need.RULES: "--rules FILE",
    Need.COLLECTOR: "--collector-config FILE",
    Need.BACKEND: "--backend NAME=URL",
}
"""What to type for each need."""

WORDS = {
    Need.ENVIRONMENT: "no environment",
    Need.SCRIPT: "no training script",
    Need.JOB: "no job script",
    Need.NETWORK: "no network",
    Need.DASHBOARDS: "no dashboard",
    Need.RULES: "no rules file",
    Need.COLLECTOR: "no collector configuration",
    Need.BACKEND: "no backend",
}
