"""The few commands of Slurm that the gate uses, none of them on the path of a healthy job."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping

from lens_preflight.core.data import dataclass

PREFIX = "lens-preflight"
"""How every Reason of ours begins; no other Reason is ever touched."""

_PATH = "/usr/sbin:/usr/bin:/sbin:/bin:/opt/slurm/bin"


class SlurmError(Exception):
    """A command of Slurm could not be run, or did not answer in time; one line."""


@dataclass(frozen=True)
class Slurm:
    """Runs Slurm's commands: ``bin_dir`` is looked in first, ``timeout`` in seconds for each."""

    bin_dir: str = ""
    timeout: float = 5.0

    def run(self, *argv: str) -> str:
        """The output of a command. Raises SlurmError."""
        try:
            done = subprocess.run(
                argv,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=self.timeout,
                env=self._environment(os.environ),
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise SlurmError(f"{argv[0]} gave no answer within {self.timeout:g} s") from None
        except OSError as error:
            raise SlurmError(f"{argv[0]} cannot be run: {error.strerror}") from None
        if done.returncode != 0:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise SlurmError(
                f"{argv[0]} ended with {done.returncode}: {said[-1][:120] if said else 'silence'}"
            )
        return done.stdout.decode("utf-8", "replace")

    def _environment(self, environ: Mapping[str, str]) -> dict[str, str]:
        path = f"{self.bin_dir}:{_PATH}" if self.bin_dir else _PATH
        kept = {"SLURM_CONF": environ["SLURM_CONF"]} if environ.get("SLURM_CONF") else {}
        return {"PATH": path, "LC_ALL": "C", "TZ": "UTC", **kept}

    def reason(self, node: str) -> tuple[str, str]:
        """The state words and the Reason of a node. Raises SlurmError."""
        out = self.run(
            "sinfo", "--noheader", "--Node", "--nodes", node, "--Format", "StateLong:64,Reason:512"
        )
        first = next((line for line in out.splitlines() if line.strip()), "")
        return first[:64].strip(), first[64:].strip()

    def drained_by_us(self) -> list[tuple[str, str]]:
        """Node and time stamp (UTC) of all nodes that bear a Reason of ours. Raises SlurmError."""
        out = self.run("sinfo", "--noheader", "--Node", "--format", "%N|%H|%E")
        rows = dict.fromkeys(line for line in out.splitlines() if line.count("|") >= 2)
        parts = [row.split("|", 2) for row in rows]
        return [(node, at) for node, at, reason in parts if reason.startswith(PREFIX)]

    def drain(self, node: str, reason: str) -> None:
        """Take a node out of service after its jobs. Raises SlurmError."""
        self.run("scontrol", "update", f"nodename={node}", "state=drain", f"reason={reason}")
