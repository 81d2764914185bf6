"""Settings, their gate and waiver tables, environment files, baselines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random

from lens_preflight.baseline import read_baseline
from lens_preflight.cli.gather import read_env_file
from lens_preflight.core.errors import InputError
from lens_preflight.gate.options import gate_settings
from lens_preflight.settings import find, load
from tests.fuzz import mutate
from tests.fuzz.corpora import scratch, texts
from tests.fuzz.target import CANARY, Target

_OWN = f"""\
profile = "ci"
purpose = "production"
expect = ["6", 2]
fail_on = "warn"
ignore = ["volume"]
local = ["checks.py"]
dashboards = ["d.json"]
[site]
collector = "gateway"
[families]
loss = ["train.loss"]
throughput = false
[backends]
jaeger = "http://user:{CANARY}@jaeger:16686"
[severity]
"volume/queue" = "off"
"sampler/unset" = "note"
[gate]
policy = "advisory"
ttl = 300
timeout = 2.5
run_dir = "/run/lens-preflight-%n"
control_address = "slurmctl:6817"
max_drains_per_hour = 2
[gate.environment]
OTEL_EXPORTER_OTLP_HEADERS = "x-token={CANARY}"
[[waive]]
rule = "shutdown/hard-exit"
path = "train*.py"
launch = "*"
reason = "known since March"
until = 2027-01-31
[[waive]]
rule = "backend-run-id"
status = "unknown"
reason = "no store in the test cluster"
until = "2027-01-31"
"""
_WORDS = (
    *("profile", "purpose", "waive", "gate", "site", "severity", "families", "backends", "until", "status"),
    *('"auto"', "true", "1979-05-27T07:32:00Z", "07:32:00", "0x1F", "1e5", "[1, 2]", "{a = 1}", "[[waive]]"),
    *("[gate.environment]", '"""', "'''", "nan", "-inf", "1_000", '"\\u0000"', "until = 2027-02-30", "[a.b]"),
)


def _values_alone(text: str) -> str:
    """The planted secret stands in values; the name of a key or table is none, and may be quoted."""
    lines = []
    for line in text.split("\n"):
        name, equals, value = line.partition("=")
        quoted = '"' in name or "'" in name
        lines.append((name if quoted else name.replace(CANARY, "")) + equals + value)
    return "\n".join(lines)


def _known_places_alone(data: bytes) -> bytes:
    """The planted secret goes where lost bytes have moved it to a place that holds no secrets."""
    lines = data.split(b"\n")
    for at, line in enumerate(lines):
        if not any(place in line for place in (b"_HEADERS", b"x-token=", b"http://user:")):
            lines[at] = line.replace(CANARY.encode(), b"moved")
    return b"\n".join(lines)


def made(random: Random) -> tuple[str, bytes]:
    """The name of a settings file, and what is in it."""
    seeds = (*texts("healthy/*/preflight.toml"), _OWN, _OWN, _OWN)
    name = "pyproject.toml" if random.random() < 0.1 else "preflight.toml"
    head = "[tool.lens-preflight]\n" if name == "pyproject.toml" else ""
    text = _values_alone(mutate.text(random, head + random.choice(seeds), _WORDS, seeds))
    data = text.encode("utf-8", "surrogatepass")
    if random.random() < 0.1:
        data = _known_places_alone(mutate.octets(random, data))
    return name, data


def _use_settings(file: tuple[str, bytes]) -> Iterator[str]:
    name, data = file
    path = scratch() / name
    path.write_bytes(data)
    try:
        found = find(scratch())
        assert found is None or found == path
        settings = load(path)
        repr(settings)
        gate_settings(settings)
        yield ", ".join(w.rule for w in settings.waivers)
    finally:
        path.unlink()


_ENV = f"""\
# the site
export NEMO_LENS_ENABLED=1
OTEL_EXPORTER_OTLP_ENDPOINT="http://user:{CANARY}@h:4318"
OTEL_EXPORTER_OTLP_HEADERS='x={CANARY}'

  NEMO_LENS_RUN_ID = run-7
"""


def _env_file(random: Random) -> bytes:
    text = mutate.text(random, _ENV, ("export", "NAME", "=", "#", "X=1"))
    return mutate.octets(random, text.encode("utf-8", "surrogatepass"))


def _use_env_file(data: bytes) -> Iterator[str]:
    path = scratch() / "site.env"
    path.write_bytes(data)
    for variable in read_env_file(str(path)):
        yield f"{variable.name} {variable.origin}".replace(CANARY, "") if CANARY in variable.name else ""


_BASELINE = {
    "schema": "lens-preflight/baseline/1",
    "findings": [{"fingerprint": "0123456789abcdef", "rule": "shutdown/hard-exit"}] * 3,
}


def _baseline(random: Random) -> bytes:
    data = json.dumps(mutate.tree(random, _BASELINE, ("fingerprint", "schema", "findings"))).encode()
    return mutate.octets(random, data) if random.random() < 0.3 else data


def _use_baseline(data: bytes) -> Iterator[str]:
    path = scratch() / "baseline.json"
    path.write_bytes(data)
    yield from read_baseline(str(path)).places


TARGETS = (
    Target("settings", 2400, made, _use_settings, (InputError,)),
    Target("env-files", 800, _env_file, _use_env_file, (InputError,)),
    Target("baselines", 700, _baseline, _use_baseline, (InputError,)),
)
