"""Files that the job writes, changes or removes itself: never read as the disk has them now."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.core.words import State
from tests.jobs.bash import NAME, agree, never_wrong
from tests.jobs.making import batch, job, only, seen

OLD = f"export {NAME}=old\n"


@pytest.mark.parametrize(
    "text",
    [
        "echo export @@=a > e.sh; . ./e.sh",
        "echo export @@=a > e.sh; echo export @@=b >> e.sh; source e.sh",
        "echo export V=a >> e.sh; . ./e.sh",
        "{ echo export @@=a; echo export V=b; } > e.sh; . ./e.sh",
        "( V=x; echo export @@=$V; echo log >&2 ) > e.sh; . ./e.sh",
        "printf 'export @@=%s\\n' a b > e.sh; . ./e.sh",
        "cat > e.sh <<EOF\nexport @@=a\nEOF\n. ./e.sh",
        "cat <<'EOF' >> e.sh\nexport @@=b\nEOF\n. ./e.sh",
        "tee e.sh <<EOF >/dev/null\nexport @@=a\nEOF\n. ./e.sh",
        "echo export @@=a | tee e.sh > /dev/null; echo export V=b | tee -a e.sh; . ./e.sh",
        "echo export @@=a > $PWD/e.sh; source e.sh",
        "echo export @@=a > new.sh; cp new.sh e.sh; . ./e.sh",
        "echo export @@=a > new.sh; mv -f new.sh e.sh; . ./e.sh; [ -f new.sh ] && export @@=b",
        "echo export @@=a > new.sh; ln -sf new.sh e.sh; . ./e.sh",
        "echo export @@=a > new.sh; install -m 644 new.sh e.sh; . ./e.sh",
        "cp off.sh e.sh; . ./e.sh",
        "rm -f e.sh; [ -f e.sh ] && . ./e.sh; export V=1",
        "rm e.sh; touch e.sh; . ./e.sh",
        "rm -f e.sh; if [ -e e.sh ]; then . ./e.sh; else export @@=b; fi",
        "(echo export @@=a > e.sh); . ./e.sh",
        "bash -c 'echo export @@=a > e.sh'; . ./e.sh",
        "f() { echo export @@=$1 > e.sh; }; f a; f b; . ./e.sh",
        ": > e.sh; for k in V @@; do echo export $k=a >> e.sh; done; . ./e.sh",
        "echo 'export @@=a; srun python train.py' > run.sh; bash run.sh",
        "{ echo unset @@; echo srun python train.py; } > run.sh; export @@=1; bash run.sh",
        "echo 'srun python train.py' > run.sh; cp run.sh go.sh; export @@=1; bash ./go.sh",
        "export @@=$(cat e.sh | head -c 3 > x; echo k)",
        "export @@=$(echo note >&2; echo k)",
        "sed -e s/old/i/ e.sh; sed -n 's/i/e/p' e.sh; perl -Mstrict -ne print e.sh; . ./e.sh",
        "export @@=$(echo a | xargs -n1 echo > x; echo k)",
        "export @@=new; echo 1 > old.log 2>&1; srun python train.py > old.log 2>&1",
        "if [ a = a ]; then echo export @@=a > e.sh; else echo export @@=b > e.sh; fi; . ./e.sh",
    ],
)
def test_what_the_job_writes_is_what_it_reads(text: str, tmp_path: Path) -> None:
    (tmp_path / "e.sh").write_text(OLD)
    (tmp_path / "off.sh").write_text(f"export {NAME}=off\n")
    (tmp_path / "run.sh").write_text("srun python train.py\n")
    agree(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        "sed -i s/old/new/ e.sh; . ./e.sh",
        "sed -i.bak -e s/old/new/ e.sh; . ./e.sh",
        "sed s/off/new/ off.sh > e.sh; . ./e.sh",
        "awk 'BEGIN{print \"export @@=a\"}' > e.sh; . ./e.sh",
        "awk '{print}' off.sh >> e.sh; . ./e.sh",
        "awk '{print}' off.sh | tee e.sh; . ./e.sh",
        "awk '{print}' off.sh > x.sh; mv x.sh e.sh; . ./e.sh",
        "cp -r conf/. .; . ./e.sh",
        "cp conf/*.sh .; . ./e.sh",
        "rm -f *.sh; [ -f e.sh ] && . ./e.sh; export V=1",
        "if [ $RANDOM = 1 ]; then echo export @@=a > e.sh; fi; . ./e.sh",
        "[ $RANDOM = 1 ] && rm e.sh; . ./e.sh; export V=1",
        "for x in $(cat off.sh); do echo export @@=$x >> e.sh; done; . ./e.sh",
        "while read -r x; do echo export @@=$x; done < off.sh > e.sh; . ./e.sh",
        "dd if=off.sh of=e.sh; . ./e.sh",
        "sed -E -i -e s/old/new/ e.sh; . ./e.sh",
        "perl -pi -e s/old/new/ e.sh; . ./e.sh",
    ],
)
def test_what_it_writes_is_not_guessed(text: str, tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "e.sh").write_text(f"export {NAME}=conf\n")
    (tmp_path / "e.sh").write_text(OLD)
    (tmp_path / "off.sh").write_text(f"export {NAME}=off\n")
    never_wrong(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    ["sed -i '1i unset X' run.sh; bash run.sh", "awk 1 run.sh > go.sh; bash go.sh", "sed s/a/b/ run.sh > j.sh; sbatch j.sh"],
)  # fmt: skip
def test_a_script_that_is_changed_is_a_launch_that_is_not_known(text: str, tmp_path: Path) -> None:
    model = batch(tmp_path, f"srun python train.py\n{text}", files={"run.sh": "python train.py\n"})
    assert [bool(one.opaque_program) for one in model.launches] == [False, True]
    assert "the job itself writes" in model.launches[1].opaque_program


def test_a_job_script_that_is_written_is_followed(tmp_path: Path) -> None:
    inner = f"#!/bin/bash\n#SBATCH -N2\nexport {NAME}=lr$lr\nsrun python train.py"
    text = f"for lr in 1 2; do\ncat > j$lr.sh <<EOF\n{inner}\nEOF\nsbatch j$lr.sh\ndone\n"
    model = job(tmp_path, f"#!/bin/bash\n{text}")
    assert [(seen(one.env[NAME]), one.nodes) for one in model.launches] == [("lr1", 2), ("lr2", 2)]


@pytest.mark.parametrize(
    "text",
    [
        "mkdir -p logs; echo start > logs/a.log 2>&1",
        "scontrol show hostnames > hostfile; nvidia-smi > gpus.txt",
        "cp -r data $SCRATCH/data; rsync -a data/ $SCRATCH/data/; tar xf data.tar -C $SCRATCH",
        "cp -r . $SCRATCH",
        "rm -rf outputs core.*; touch started",
        "curl -s -o data.json http://example.org/data.json",
        "sed -i s/a/b/ notes.txt",
    ],
)
def test_files_beside_the_program_change_nothing(text: str, tmp_path: Path) -> None:
    files = {"train.py": "pass\n", "env.sh": f"export {NAME}=a\n", "notes.txt": "a\n"}
    model = batch(tmp_path, f"{text}\n. ./env.sh\nsrun python train.py > train.log 2>&1", files=files)
    launch = only(model)
    assert launch.env[NAME].state is State.VALUE and launch.program_file and not launch.opaque_program


def test_a_program_that_is_overwritten_is_another_one(tmp_path: Path) -> None:
    launch = only(
        batch(tmp_path, "cp new.py train.py\nsrun python train.py", files={"train.py": "", "new.py": ""})
    )
    assert launch.program_file is None and "train.py" in launch.opaque_program
