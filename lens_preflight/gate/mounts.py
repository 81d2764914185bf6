"""What kind of file system a path lies on."""

from __future__ import annotations

import os
from pathlib import Path

NETWORK = ("nfs", "lustre", "gpfs", "beegfs", "ceph", "cifs", "smb", "afs", "fuse", "panfs", "wekafs", "9p")
MEMORY = ("tmpfs", "ramfs", "devtmpfs")


def kind(path: Path) -> str:
    """The type of the file system that a path lies on; empty when it cannot be told."""
    try:
        lines = Path("/proc/self/mounts").read_text("utf-8", "replace").splitlines()
    except OSError:
        return ""
    real = os.path.realpath(path)
    best, found = "", ""
    for fields in (line.split() for line in lines):
        if len(fields) < 3:
            continue
        point = fields[1].replace("\\040", " ")
        inside = real == point or real.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):
            best, found = point, fields[2]
    return found


def network_mount(path: Path) -> str:
    """The type when the path depends on a network, else nothing."""
    found = kind(path)
    return found if found.startswith(NETWORK) else ""
