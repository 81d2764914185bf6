"""Is a file a training program or a job script? By content first, by name when content is silent."""

from __future__ import annotations

import re

PROGRAM_SUFFIXES = (".py", ".pyw", ".ipynb")
JOB_SUFFIXES = (".sh", ".bash", ".sbatch", ".slurm", ".sub", ".job", ".yaml", ".yml", ".csh", ".zsh", ".ksh")

_SHEBANG = re.compile(rb"#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+)*(?:\S*/)?)?([A-Za-z]+)")
_PYTHON = re.compile(rb"^(?:from\s+[\w.]+\s+import\s|import\s+[\w.]+|def\s+\w+\(|class\s+\w+)", re.MULTILINE)


def looks_like_program(name: str, head: bytes) -> bool:
    """True for Python source or a notebook; ``head`` is the beginning of the file.

    A Python file with ``#SBATCH`` lines is still a program: Slurm starts it as it stands.
    """
    text = head.removeprefix(b"\xef\xbb\xbf")
    shebang = _SHEBANG.match(text)
    if shebang:
        return shebang.group(1).startswith((b"python", b"pypy"))
    lower = name.lower()
    if lower.endswith(PROGRAM_SUFFIXES):
        return True
    if lower.endswith(JOB_SUFFIXES):
        return False
    if b"#SBATCH" in text or re.search(rb"^(?:apiVersion|kind):", text, re.MULTILINE):
        return False
    return bool(_PYTHON.search(text))
