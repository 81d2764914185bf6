"""Builds lens-preflight.pyz: our code, click and tomli in one file, for hosts where nothing can be installed.

Usage: python packaging/build_zipapp.py [FILE]     (click must be importable by this interpreter)
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import zipapp
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAIN = "from lens_preflight.__main__ import main\n\nmain()\n"


def build(target: Path) -> Path:
    """Write the archive; any Python from 3.10 on runs it."""
    import click

    leave_out = shutil.ignore_patterns("__pycache__", "*.py[co]", "checks", "reports")
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        shutil.copytree(ROOT / "lens_preflight", tree / "lens_preflight", ignore=leave_out)
        for part in ("checks", "reports"):
            plain = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / part, tree / "lens_preflight" / part, ignore=plain)
        package = Path(click.__file__).parent
        shutil.copytree(package, tree / "click", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copyfile(ROOT / "LICENSE", tree / "LICENSE")
        _toml_reader(tree / "tomli")
        (tree / "__main__.py").write_text(MAIN)
        target.parent.mkdir(parents=True, exist_ok=True)
        zipapp.create_archive(tree, target, interpreter="/usr/bin/env python3", compressed=True)
    return target


def _toml_reader(target: Path) -> None:
    """The reader of settings for Python 3.10, as source: tomli, or what later Pythons have made of it."""
    if sys.version_info >= (3, 11):
        import tomllib as reader
    else:
        import tomli as reader
    compiled = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd")
    shutil.copytree(Path(reader.__file__).parent, target, ignore=compiled)


if __name__ == "__main__":
    wanted = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "dist" / "lens-preflight.pyz"
    print(build(wanted))
