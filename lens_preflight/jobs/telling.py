"""Commands that nobody models and whose words speak of a launch: tmux, flux, kubectl, coverage, ..."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lens_preflight.jobs.draft import Where, resolve
from lens_preflight.jobs.field import Field
from lens_preflight.jobs.programs import _PYTHON

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell

_TOKENS = re.compile(r"[^\s;|&()<>\"'`]+")
_NAME = re.compile(r"[\w.+-]+")
"""What a command may be called; NAME=value in its place is a slip, and starts nothing."""


def _set(text: str) -> frozenset[str]:
    return frozenset(_TOKENS.findall(text))


_LAUNCHERS = _set(
    "srun torchrun ft_launcher mpirun mpiexec accelerate deepspeed horovodrun jsrun aprun prun flux"
)
_STARTERS = _set("horovodrun jsrun aprun prun bsub qsub flux dask-ssh")
"""Commands that hand a program to other hosts or to another time, whatever their words."""

_LATER = _set("at batch bsub qsub csh tcsh fish")
"""Commands that run their standard input as a script, now or later."""

_INERT = _set(
    """
    alias apt apt-get aws awk basename bat black bzip2 cat cd chgrp chmod chown cksum cloc cmp column cp
    ctags cut cython date df diff dirname dnf dos2unix du echo ed egrep emacs ex exit export expr
    fgrep file flake8 fmt fold gcloud getent gh git grep groups gsutil gunzip gzip hash head hf history
    hostname huggingface-cli id inotifywait install isort jobs join jq kill killall ldd less let ln local
    locate logger logname ls lsof lz4 mail mailx make man mc md5sum mkdir mktemp module more mv mypy nano nl
    nm notify-send nproc nvidia-smi objdump od paste patch pathchk pg pgrep pidof ping pip pip3
    pipx pkill pr pre-commit printenv printf ps pstree pwd pydocstyle pyflakes pylint pytest pyright rclone
    readelf readlink realpath renice rev rm rmdir rsync ruff s3cmd sacct sacctmgr sbcast scancel scontrol
    scp sed seq sftp sgather sha1sum sha256sum sha512sum shellcheck shfmt shred shuf sinfo sleep sort split
    sprio squeue sreport sshare ssh-keygen sstat stat strings strip sum sync tac tail tar tee test touch tr
    tree true truncate tty type ulimit umask uname uniq unlink unset unzip update-alternatives uptime vi view
    vim wait wall wc wget curl whatis whereis which who whoami xz yapf yq yum zcat zip zstd 7z
    """
)
"""Commands that start nothing: they print, look up, copy, edit or install what their words name."""


def telling(
    shell: Shell, words: Sequence[Field], cwd: str | None, where: Where, given: Field | None = None
) -> str:
    """What makes a command look like a launch, in its words or its standard input; empty for the many others."""
    name = words[0].constant.rpartition("/")[2]
    if name in _INERT or not _NAME.fullmatch(name):
        return ""
    if given is not None and name in _LATER:
        return name
    if given is not None and (told := spoken_of(shell, given.text.constant or "", cwd, where)):
        return told
    if len(words) < 2:
        return ""
    if words[1].text.template.startswith("="):  # an assignment with blanks around its sign
        return ""
    if name in _STARTERS:
        return name
    if name == "wandb":
        verb = words[1].constant
        return f"wandb {verb}" if verb in ("agent", "launch") else ""
    return spoken_of(shell, " ".join(word.text.template for word in words[1:]), cwd, where)


def spoken_of(shell: Shell, text: str, cwd: str | None, where: Where) -> str:
    """The part of a text that starts a program: a launcher, Python with a script, a Python file of the job."""
    tokens: list[str] = _TOKENS.findall(text)
    for index, token in enumerate(tokens):
        base = token.rpartition("/")[2]
        following = tokens[index + 1] if index + 1 < len(tokens) else ""
        if base in _LAUNCHERS and following:
            return f"{base} {following}"
        program = following.endswith(".py") or following.startswith(("-m", "-u", "{"))
        if _PYTHON.fullmatch(base) and program:
            return f"{base} {following}"
        if token.endswith(".py") and is_file(shell, token, cwd, where):
            return token
    return ""


def is_file(shell: Shell, name: str, cwd: str | None, where: Where) -> bool:
    """Whether a name is that of a file beside the job."""
    full = resolve(name, cwd, where, shell.run.extra_map) if "{" not in name else None
    return full is not None and os.path.isabs(full) and shell.run.files.kind(full) == "file"
