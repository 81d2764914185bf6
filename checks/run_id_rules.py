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

ARRAY = Rule(
    "run-id/array",
    "the elements of a job array share one run id",
    Severity.BLOCKER,
    help="Every element runs by itself, and all of them would be one run: their curves lie on top of each "
    "other. `SLURM_ARRAY_JOB_ID` and constants are equal for all elements; append "
    "`-${SLURM_ARRAY_TASK_ID}`.",
)
ARRAY_CHAIN = Rule(
    "run-id/array-chain",
    "the elements of a job array run one after the other under one run id",
    Severity.NOTE,
    help="With `%1` an array is a chain of restarts: one run id for all is right when it is one run.",
)
REPLICAS = Rule(
    "run-id/replicas",
    "the pods of one job have different run ids",
    Severity.BLOCKER,
    help="Master and Worker have separate lists of variables; what stands in one of them only is not known "
    "to the other pods, and each of their processes makes up its own run id. Name it in every template.",
)
STEPS = Rule(
    "run-id/steps",
    "the launches of one run have different run ids",
    Severity.BLOCKER,
    help="Steps that together are one run must take one run id: work it out once in the batch script, export "
    "it, and start them all below that line.",
)
SHARED = Rule(
    "run-id/shared-by-launches",
    "several runs in one job share a run id",
    Severity.CAUTION,
    help="A loop over configurations starts one run after the other, and the job id names them all. Give "
    "each its own: `NEMO_LENS_RUN_ID=my-run-${SLURM_JOB_ID}-$i srun ...`.",
)
SHARED_JOBS = Rule(
    "run-id/shared-by-submissions",
    "several jobs that a script submits share a run id",
    Severity.BLOCKER,
    help="A loop of `sbatch` with one name for all: the jobs run side by side and would be one run. Use "
    "`${SLURM_JOB_ID}` in the job, or another name for each. Jobs that wait for one another "
    "(`--dependency`) may be one run.",
)
SAME_DAY = Rule(
    "run-id/shared-by-jobs",
    "jobs of one day share the run id",
    Severity.CAUTION,
    help="A date without a time of day is the same for every job of that day. Append `-${SLURM_JOB_ID}`.",
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
    ARRAY,
    ARRAY_CHAIN,
    REPLICAS,
    STEPS,
    SHARED,
    SHARED_JOBS,
    SAME_DAY,
)
