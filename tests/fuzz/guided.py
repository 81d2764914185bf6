"""``python -m tests.fuzz.guided --seconds N``: the same entry points, led by what code an input reaches.

The bytes of libFuzzer (through atheris, which has wheels for Linux on x86-64) are the choices of the
makers of inputs; an input that reaches something new is kept and changed further. What it finds is a
file, and the line to type shows it again with its traceback.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import os
import sys
import tempfile
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.fuzz.drawn import Drawn

LENGTH = 2048
"""Bytes of an input at most: so many choices are enough for the longest of them."""

MEGABYTES = 3072
"""Memory that one target may take."""

FOUND = 77
"""The exit code of a process that has found something: libFuzzer's own."""


def main(argv: Sequence[str] | None = None) -> int:
    """Fuzz each target for a while; 1 when anything crashed, hung or leaked."""
    options = _options(argv)
    try:
        atheris = importlib.import_module("atheris")
    except ImportError:
        print("atheris is not installed: pip install atheris", file=sys.stderr)
        return 2
    with atheris.instrument_imports(include=["lens_preflight"]):
        by_name = importlib.import_module("tests.fuzz.targets").BY_NAME
        if options.file is not None:
            return _again(by_name[options.target[0]], options.file)
        names = options.target or sorted(by_name)
        found = [name for name in names if _in_a_child(atheris, by_name[name], options) != 0]
    print(f"guided: {len(names)} targets, {options.seconds} s each, {len(found)} with finds")
    return 1 if found else 0


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.guided", description=__doc__)
    parser.add_argument(
        "--target", action="append", default=[], help="repeatable; all of them when not given"
    )
    parser.add_argument("--seconds", type=int, default=60, metavar="N", help="for each target [60]")
    parser.add_argument("--executions", type=int, default=-1, metavar="N", help="at most, for each target")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the order of mutations [1]")
    parser.add_argument(
        "--finds", type=Path, default=Path("build/finds"), metavar="DIR", help="[build/finds]"
    )
    parser.add_argument("--file", type=Path, help="this one input of --target alone, with its traceback")
    options = parser.parse_args(argv)
    if options.file is not None and len(options.target) != 1:
        parser.error("--file needs one --target")
    return options


def once(target: Any, data: bytes) -> None:
    """One execution; what goes wrong is raised."""
    from tests.fuzz.engine import use, watchdog

    with warnings.catch_warnings(), watchdog(target.seconds):
        warnings.simplefilter("ignore")
        use(target, target.make(Drawn(data)))


def _again(target: Any, file: Path) -> int:
    data = file.read_bytes()
    print(repr(target.make(Drawn(data)))[:20_000])
    once(target, data)
    print("no crash")
    return 0


def _in_a_child(atheris: Any, target: Any, options: argparse.Namespace) -> int:
    """The exit code of a process that fuzzes one target: libFuzzer ends the one that it runs in."""
    options.finds.mkdir(parents=True, exist_ok=True)
    sys.stdout.flush()
    with tempfile.TemporaryDirectory() as corpus:
        child = os.fork()
        if child == 0:
            try:
                _fuzz(atheris, target, Path(corpus), options)
            finally:
                os._exit(FOUND)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        kept = sum(1 for _ in Path(corpus).iterdir())
    if kept < 2 and code == 0:
        print(f"guided {target.name}: no input reaches anything new; is the code instrumented?", flush=True)
        code = FOUND
    print(f"guided {target.name}: {kept} inputs that each reach something new, exit {code}", flush=True)
    if code:
        prefix = f"python -m tests.fuzz.guided --target {target.name} --file"
        for file in sorted(options.finds.glob(f"{target.name}-*")):
            print(f"again: {prefix} {file}", flush=True)
    return code


def _fuzz(atheris: Any, target: Any, corpus: Path, options: argparse.Namespace) -> None:
    """Hand this process to libFuzzer; it does not come back."""
    flags = {
        "max_total_time": options.seconds,
        "runs": options.executions,
        "seed": options.seed,
        "max_len": LENGTH,
        "len_control": 0,
        "rss_limit_mb": MEGABYTES,
        "timeout": 600,  # hangs are the watchdog's, which counts CPU
        "detect_leaks": 0,
        "verbosity": 0,
        "artifact_prefix": f"{options.finds}/{target.name}-",
    }
    (corpus / "first").write_bytes(bytes(LENGTH // 4))
    words = [sys.argv[0], *(f"-{name}={value}" for name, value in flags.items()), str(corpus)]

    def tried(data: bytes) -> None:
        try:
            once(target, data)
        except BaseException:
            traceback.print_exc()
            name = hashlib.sha256(data).hexdigest()[:16]
            (options.finds / f"{target.name}-{name}").write_bytes(data)
            os._exit(FOUND)

    atheris.Setup(words, tried)
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
