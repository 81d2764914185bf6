"""Programs of this machine, by name."""

from __future__ import annotations

import os
import shutil


def on_path(name: str) -> str | None:
    """The program of that name on PATH, None when there is none.

    A relative entry of PATH, such as the empty one, is passed over: it names the folder that the caller
    stands in, which may be the tree that is being judged.
    """
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return shutil.which(name, path=os.pathsep.join(filter(os.path.isabs, folders)))
