"""A network of its own (root only) in which packets to some addresses vanish or are refused."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from tests.faultlab.judge import Said

ROOT = Path(__file__).parents[2]

HOLE = (
    "ip link set lo up\n"
    "ip tuntap add hole mode tun 2>/dev/null || ip link add hole type dummy 2>/dev/null || "
    "ip link add hole type veth peer name eloh\n"
    "ip link set hole arp off\n"
    "ip addr add 10.0.2.1/24 dev hole\n"
    "ip link set hole up\n"
)
"""An interface that swallows everything."""


@functools.cache
def possible() -> bool:
    """Whether this user can make a network."""
    if os.geteuid() != 0 or not shutil.which("unshare") or not shutil.which("ip"):
        return False
    return subprocess.run(["unshare", "-n", "true"], capture_output=True, check=False).returncode == 0


def judge_inside(cases: Sequence[tuple[str, Mapping[str, str]]]) -> list[Said]:
    """What the check says in such a network; each case is the id of a fault and its environment."""
    routes = "".join(_route(name, env) for name, env in cases)
    return run_inside("tests.faultlab.judge", [env for _, env in cases], routes)


def run_inside(module: str, asked: object, routes: str = "") -> list[Said]:
    """The answers of a module of this folder, run in such a network; ``asked`` goes in as JSON."""
    done = subprocess.run(
        ["unshare", "-n", "-m", "sh", "-c", f"{HOLE}{routes}exec {sys.executable} -m {module}\n"],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [Said(**one) for one in json.loads(done.stdout)]


def _route(name: str, env: Mapping[str, str]) -> str:
    host = urlsplit(env["OTEL_EXPORTER_OTLP_ENDPOINT"]).hostname or ""
    if "reject" in name or "icmp" in name:
        return f"ip route add unreachable {host}/32 table local metric 1\n"
    if "unreachable" in name or host == "127.0.0.1":
        return ""
    return f"ip route add {host}/32 dev hole table local\n"
