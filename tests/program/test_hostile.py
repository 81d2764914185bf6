"""Sources that are no programs, or were made to break a reader: an answer, never a crash."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from lens_preflight.core.errors import InputError, Undecided
from lens_preflight.core.variable import Environment
from lens_preflight.core.world import World
from lens_preflight.lens.generations import GENERATIONS
from lens_preflight.program import analyse
from tests.program.judge import CHECKS, ask, context

PRELUDE = b"from nemo.lens import NemoLensConfig, setup_telemetry\n"
CLOSE = b"try:\n    print(1)\nfinally:\n    handle.shutdown()\n"
SETUP = b"handle = setup_telemetry(NemoLensConfig.from_env(), rank=0, world_size=8)\n"
SOURCES = {
    "empty": b"",
    "null-byte": b"x = 1\0\n",
    "utf-16": "x = 1\n".encode("utf-16"),
    "latin-1-without-cookie": b"# caf\xe9\nx = 1\n",
    "unknown-cookie": b"# -*- coding: no-such -*-\nx = 1\n",
    "cookie-against-mark": b"\xef\xbb\xbf# -*- coding: latin-1 -*-\nx = 1\n",
    "parentheses": b"x = " + b"(" * 250 + b")" * 250 + b"\n",
    "minus-60000": b"x = " + b"-" * 60_000 + b"1\n",
    "minus-3000": b"x = " + b"-" * 3_000 + b"1\n",
    "sum-5000": b"x = " + b" + ".join([b"1"] * 5_000) + b"\n",
    "elif-3000": b"if x == 0:\n pass\n" + b"".join(b"elif x == %d:\n pass\n" % i for i in range(3_000)),
    "attributes-20000": b"x = a" + b".b" * 20_000 + b"\n",
    "calls-900": b"x = f" + b"()" * 900 + b"\n",
    "indents": b"".join(b" " * i + b"if 1:\n" for i in range(150)) + b" " * 150 + b"pass\n",
    "surrogate": b"x = '\\ud800'\n",
    "digits": b"x = " + b"9" * 5_000 + b"\n",
    "power": b"x = 9 ** 9 ** 9\ny = 'a' * 10 ** 12\nz = [0] * 10 ** 12\n",
    "hexadecimal": b"N = 0x" + b"f" * 5_000 + b"\nif N > 3: x = N * 2\ny = f'{N} {-N} {N / 3}'\nz = str(N)\n",
    "escape": b"x = '\\d'\n",
    "form-feed": b"\x0cx = 1\r\ny = 2\r",
    "tabs": b"if 1:\n\tx = 1\n        y = 2\n",
    "recursion": b"def f(n):\n    return f(n + 1)\nf(0)\n",
    "mutual": b"def a():\n    b()\ndef b():\n    a()\na()\n",
    "self-reference": b"x = []\nx.append(x)\nprint(x == x, len(x), x in x)\n",
    "endless": b"n = 0\nwhile True:\n    n += 1\n",
    "class-cycle": b"class A: pass\nA.b = A\nA.b.b.b.b\n",
    "assignments": b"".join(b"x%d = %d\n" % (i, i) for i in range(20_000)),
    "huge": b"x = 1\n" * 400_000,
    "not-python": b"#!/bin/bash\nset -e\nsrun python train.py\n",
    "elf": b"\x7fELF" + bytes(range(256)) * 8,
}


def verdicts(path: Path) -> dict[str, str]:
    """The verdict of every check for a script."""
    world = World(8, 4)
    program = analyse(str(path), base=str(path.parent))
    ctx = context(program, "0.1", {"NEMO_LENS_ENABLED": "1"}, world)
    return {check.id: ask(check, ctx).verdict for check in CHECKS}


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_entry(name: str, tmp_path: Path) -> None:
    """As the entry itself: nothing passes, nothing crashes."""
    path = tmp_path / "train.py"
    path.write_bytes(SOURCES[name])
    try:
        found = verdicts(path)
    except InputError:
        return
    assert not {"pass", "note"} & set(found.values()), found


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_helper(name: str, tmp_path: Path) -> None:
    """As an imported helper: the verdict about the entry is still there, or unknown."""
    (tmp_path / "helper.py").write_bytes(SOURCES[name])
    path = tmp_path / "train.py"
    path.write_bytes(
        PRELUDE + b"try:\n    import helper\nexcept BaseException:\n    helper = None\n" + SETUP + CLOSE
    )
    assert verdicts(path)["shutdown"] in ("pass", "warn", "unknown")


def test_random_bytes(tmp_path: Path) -> None:
    """2,000 random byte strings, some of them made of pieces of Python."""
    chance = random.Random(20_260_101)
    pieces = [
        b"def f(",
        b"):\n",
        b"try:\n",
        b" finally:\n",
        b"handle.shutdown()",
        b"\n",
        b"    ",
        b"(",
        b"]",
        b"lambda",
        b"\0",
    ]
    path = tmp_path / "train.py"
    for _ in range(2_000):
        if chance.random() < 0.5:
            path.write_bytes(chance.randbytes(chance.randrange(200)))
        else:
            path.write_bytes(b"".join(chance.choices(pieces, k=chance.randrange(30))))
        program = analyse(str(path), base=str(tmp_path))
        try:
            program.reading(Environment.of({}), World(2, 2), GENERATIONS[0])
        except Undecided:
            continue


def test_bad_entries(tmp_path: Path) -> None:
    """What cannot be opened is an input error with words."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").touch()
    for entry in ("missing.py", "folder", "loop"):
        with pytest.raises(InputError):
            analyse(entry, base=str(tmp_path))
    with pytest.raises(InputError, match="__main__"):
        analyse(module="package", base=str(tmp_path))
    with pytest.raises(InputError, match="no module"):
        analyse(module="nothing.here", base=str(tmp_path))


def test_loops_of_links_and_imports(tmp_path: Path) -> None:
    """Modules that import each other, and a folder that links to itself."""
    (tmp_path / "again").symlink_to(tmp_path)
    (tmp_path / "a.py").write_text("import b\nfrom again.a import x\n")
    (tmp_path / "b.py").write_text("import a\nimport again.again.b\n")
    path = tmp_path / "train.py"
    path.write_bytes(b"import a\n" + PRELUDE + SETUP + CLOSE)
    assert verdicts(path)["setup-once"] in ("pass", "unknown", "fail")
