"""What is told of a variable stands on a line of the script that sets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.making import job

NAME = "OTEL_TRACES_SAMPLER"
HERE = "cat > part.sh <<'X'\n# one\n\nexport OTEL_TRACES_SAMPLER=always_on\nX\n"
"""A file that sets it; on line 5 when the text begins on line 2."""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("export @@\n\n(( @@ = 0 ))", 4),
        ("export @@\n(( V = 1,\n   @@ = V ))", 3),
        ("export @@\n\nlet @@=1", 4),
        ("export @@\n\nlet 'V=1' '@@=V'", 4),
        ("export @@\n\n(( @@ = $(cat n) ))", 4),
        ('export @@\n: "${@@:=x}"', 3),
        ('export @@\n: \\\n  "${V:=x}" \\\n  ${@@:=x}', 5),
        ("export @@\necho $((\n  @@ = 3 ))", 3),
        ("set -a\n\nV=$((@@ = 2))", 4),
        ("export @@\nfor (( @@ = 0;\n @@ < 2; @@++ )); do\n :\ndone", 3),
        ("export @@\nif true; then\n  : ${@@:=x}\nfi\nV=1", 4),
        ("f() {\n  export @@\n  (( @@ = 1 ))\n}\nf\n", 4),
        ("f() {\n  export @@\n  V=1\n}\nf; : ${@@:=$(\n echo 1)}\n", 6),
        ("export @@\nread -r V @@ <<< '1 2'", 3),
        (HERE + ". ./part.sh", 5),
        (HERE + "cp part.sh copy.sh\n. ./copy.sh", 5),
        (HERE + "export BASH_ENV=$PWD/part.sh\nbash -c 'srun python train.py'\nexit", 5),
        (HERE + "bash -c '\n. ./part.sh\nsrun python train.py'\nexit", 5),
        (HERE + "echo srun python train.py >> part.sh\nbash part.sh\nexit", 8),
        (HERE + "cat >> part.sh <<< 'V=1'\n. ./part.sh", 8),
        ("if true; then\n" + HERE + "fi\nf() { . ./part.sh; }\nf", 6),
        ("V='a\nb'\ncat > part.sh <<X\nexport V='$V'\nexport @@=1\nX\n. ./part.sh", 8),
        ("export -p > snap.sh\n\nexport @@=1\nexport -p > snap.sh\n. ./snap.sh", 6),
        (". /dev/stdin <<'X'\n\nexport @@=1\nX", 4),
        ("bash <<'X'\n\nexport @@=1\nsrun python train.py\nX\nexit", 4),
        ("bash <<'X'\ncat > part.sh <<'Y'\n\nexport @@=1\nY\n. ./part.sh\nsrun python train.py\nX\nexit", 5),
        ("bash -c '\n\nexport @@=1\nsrun python train.py'\nexit", 4),
        ("eval '\n\nexport @@=1'", 2),
    ],
)
def test_it_is_the_line_that_sets_it(text: str, line: int, tmp_path: Path) -> None:
    script = f"#!/bin/bash\n{text.replace('@@', NAME)}\nsrun python train.py\n"
    (launch,) = job(tmp_path, script).launches
    assert launch.env[NAME].location.line == line


def test_a_file_that_a_sourced_file_writes_is_told_where_it_is_read(tmp_path: Path) -> None:
    files = {"make.sh": "\n\n\n\n\n\n\n\n" + HERE}
    script = "#!/bin/bash\n. ./make.sh\n. ./part.sh\nsrun python train.py\n"
    (launch,) = job(tmp_path, script, files=files).launches
    assert launch.env[NAME].location.line == 3
