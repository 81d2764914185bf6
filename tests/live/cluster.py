"""A throw-away Slurm cluster on the loopback address: munge, one slurmctld, several slurmd.

Works as root in a container, without systemd and without cgroups: Debian builds slurmd such that
several may run on one host, told apart by ``-N`` and their port. Nothing outside the folder is
written, and everything started is stopped by its process id.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType

PROGRAMS = ("munged", "slurmctld", "slurmd", "scontrol", "sbatch", "srun", "sinfo", "setpriv")
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
PACKAGES = "slurm-wlm munge"


def lacking() -> str:
    """Why no cluster can be started here; empty when one can."""
    if os.geteuid() != 0:
        return "Slurm's daemons must be started as root"
    missing = [name for name in PROGRAMS if shutil.which(name, path=PATH) is None]
    if missing:
        return f"{', '.join(missing)} not found: apt-get install --no-install-recommends {PACKAGES}"
    return ""


class Cluster:
    """Nodes n1 to nN; ``lines`` are added to slurm.conf, if they are set before the start."""

    def __init__(self, nodes: int = 4) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="lens-slurm-", dir="/tmp"))
        self.nodes = tuple(f"n{n}" for n in range(1, nodes + 1))
        self.lines: tuple[str, ...] = ()
        self._processes: list[subprocess.Popen[bytes]] = []
        self.conf = self.folder / "slurm.conf"

    # --- life

    def __enter__(self) -> Cluster:
        try:
            self._prepare()
            self._start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _prepare(self) -> None:
        self.folder.chmod(0o755)
        for name in ("state", "spool", "log", "run", "munge"):
            (self.folder / name).mkdir(mode=0o755)
        (self.folder / "out").mkdir()
        (self.folder / "out").chmod(0o1777)
        for name in ("state", "log", "run"):
            shutil.chown(self.folder / name, "slurm", "slurm")
        key = self.folder / "munge" / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        for path in (self.folder / "munge", key):
            shutil.chown(path, "munge", "munge")
        self.conf.write_text(self._configuration())

    def _configuration(self) -> str:
        host = socket.gethostname().split(".")[0]
        ports = _free_ports(len(self.nodes) + 1)
        folder = self.folder
        lines = [
            "ClusterName=ci",
            f"SlurmctldHost={host}(127.0.0.1)",
            f"SlurmctldPort={ports[0]}",
            "SlurmUser=slurm",
            "SlurmdUser=root",
            "AuthType=auth/munge",
            f"AuthInfo=socket={folder}/munge/munge.sock",
            "CredType=cred/munge",
            "MpiDefault=none",
            "ProctrackType=proctrack/linuxproc",
            "TaskPlugin=task/none",
            "JobAcctGatherType=jobacct_gather/none",
            "AccountingStorageType=accounting_storage/none",
            "JobCompType=jobcomp/none",
            "SelectType=select/cons_tres",
            "SelectTypeParameters=CR_Core",
            "SchedulerParameters=sched_interval=1,bf_interval=2,sched_min_interval=0",
            "ReturnToService=2",
            "InactiveLimit=0",
            "KillWait=2",
            "Waittime=0",
            f"StateSaveLocation={folder}/state",
            f"SlurmdSpoolDir={folder}/spool/%n",
            f"SlurmctldPidFile={folder}/run/slurmctld.pid",
            f"SlurmdPidFile={folder}/run/slurmd.%n.pid",
            f"SlurmctldLogFile={folder}/log/slurmctld.log",
            f"SlurmdLogFile={folder}/log/slurmd.%n.log",
            "SlurmdParameters=config_overrides",
            *self.lines,
        ]
        for node, port in zip(self.nodes, ports[1:], strict=True):
            lines.append(
                f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 "
                "RealMemory=256 State=UNKNOWN"
            )
        lines.append(f"PartitionName=all Nodes={','.join(self.nodes)} Default=YES MaxTime=INFINITE State=UP")
        return "\n".join(lines) + "\n"

    def _start(self) -> None:
        folder = self.folder / "munge"
        setpriv = ("setpriv", "--reuid", "munge", "--regid", "munge", "--clear-groups")
        options = ("key-file=munge.key", "socket=munge.sock", "pid-file=munged.pid", "seed-file=munged.seed")
        paths = [f"--{name}={folder}/{file}" for name, _, file in (o.partition("=") for o in options)]
        log = f"--log-file={folder}/munged.log"
        self._spawn(*setpriv, "munged", "--foreground", *paths, log)
        self.wait(lambda: (folder / "munge.sock").exists(), "munged")
        self._spawn("slurmctld", "-D", "-f", str(self.conf))
        for node in self.nodes:
            (self.folder / "spool" / node).mkdir()
            self._spawn("slurmd", "-D", "-f", str(self.conf), "-N", node)
        self.wait(lambda: set(self.states().values()) == {"idle"}, "the nodes", 60)

    def _spawn(self, *argv: str) -> None:
        with (self.folder / "log" / f"{argv[0]}.out").open("ab") as out:
            process = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=self.environ(), cwd="/"
            )
        self._processes.append(process)

    def stop(self) -> None:
        """End the jobs, then the daemons, each by its process id; leave nothing behind."""
        if self._processes and len(self._processes) > 1:
            with contextlib.suppress(OSError, subprocess.SubprocessError, TimeoutError):
                self.cancel_all()
        for process in reversed(self._processes):
            process.terminate()
        for process in reversed(self._processes):
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._stop_steps()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _stop_steps(self) -> None:
        """Step daemons outlive slurmd; those of this cluster name its configuration."""
        mark = f"SLURM_CONF={self.conf}".encode()
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if b"slurmstepd" in (entry / "cmdline").read_bytes() and mark in (
                    entry / "environ"
                ).read_bytes().split(b"\0"):
                    os.kill(int(entry.name), signal.SIGKILL)

    # --- use

    def environ(self, **more: str) -> dict[str, str]:
        """The environment of a user on the login node."""
        return {"PATH": PATH, "HOME": "/", "SLURM_CONF": str(self.conf), "LC_ALL": "C", **more}

    def run(self, *argv: str, check: bool = True, environ: Mapping[str, str] | None = None) -> str:
        """The output of a command of Slurm."""
        done = subprocess.run(
            argv,
            env=self.environ(**(environ or {})),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            check=False,
            cwd=self.folder / "out",
        )
        if check and done.returncode:
            raise AssertionError(f"{' '.join(argv)} ended with {done.returncode}: {done.stdout}")
        return done.stdout

    def cancel_all(self) -> None:
        """End every job."""
        jobs = self.run("squeue", "--noheader", "--format=%A").split()
        if jobs:
            self.run("scancel", *jobs)
            self.wait(lambda: not self.run("squeue", "--noheader"), "the jobs to end", 10)

    def states(self) -> dict[str, str]:
        """The state of each node."""
        out = self.run("sinfo", "--noheader", "--Node", "--format=%N %T", check=False)
        return dict(line.split() for line in out.splitlines() if line.startswith("n") and " " in line)

    def reason(self, node: str) -> str:
        """The Reason of a node; empty when it has none."""
        found = re.search(r"Reason=(.*?)(?: \[|$)", self.run("scontrol", "-o", "show", "node", node))
        return found[1].strip() if found else ""

    def submit(self, script: str, *options: str, **environ: str) -> str:
        """Submit a batch script; returns the job id."""
        path = self.folder / "out" / f"job-{time.monotonic_ns()}.sh"
        path.write_text(f"#!/bin/sh\n{script}\n")
        out = self.run("sbatch", "--parsable", "--output=%j.out", *options, str(path), environ=environ)
        return out.strip().splitlines()[-1].partition(";")[0]

    def job(self, job: str) -> Mapping[str, str]:
        """The fields of ``scontrol show job``."""
        words = self.run("scontrol", "-o", "show", "job", job).split()
        return dict(word.split("=", 1) for word in words if "=" in word)

    def ended(self, job: str, seconds: float = 120) -> Mapping[str, str]:
        """The fields of a job once it is over, or held."""

        def over() -> bool:
            found = self.job(job)
            held = found["JobState"] == "PENDING" and "held" in found["Reason"].lower()
            return held or found["JobState"] not in ("PENDING", "RUNNING", "CONFIGURING", "COMPLETING")

        self.wait(over, f"job {job}", seconds)
        return self.job(job)

    def output(self, job: str) -> str:
        """What the job printed."""
        path = self.folder / "out" / f"{job}.out"
        return path.read_text(errors="replace") if path.exists() else ""

    def wait(self, condition: Callable[[], bool], what: str, seconds: float = 90) -> None:
        """Look every 50 ms until a condition holds; Slurm tells nobody when something has happened."""
        end = time.monotonic() + seconds
        while not condition():
            dead = [p.args for p in self._processes if p.poll() is not None]
            if dead or time.monotonic() > end:
                logs = "\n".join(self.logs().splitlines()[-40:])
                raise TimeoutError(f"waited {seconds:g} s for {what}; ended: {dead}\n{logs}")
            time.sleep(0.05)

    def logs(self) -> str:
        """The logs of all daemons."""
        files = [*sorted((self.folder / "log").glob("*")), self.folder / "munge" / "munged.log"]
        return "".join(f"== {p.name}\n{p.read_text(errors='replace')}" for p in files if p.is_file())


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()
