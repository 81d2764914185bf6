"""Job scripts and manifests: read and followed; what they start is not judged here."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from lens_preflight.core.errors import InputError
from lens_preflight.core.variable import Environment
from lens_preflight.jobs import read_job
from lens_preflight.redact import Redactor
from tests.fuzz import mutate
from tests.fuzz.corpora import texts, written
from tests.fuzz.target import CANARY, Target
from tests.jobs.grammar import Maker

WORDS = (
    *(
        "export",
        "srun",
        "torchrun",
        "python",
        "sbatch",
        "--export=NONE",
        "#SBATCH",
        "--nodes=2",
        "-N",
        "eval",
    ),
    *("$(", ")", "((", "))", "[[", "]]", "${X:-y}", "${!X}", "${X//a/b}", "$((1/0))", "$((2**99))", "<<EOF"),
    *("EOF", "|", "&&", "||", "&", ";;", "case x in", "esac", "do", "done", "for i in {1..9999999}", "fi"),
    *("while true; do", "until", "trap", "source", ".", "exec", "env -i", "bash -c", "function f() {", "}"),
    *("declare -n", "readonly", "unset", "set -euo pipefail", "set -a", "shift", '"$@"', "$0", "$?", "$$"),
    *(
        "apptainer exec",
        "docker run -e",
        "--container-env",
        "ray start",
        "mpirun -x",
        "kubectl",
        "accelerate",
    ),
    *("f() { f; }; f", "printf -v X", "read -r X", "mapfile", "local", "2>&1", ">", "\\", "'", '"', "`"),
)


def script(random: Random) -> str:
    """A job script: of the corpus or by grammar, changed; a secret in it now and then."""
    seeds = texts("jobs/*/*.sh", "jobs/*/*.sbatch", "healthy/*/*.sbatch", "healthy/*/*.sh", most=20_000)
    manifests = texts("healthy/*/*.yaml", "jobs/*/*.yaml", "healthy/*/*.yml", most=20_000)
    if random.random() < 0.35:
        made = Maker(random.randrange(1 << 30)).script()
    else:
        made = random.choice(seeds if random.random() < 0.8 else manifests)
    made = mutate.text(random, made, WORDS, seeds)
    if random.random() < 0.2:
        made = f"{made}\nexport OTEL_EXPORTER_OTLP_HEADERS='x-token={CANARY}'\nsrun python train.py\n"
    return made


def _job(random: Random) -> tuple[str, str | None, bool]:
    submit = random.choice((None, None, "sbatch job.sh", "sbatch --export=ALL,X=1 job.sh a b", "bash job.sh"))
    if submit is not None and random.random() < 0.3:
        submit = mutate.text(random, submit, WORDS)
    return script(random), submit, random.random() < 0.5


def _use_job(made: tuple[str, str | None, bool]) -> Iterator[str]:
    text, submit, known = made
    folder = written({"job.sh": text, "train.py": "print(1)\n", "env.sh": "export A=1\n"}, "jobs")
    env = Environment.of({"HOME": "/h", "PATH": "/bin"}) if known else None
    model = read_job(str(folder / "job.sh"), submit=submit, submitter=env, path_map=(("/work", str(folder)),))
    for one in model.launches:
        repr(one)
    told = Redactor.of([one.env for one in model.launches], (text, submit or ""))
    for remark in (
        *model.remarks,
        *model.opaque,
        *model.directives,
        *(x for o in model.launches for x in o.lost),
    ):
        yield told.redact(repr(remark))
    yield told.redact(f"{model.unread} {model.refused}")


TARGETS = (Target("jobs", 320, _job, _use_job, (InputError,), seconds=20.0),)
