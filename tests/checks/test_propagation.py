"""The propagation check: one script for each fault, with the rule and the line that it must name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lens_preflight.checks.propagation import propagation
from lens_preflight.checks.propagation_rules import RULES
from lens_preflight.checks.propagation_words import BY_LOSS, BY_SLIP
from lens_preflight.core.outcome import Outcome
from lens_preflight.core.variable import Environment
from lens_preflight.core.words import Severity, Status
from lens_preflight.jobs.model import Loss, Slip
from tests.making import outcomes, subject

LOGIN = {"PATH": "/usr/bin:/bin", "HOME": "/home/user"}


def judged(folder: Path, text: str, *, name: str = "job.sh", submit: str = "", files: dict[str, str] | None = None,
           **inputs: Any) -> Outcome:  # fmt: skip
    (folder / name).write_text(text)
    (folder / "train.py").write_text("import os\n")
    for path, content in (files or {}).items():
        (folder / path).write_text(content)
    command = submit or ("sbatch " if "#SBATCH" in text else "bash ") + name
    env = Environment.of(inputs.pop("login", LOGIN))
    inputs = {"submit_environ": True, **inputs}
    what = subject(env, targets=(str(folder / name),), submit=command, **inputs)
    (only,) = outcomes(propagation, what)
    return only


def said(outcome: Outcome) -> list[tuple[str, int | None]]:
    """Rule and line of what weighs."""
    found = [j.finding for j in outcome.findings if j.finding.severity > Severity.NOTE]
    return sorted(((f.rule.name, f.at.line) for f in found), key=str)


BATCH = "#!/bin/bash\n#SBATCH -N2 --ntasks-per-node=8\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("export OTEL_SERVICE_NAME=x\nsrun python train.py", []),
        ("OTEL_SERVICE_NAME=x\nsrun python train.py", [("not-exported", 3)]),
        ("source f\nsrun python train.py", [("not-exported", 3)]),
        ("( export OTEL_SERVICE_NAME=x )\nsrun python train.py", [("subshell", 3)]),
        ("echo x | export OTEL_SERVICE_NAME=x\nsrun python train.py", [("subshell", 3)]),
        ("cat f | while read -r l; do export $l; done\nsrun python train.py", [("subshell", 3)]),
        ("export OTEL_SERVICE_NAME=x &\nsrun python train.py", [("subshell", 3)]),
        ("f() ( export OTEL_SERVICE_NAME=x )\nf\nsrun python train.py", [("subshell", 3)]),
        ("f() { declare -x OTEL_SERVICE_NAME=x; }\nf\nsrun python train.py", [("function-local", 3)]),
        ("f() {\n  local OTEL_SERVICE_NAME=x\n  export OTEL_SERVICE_NAME\n}\nf\nsrun python train.py",
         [("function-local", 5)]),
        ("OTEL_SERVICE_NAME=x cd /tmp && srun python train.py", [("prefix", 3)]),
        ("OTEL_SERVICE_NAME=x \\\n# why\nsrun python train.py", [("not-exported", 3)]),
        ("OTEL_SERVICE_NAME=x :\nsrun python train.py", [("prefix", 3)]),
        ("export OTEL_SERVICE_NAME = x\nsrun python train.py", [("bad-assignment", 3)]),
        ("OTEL_SERVICE_NAME =x\nsrun python train.py", [("bad-assignment", 3)]),
        ("OTEL_SERVICE_NAME= x\nsrun python train.py", [("prefix", 3)]),
        ('A=(OTEL_SERVICE_NAME=x)\n"${A[@]}" srun python train.py\nsrun python train.py', [("bad-assignment", 4)]),
        ("export OTEL_SERVICE_NAME=(x y)\nsrun python train.py", [("array", 3)]),
        ("export OTEL_EXPORTER_OTLP_ENDPOINT=http://h/?x=1&y=2\nsrun python train.py", [("metacharacter", 3)]),
        ("export OTEL_RESOURCE_ATTRIBUTES=a=1 b=2\nsrun python train.py", []),
        ("export NEMO_LENS_USER_ID=Jane Doe\nsrun python train.py", [("word-split", 3)]),
        ("export OTEL_SERVICE_NAME=$NOPE\nsrun python train.py", [("empty", 3)]),
        ("export OTEL_SERVICE_NAME=a-$NOPE\nsrun python train.py", [("empty", 3)]),
        ("export N=x OTEL_SERVICE_NAME=$N\nsrun python train.py", [("empty", 3)]),
        ("export OTEL_SERVICE_NAME=${NOPE:-}\nsrun python train.py", [("empty-rank", 3)]),
        ("export NEMO_LENS_RUN_ID=$SLURM_ARRAY_JOB_ID\nsrun python train.py", [("empty", 3)]),
        ("RUN=x\nsrun bash -c 'export NEMO_LENS_RUN_ID=$RUN; python train.py'", [("empty", 4)]),
        ("export OTEL_SERVICE_NAME='$USER'\nsrun python train.py", [("quoted-dollar", 3)]),
        ('srun bash -c "RANK=$SLURM_PROCID python train.py"', [("early-expansion", 3)]),
        ("export RANK=$SLURM_PROCID\nsrun python train.py", [("early-expansion", 3)]),
        ("srun torchrun --node_rank=$SLURM_NODEID --nnodes=2 --nproc_per_node=8 train.py",
         [("agents", 3), ("early-expansion", 3)]),
        ('srun bash -c "RANK=\\$SLURM_PROCID python train.py"', []),
        ("srun python train.py\nexport OTEL_SERVICE_NAME=x", [("after-launch", 4)]),
        ("srun python train.py &\nexport OTEL_SERVICE_NAME=x\nwait", [("after-launch", 4)]),
        ("exec srun python train.py\nexport OTEL_SERVICE_NAME=x", [("after-launch", 4)]),
        ("srun python prepare.py\nexport OTEL_SERVICE_NAME=x\nsrun python train.py", []),
        ("export OTEL_SERVICE_NAME=x\nunset OTEL_SERVICE_NAME\nsrun python train.py", [("unset-again", 4)]),
        ("export OTEL_SERVICE_NAME=x\nexport -n OTEL_SERVICE_NAME\nsrun python train.py", [("unset-again", 4)]),
        ("set -e\n#SBATCH --time=1\nsrun python train.py", [("inert-directive", 4)]),
        ("export OTEL_SERVICE_NAME=x\nsrun --export=PATH python train.py", [("export-list", 4)]),
        ("export OTEL_SERVICE_NAME=x\nsrun --export=NONE python train.py", [("export-none", 4)]),
        ("export SLURM_EXPORT_ENV=NONE\nexport OTEL_SERVICE_NAME=x\nsrun python train.py", [("export-none", 3)]),
        ("export OTEL_SERVICE_NAME=x\nsudo python train.py", [("cleared", 4)]),
        ("export OTEL_SERVICE_NAME=x\nsrun env -i python train.py", [("cleared", 4), ("cleared", 4)]),
        ("export OTEL_SERVICE_NAME=x\nsu - me -c 'python train.py'", [("cleared", 4)]),
        ("export OTEL_SERVICE_NAME=x\nssh node1 python train.py", [("launcher", 4)]),
        ("export OTEL_SERVICE_NAME=x\npdsh -w n[1-2] python train.py", [("launcher", 4)]),
        ("export OTEL_SERVICE_NAME=x\nsrun docker run img python train.py", [("container", 4)]),
        ("export OTEL_SERVICE_NAME=x RANK=0\nsrun apptainer exec --cleanenv i.sif python train.py",
         [("container", 4), ("container", 4)]),
        ("export OTEL_SERVICE_NAME=x\nsrun --container-image=i python train.py", [("image-environment", 4)]),
        ("export OTEL_SERVICE_NAME=x\nsrun --container-image=i --container-env=OTEL_SERVICE_NAME python train.py", []),
        ("ray start --head\nexport OTEL_SERVICE_NAME=x\npython train.py", [("ray-order", 4)]),
        ("export OTEL_SERVICE_NAME=x\nray start --head\npython train.py", []),
        ("export OTEL_SERVICE_NAME=x\nsource site.sh\nsrun python train.py", [("opaque", 4)]),
        ("source site.sh\nexport OTEL_SERVICE_NAME=x\nsrun python train.py", [("opaque", 3)]),
        ("source site.sh\nexport NEMO_LENS_ENABLED=1\nsrun python train.py", []),
        ("export OTEL_RESOURCE_ATTRIBUTES=a=1;b=2\nsrun python train.py", [("metacharacter", 3)]),
        ("export OTEL_RESOURCE_ATTRIBUTES=a=1; srun python train.py", []),
        ("export OTEL_SERVICE_NAME=x\nmodule load cuda\nsrun python train.py", [("opaque", 4)]),
        ("srun -n2 -N2 python -u -m submitit.core._submit /x", [("program-opaque", 3)]),
        ("srun ./missing.sh", [("program-opaque", 3)]),
        ("srun $COMMAND", []),
        ("srun torchrun --nnodes=2 --nproc_per_node=8 train.py", [("agents", 3)]),
        ("srun --ntasks-per-node=1 -n2 torchrun --nnodes=2 --nproc_per_node=8 train.py", []),
        ("export OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4317\nsrun python train.py", [("localhost", 3)]),
        ("export http_proxy=http://p:3128\nexport OTEL_EXPORTER_OTLP_ENDPOINT=http://gw:4317\nsrun python train.py",
         [("proxy", 3)]),
        ("export http_proxy=http://p no_proxy=gw\nexport OTEL_EXPORTER_OTLP_ENDPOINT=http://gw:4317\nsrun python train.py",
         []),
        ("export OTEL_EXPORTER_OTLP_HEADERS=api-key=0123456789abcdef\nsrun python train.py", [("secret", 3)]),
        ("export WANDB_API_KEY=0123456789abcdef\nsrun python train.py", [("secret", 3)]),
        ("srun python train.py --hf-token hf_0123456789", [("secret-argument", 3)]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("known", [True, False], ids=["known submitter", "any submitter"])
def test_rule_and_line(tmp_path: Path, body: str, expected: list[tuple[str, int]], known: bool) -> None:
    files = {"f": "OTEL_SERVICE_NAME=x\n"}
    if not known and ("NOPE" in body or "$N\n" in body or body == "srun $COMMAND"):
        pytest.skip("the shell that submits may have set it")
    assert said(judged(tmp_path, BATCH + body + "\n", files=files, submit_environ=known)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#!/bin/bash\nexport NEMO_LENS_RUN_ID=run-$SLURM_JOB_ID\npython train.py\n", [("outside-job", 2)]),
        ("#!/bin/bash\nexport OTEL_SERVICE_NAME=x\nmpirun -np 4 -H a:2,b:2 python train.py\n", [("launcher", 3)]),
        ("#!/bin/bash\nexport OTEL_SERVICE_NAME=x\nmpirun -np 4 python train.py\n", []),
        ("#!/bin/bash\nexport OTEL_SERVICE_NAME=x\ndeepspeed --hostfile hosts train.py\n", [("launcher", 3)]),
        ("#!/bin/bash\nexport OTEL_SERVICE_NAME=x\nsudo docker run -e OTEL_SERVICE_NAME img python train.py\n",
         [("cleared", 3)]),
        ("#!/bin/bash\ndocker run --env-file f img python train.py\n", [("env-file-quotes", 2)]),
        ("#!/bin/bash\ndocker run -e OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4317 img python train.py\n",
         [("localhost-container", 2)]),
        ("#!/bin/bash\ndocker run --network host -e OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4317 i python t.py\n", []),
    ],
)  # fmt: skip
def test_outside_a_job(tmp_path: Path, text: str, expected: list[tuple[str, int]]) -> None:
    files = {"hosts": "a slots=4\nb slots=4\n", "f": 'OTEL_SERVICE_NAME="x"\n'}
    assert said(judged(tmp_path, text, files=files)) == expected


@pytest.mark.parametrize(
    ("topology", "expected"), [(None, "localhost"), ("gateway", "localhost-gateway"), ("node-agent", "")]
)
def test_localhost_weighs_by_topology(tmp_path: Path, topology: str | None, expected: str) -> None:
    text = BATCH + "export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4317\nsrun python train.py\n"
    found = said(judged(tmp_path, text, topology=topology))
    assert found == ([(expected, 3)] if expected else [])


def test_dos_line_ends(tmp_path: Path) -> None:
    found = judged(tmp_path, BATCH.replace("\n", "\r\n") + "srun python train.py\r\n")
    assert said(found) == [("refused", 1)]


def test_a_script_without_a_launch_is_not_decided(tmp_path: Path) -> None:
    found = judged(tmp_path, BATCH + "echo hello\n")
    assert found.status is Status.UNKNOWN and "starts no program" in found.reason


def test_another_shell_is_not_decided(tmp_path: Path) -> None:
    found = judged(
        tmp_path, "#!/bin/csh\nsetenv OTEL_SERVICE_NAME x\nsrun python train.py\n", submit="sbatch job.sh"
    )
    assert found.status is Status.UNKNOWN and "csh" in found.reason


def test_a_pass_has_a_proof(tmp_path: Path) -> None:
    found = judged(tmp_path, BATCH + "export OTEL_SERVICE_NAME=x\nsrun python train.py\n")
    assert found.status is Status.PASS and "OTEL_SERVICE_NAME" in found.reason


def test_no_secret_is_shown(tmp_path: Path) -> None:
    text = BATCH + "export OTEL_EXPORTER_OTLP_HEADERS=api-key=0123456789abcdef\nsrun python train.py\n"
    found = judged(tmp_path, text)
    assert "0123456789abcdef" not in repr(
        [(j.finding.message, j.finding.remedy, j.finding.evidence) for j in found.findings]
    )


def test_every_loss_and_slip_has_a_rule() -> None:
    own = {Loss.REPLICA, Loss.INNER_UNSET}
    assert {loss.value for loss in Loss if loss not in own} == set(BY_LOSS)
    assert {slip.value for slip in Slip} - set(BY_SLIP) <= {Slip.BAD_ASSIGNMENT.value, Slip.ABORTS.value}
    assert {*BY_LOSS.values(), *BY_SLIP.values()} <= set(RULES)


def test_every_message_ends_in_something_to_type(tmp_path: Path) -> None:
    text = BATCH + "OTEL_SERVICE_NAME=x\n( export NEMO_LENS_RUN_ID=y )\nsrun python train.py\n"
    for finding in (j.finding for j in judged(tmp_path, text).findings):
        assert finding.remedy and not finding.message.endswith(".")


ON = "export NEMO_LENS_ENABLED=1"
ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{BATCH}{ON}\nunset {ENDPOINT}\nsrun python train.py", [("localhost", 4)]),
        (f"{BATCH}{ON}\nexport {ENDPOINT}=\nsrun python train.py", [("localhost", 4)]),
        (f"{BATCH}{ON}\nsrun env -u {ENDPOINT} python train.py", [("localhost", 4)]),
        (f"{BATCH}{ON}\nfor v in ${{!OTEL_@}}; do unset $v; done\nsrun python train.py", []),
        (f"{BATCH}#SBATCH --export=NONE\n{ON}\nsrun --export=ALL python train.py", [("localhost", 5)]),
        (f"{BATCH}#SBATCH --export=NONE\n{ON}\nunset {ENDPOINT}\nsrun --export=ALL python train.py", [("localhost", 5)]),
        (f"{BATCH}#SBATCH --export=ALL\n{ON}\nsrun python train.py", []),
        (f"{BATCH}{ON}\nsrun python train.py", []),
        (f"{BATCH}unset {ENDPOINT}\nsrun python train.py", []),
        (f"{BATCH}export NEMO_LENS_ENABLED=0\nunset {ENDPOINT}\nsrun python train.py", []),
        (f"#!/bin/bash\n#SBATCH -N1\n{ON}\nunset {ENDPOINT}\nsrun python train.py", []),
        (f"{BATCH}{ON}\nexport {ENDPOINT}=http://c:4317\nunset {ENDPOINT}\nsrun python train.py", [("unset-again", 5)]),
        (f"{BATCH}{ON}\nexport {ENDPOINT}=http://c:4317\nsrun env -u {ENDPOINT} python train.py", [("unset-again", 5)]),
        (f"{BATCH}{ON}\nexport {ENDPOINT}=http://c:4317\nsrun env --unset={ENDPOINT} python train.py",
         [("unset-again", 5)]),
        (f"{BATCH}{ON}\nexport {ENDPOINT}=http://c:4317\nsrun env -u {ENDPOINT} {ENDPOINT}=http://d:1 python train.py", []),
        (f"{BATCH}{ON}\nunset {ENDPOINT}\nexport {ENDPOINT}=http://c:4317\nsrun python train.py", []),
        (f"{BATCH}{ON}\nunset {ENDPOINT}\nsrun docker run --network host -e NEMO_LENS_ENABLED IMG python train.py", []),
    ],
)  # fmt: skip
def test_an_endpoint_that_the_job_takes_away_is_localhost(
    text: str, expected: list[tuple[str, int]], known: bool, tmp_path: Path
) -> None:
    assert said(judged(tmp_path, text, submit_environ=known)) == expected


@pytest.mark.parametrize(("topology", "rules"), [("node-agent", []), ("gateway", [("localhost-gateway", 4)])])
def test_the_default_weighs_by_what_the_site_has(topology: str, rules: list[object], tmp_path: Path) -> None:
    text = f"{BATCH}{ON}\nunset {ENDPOINT}\nsrun python train.py"
    assert said(judged(tmp_path, text, topology=topology)) == rules
