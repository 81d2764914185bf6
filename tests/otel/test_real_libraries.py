"""Random environments: the models agree with the real libraries, including what raises or aborts."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lens_preflight.core.variable import Environment
from lens_preflight.lens.generations import generation
from lens_preflight.otel.files import HostFiles
from tests.otel.vectors import Vector, comparable, expected, said

ENVIRONMENTS = 60
KINDS = ("traces", "metrics", "sampler", "resource", "config", "setup")
PATHS = ("{ca}", "{key}", "{junk}", "{missing}", "{folder}", "")
BOOLEANS = ("1", "0", "true", "FALSE", " on ", "off", "", "2", "enabled")
HOSTS = (
    "c",
    "c:4317",
    "c:4318",
    "localhost:4317",
    "[::1]:4317",
    "user:p%40w@c:4317",
    "10.1.2.3:4318",
    "[::1",
)
SCHEMES = ("http://", "https://", "HTTP://", "", "grpc://", "//", "http:", "unix:///")
TAILS = ("", "", "", "/", "/v1/traces", "?x=1", " ", "/otlp/", "#f")
HEADERS = ("a=1", "A=1, b=2", "authorization=Bearer%20t", "x", "=v", "a=b c", "a=x,y", "a=%C3%A9", "n:v", "")
NUMBERS = ("", "0", "-1", "5", "2.5", "10s", "1e3", " 7 ", "1_000", "abc", "100000")
PROXIES = ("http://p:3128", "", "p:1")
SEED = "PREFLIGHT_SEED"


def endpoint(dice: random.Random) -> str:
    """An endpoint, more often odd than not."""
    return dice.choice(SCHEMES) + dice.choice(HOSTS) + dice.choice(TAILS)


def pool(dice: random.Random) -> dict[str, str]:
    """One text for each variable there is to choose from."""
    found = {"NEMO_LENS_EXPORTER": dice.choice(("otlp", "console", "CONSOLE"))}
    for signal in ("", "TRACES_", "METRICS_"):
        stem = f"OTEL_EXPORTER_OTLP_{signal}"
        found[f"{stem}ENDPOINT"] = endpoint(dice)
        found[f"{stem}PROTOCOL"] = dice.choice(
            ("grpc", "http/protobuf", "HTTP/JSON", " http/protobuf", "http")
        )
        found[f"{stem}HEADERS"] = dice.choice(HEADERS)
        found[f"{stem}TIMEOUT"] = dice.choice(NUMBERS)
        found[f"{stem}COMPRESSION"] = dice.choice(("gzip", "GZIP ", "none", "deflate", ""))
        found[f"{stem}INSECURE"] = dice.choice(("true", "True", "1", "false", ""))
        for key in ("CERTIFICATE", "CLIENT_KEY", "CLIENT_CERTIFICATE"):
            found[f"{stem}{key}"] = dice.choice(PATHS)
    for key in ("ENABLED", "TRACES_ENABLED", "METRICS_ENABLED", "SAMPLER_ENABLED"):
        found[f"NEMO_LENS_{key}"] = dice.choice(BOOLEANS)
    found |= {
        "NEMO_LENS_EXPORT_STRATEGY": dice.choice(("single_rank", "all_ranks", "sampled", "All", "")),
        "NEMO_LENS_EXPORT_RANK": dice.choice(("0", "-1", "3", "last")),
        "NEMO_LENS_EXPORT_SAMPLE_RATE": dice.choice(("0", "1", "0.5", "1.5", "nan", "x")),
        "NEMO_LENS_SPAN_GROUPS": dice.choice(("default", "per_step,JOB", "all", ",", "bogus", " ")),
        "NEMO_LENS_RUN_ID": dice.choice(("r1", " r 2 ", "")),
        "SLURM_JOB_ID": dice.choice(("77", " ", "")),
        "OTEL_SERVICE_NAME": dice.choice(("svc", " svc ", "")),
        "OTEL_RESOURCE_ATTRIBUTES": dice.choice(
            ("a=b", " a = b%20c ,", "dl.rank=3,=x", "service.name=n", "a")
        ),
        "OTEL_TRACES_SAMPLER": dice.choice(
            ("always_off", "TraceIdRatio", " always_on", "parentbased_traceidratio")
        ),
        "OTEL_TRACES_SAMPLER_ARG": dice.choice(("0.25", "10%", "1e-400", "", "2")),
        "OTEL_METRIC_EXPORT_INTERVAL": dice.choice(("5000", "0", "1e4", " 9 ", "")),
        "OTEL_BSP_MAX_QUEUE_SIZE": dice.choice(("256", "4096", "abc", "0")),
        "OTEL_BSP_SCHEDULE_DELAY": dice.choice(("100", "5s", "-1")),
        "OTEL_SPAN_EVENT_COUNT_LIMIT": dice.choice(("10", "", "-1", "x")),
        "OTEL_METRICS_EXEMPLAR_FILTER": dice.choice(("always_on", "nope")),
        "OTEL_PYTHON_METER_PROVIDER": "nope",
        "DEPLOYMENT_ENV": dice.choice(("prod", "")),
        "ENVIRONMENT": "stage",
        "http_proxy": dice.choice(PROXIES),
        "HTTPS_PROXY": dice.choice(PROXIES),
        "no_proxy": dice.choice(("c", "localhost,10.0.0.0/8", "*", ".example")),
        "REQUESTS_CA_BUNDLE": dice.choice(PATHS),
    }
    return found


def environments(seed: int, folder: Path) -> list[dict[str, str]]:
    """Random environments; half of them with telemetry switched on and well."""
    names = {"ca": "ca.pem", "key": "key.pem", "junk": "junk.txt", "missing": "missing.pem", "folder": ""}
    paths = {name: str(folder / file) for name, file in names.items()}
    for name, kind in (("ca", "CERTIFICATE"), ("key", "PRIVATE KEY")):
        Path(paths[name]).write_text(f"-----BEGIN {kind}-----\nAAAA\n-----END {kind}-----\n")
    Path(paths["junk"]).write_text("no certificate\n")
    dice = random.Random(seed)
    found = []
    for number in range(ENVIRONMENTS):
        texts = pool(dice)
        chosen = dice.sample(sorted(texts), dice.randint(1, 7))
        env = {name: texts[name] for name in chosen}
        env |= {"NEMO_LENS_ENABLED": "1"} if number % 2 else {}
        base = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8"}
        found.append(base | {k: v.format(**paths) if v.startswith("{") else v for k, v in env.items()})
    return found


def built(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the real libraries make of the cases, in a process of their own."""
    program = Path(__file__).with_name("real_libraries.py")
    clean = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "GRPC_VERBOSITY": "NONE"}
    command = [sys.executable, "-I", str(program)]
    done = subprocess.run(
        command, input=json.dumps(cases), env=clean, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


@pytest.mark.skipif(importlib.util.find_spec("nemo") is None, reason="needs nemo-lens (Python 3.13)")
def test_models_agree_with_the_real_libraries(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seed = int(os.environ.get(SEED) or random.SystemRandom().randrange(10**6))
    with capsys.disabled():
        print(f" {SEED}={seed}", end="")
    cases: list[dict[str, Any]] = [
        {"kind": kind, "env": env} for env in environments(seed, tmp_path) for kind in KINDS
    ]
    wrong = []
    for case, real in zip(cases, built(cases), strict=True):
        env = Environment.of(case["env"])
        vector = Vector(case["kind"], generation("0.1"), case["kind"], (), env, real, HostFiles())
        want, have = comparable(expected(vector)), said(vector)
        if want != have:
            chosen = {k: v for k, v in case["env"].items() if k not in ("PATH", "HOME", "LANG")}
            wrong.append(f"{case['kind']} {chosen}:\n  really {want}\n  model  {have}")
    assert not wrong, f"{SEED}={seed}\n" + "\n".join(wrong)
