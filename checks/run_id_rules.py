"""The rules of the check ``run-id``."""

from __future__ import annotations

from lens_preflight.core.finding import Rule
from lens_preflight.core.words import Severity

PER_PROCESS = Rule(
    "run-id/per-process",
    "each process makes up its own run id",
    Severity.BLOCKER,
    help="NeMo Lens takes the run id from its variable, then from `SLURM_JOB_ID`, and else makes up twelve "
    "hex digits in every process: the ranks of one job do not agree, and no dashboard can show the run. "
    "Outside Slurm, and wherever SLURM_* is cleared (containers with a clean environment, NeMo-RL's "
    "ray.sub, ssh), name it once before the processes start.",
)
DIFFERS = Rule(
    "run-id/differs",
    "the run id differs between the processes of one run",
    Severity.BLOCKER,
    help="The text is worked out in each task, on each node or in each pod: `$(date)`, `$RANDOM`, `$$`, a "
    "host name, `$SLURM_PROCID`, a pod name, evaluated behind `srun`, in a wrapper script or inside a "
    "container. Work it out once, in the batch script, and export it.",
)
UNUSABLE = Rule(
    "run-id/unusable",
    "the run id is blank or holds control characters",
    Severity.BLOCKER,
    help="`SLURM_JOB_ID` is not trimmed: a blank becomes the run id ' '. No query can find such a run.",
)
CHARACTERS = Rule(
    "run-id/characters",
    "the run id holds characters that queries must escape",
    Severity.CAUTION,
    help='Dashboards filter with `nemo_run_id=~"$run_id"` and backends with query languages of their own: '
    "blanks, quotes, slashes, `+`, `*`, `|` and brackets need escaping in some of them. Letters, digits, "
    "`.`, `_` and `-` are safe everywhere.",
)
RANDOM = Rule(
    "run-id/random",
    "the run id is made up at start, so nobody knows it before",
    Severity.CAUTION,
    help="One process makes it up (and hands it on, in NeMo-RL and NeMo-Gym): the run is consistent, but "
    "its id must be looked up in the log, and a requeued job gets another one.",
)
NOT_STABLE = Rule(
    "run-id/not-stable",
    "the run id changes when the job is requeued",
    Severity.NOTE,
    help="It is shared by all processes, and worked out again at each start. If a requeued or chained job "
    "is the same run for you, derive it from `SLURM_JOB_ID` or a constant.",
)
CONSTANT = Rule(
    "run-id/constant",
    "the run id is a constant: every submission has the same",
    Severity.NOTE,
    help="Right for a campaign of requeued and chained jobs that is one run. Two jobs that are two runs "
    "would be mixed up: append `-${SLURM_JOB_ID}`.",
)
LEFT_OPEN = Rule(
    "run-id/left-to-submitter",
    "who submits the job may name the run; either way there is one run id",
    Severity.NOTE,
    help="The script does not set the variable, and the environment of the shell that submits it reaches "
    "the job. Whatever that holds is shared by all processes, and so is `SLURM_JOB_ID` without it.",
)
SHADOWED = Rule(
    "run-id/shadowed",
    "a run id is set that this framework does not ask for",
    Severity.CAUTION,
    help="NeMo-Gym decides by its own variable and `SLURM_JOB_ID` alone; `NEMO_LENS_RUN_ID` is then "
    "shadowed by what it makes up. Set `NEMO_GYM_OTEL_RUN_ID`.",
)
OVERRIDDEN = Rule(
    "run-id/overridden",
    "nemo.run.id in OTEL_RESOURCE_ATTRIBUTES has no effect",
    Severity.CAUTION,
    help="NeMo Lens sets `nemo.run.id` itself and wins over `OTEL_RESOURCE_ATTRIBUTES`.",
)

RULES = (
    PER_PROCESS,
    DIFFERS,
    UNUSABLE,
    CHARACTERS,
    RANDOM,
    NOT_STABLE,
    CONSTANT,
    LEFT_OPEN,
    SHADOWED,
    OVERRIDDEN,
)
