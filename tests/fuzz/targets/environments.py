"""Environments of a job: what Lens and OTel make of them, the checks on them, and the endpoints that they name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from random import Random

from lens_preflight.core.errors import LibraryFailure, Undecided
from lens_preflight.core.variable import Environment, Variable
from lens_preflight.core.words import State
from lens_preflight.otel.dial import dial
from lens_preflight.otel.files import Kind, MadeUpFiles
from lens_preflight.otel.proxies import grpc_proxy, requests_proxy
from lens_preflight.otel.wire import wire_url
from lens_preflight.probe.address import Malformed, grpc_destination, http_destination
from lens_preflight.registry import builtin
from tests.fuzz import mutate
from tests.fuzz.corpora import CASES
from tests.fuzz.judging import said
from tests.fuzz.target import CANARY, Target
from tests.making import subject

_NAMES = (
    *("ENABLED", "TRACES_ENABLED", "METRICS_ENABLED", "LOGS_ENABLED", "EXPORTER", "RUN_ID", "USR_ID"),
    *("SPAN_GROUPS", "EXPORT_STRATEGY", "EXPORT_RANK", "EXPORT_SAMPLE_RATE", "SAMPLER_ENABLED"),
)
_OTLP = (
    *("ENDPOINT", "HEADERS", "TIMEOUT", "PROTOCOL", "COMPRESSION", "CERTIFICATE", "CLIENT_KEY", "INSECURE"),
    *("CLIENT_CERTIFICATE", "METRICS_TEMPORALITY_PREFERENCE"),
)
NAMES = (
    *(f"{prefix}_{name}" for prefix in ("NEMO_LENS", "NEMO_RL_OTEL", "MEGATRON_OTEL") for name in _NAMES),
    *(f"OTEL_EXPORTER_OTLP_{signal}{name}" for signal in ("", "TRACES_", "METRICS_") for name in _OTLP),
    *("OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG", "OTEL_RESOURCE_ATTRIBUTES", "OTEL_SERVICE_NAME"),
    *("OTEL_SDK_DISABLED", "OTEL_BSP_MAX_QUEUE_SIZE", "OTEL_BSP_SCHEDULE_DELAY", "OTEL_BLRP_EXPORT_TIMEOUT"),
    *("OTEL_METRIC_EXPORT_INTERVAL", "OTEL_METRIC_EXPORT_TIMEOUT", "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT"),
    *("OTEL_PYTHON_TRACER_PROVIDER", "OTEL_PYTHON_CONTEXT", "OTEL_METRICS_EXEMPLAR_FILTER"),
    *("HTTP_PROXY", "https_proxy", "no_proxy", "NO_PROXY", "ALL_PROXY", "grpc_proxy", "NETRC", "HOME"),
    *("REQUESTS_CA_BUNDLE", "SLURM_JOB_ID", "SLURM_PROCID", "RANK", "WORLD_SIZE", "LOCAL_RANK", "SITE_TOKEN"),
    *("SLURM_RESTART_COUNT", "SLURM_ARRAY_TASK_ID", "PYTHONPATH", "LENS_PREFLIGHT_JAEGER_TOKEN"),
)
_VALUES = (
    *("1", "0", "true", "False", "grpc", "http/protobuf", "http/json", "console", "otlp", "gzip", "deflate"),
    *("parentbased_traceidratio", "always_on", "always_off", "0.1", "1.5", "default,per_step", "all", "job"),
    *("http://collector:4317", "https://c.example:4318/v1/traces", "collector:4317", "[::1]:4317", "none"),
    *(
        "unix:/run/otel.sock",
        "ipv4:10.0.0.1:4317,10.0.0.2:4317",
        "dns:///c:4317",
        "localhost:4317",
        "/p/ca.pem",
    ),
    *(
        "a=b,c=d",
        "authorization=Bearer%20x",
        "x=1,,=,y",
        "first",
        "last",
        "one_per_node",
        "7",
        "10000",
        "cumulative",
    ),
    *(
        "10.0.0.0/8,.example",
        "*",
        "${SLURM_JOB_ID}",
        "run-%j",
        "service.name=x,k=v",
        "/nowhere",
        "2147483648",
    ),
)
_SECRET = (
    ("OTEL_EXPORTER_OTLP_HEADERS", f"x-token={CANARY}"),
    ("OTEL_EXPORTER_OTLP_TRACES_HEADERS", f"authorization=Bearer%20{CANARY},x=y"),
    ("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://user:{CANARY}@collector:4318"),
    ("HTTPS_PROXY", f"http://user:{CANARY}@proxy:3128"),
    ("SITE_API_KEY", CANARY),
)


@cache
def _recorded() -> tuple[dict[str, str], ...]:
    vectors = json.loads((CASES / "environment" / "vectors.json").read_text())["vectors"]
    return tuple({str(k): str(v) for k, v in vector.get("env", {}).items()} for vector in vectors)


def environment(random: Random) -> dict[str, str]:
    """Variables of a job: a recorded set, changed, or any names with any values; never a NUL."""
    env = {"NEMO_LENS_ENABLED": "1", **random.choice(_recorded())} if random.random() < 0.5 else {}
    for _ in range(random.choice((0, 1, 2, 4, 10))):
        env[random.choice(NAMES)] = _value(random)
    for name in random.sample(list(env), min(len(env), random.choice((0, 0, 1)))):
        env[name] = mutate.text(random, env[name], _VALUES)
    if random.random() < 0.3:
        name, value = random.choice(_SECRET)
        env[name] = value
    elif random.random() < 0.3:
        env["SITE_API_KEY"] = CANARY  # known, so that it is hidden wherever mutation carries it
        env[random.choice(NAMES)] = mutate.text(random, random.choice(_SECRET)[1], _VALUES)
    return {name: value.replace("\0", "") for name, value in env.items()}


def _value(random: Random) -> str:
    return random.choice(_VALUES) if random.random() < 0.7 else mutate.nasty(random)


def _environment(random: Random) -> tuple[dict[str, str], tuple[str, ...], bool, int | None]:
    env = environment(random)
    unknown = tuple(random.sample(NAMES, random.choice((0, 0, 1, 3))))
    return env, unknown, random.random() < 0.7, random.choice((None, 1, 8, 4096))


def _use_environment(made: tuple[dict[str, str], tuple[str, ...], bool, int | None]) -> Iterator[str]:
    env, unknown, complete, world = made
    whole = Environment.of(env).over(
        Variable(name, random_state, reason="set at start")
        for name, random_state in zip(unknown, (State.UNKNOWN, State.PROVIDED, State.UNSET), strict=False)
    )
    if not complete:
        whole = Environment(whole.variables, complete=False, opaque="it depends on who submits")
    files = MadeUpFiles({"/p/ca.pem": Kind.PEM}, {"/home/me/.netrc": f"machine h login u password {CANARY}"})
    yield from said(subject(whole, files=files, world_size=world), builtin())


def _endpoint(random: Random) -> tuple[str, dict[str, str]]:
    seed = random.choice(
        (
            *("http://collector:4317", "https://[fe80::1%25eth0]:4318/v1/traces?x=y#z", "collector:4317"),
            *("ipv4:10.0.0.1:4317,10.0.0.2", "ipv6:[::1]:4317", "unix:///run/x", "unix-abstract:x"),
            *("dns://8.8.8.8/c:4317", "xds:///c", "http+unix://%2Frun%2Fx", "//c:1", "HTTP://U:P@C:80/%zz"),
        )
    )
    target = mutate.text(random, seed, _VALUES).replace("\0", "")
    names = ("http_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY", "all_proxy", "grpc_proxy", "no_grpc_proxy")
    return target, {name: _value(random).replace("\0", "") for name in random.sample(names, 2)}


def _use_endpoint(made: tuple[str, dict[str, str]]) -> Iterator[str]:
    target, env = made
    known = Environment.of(env)
    dial(target)
    for question in (grpc_destination, http_destination):
        try:
            question(target)
        except Malformed as error:
            yield error.text
    for decide in (grpc_proxy, requests_proxy):
        try:
            decide(known, target)
        except (LibraryFailure, Undecided):
            continue
    try:
        wire_url(target)
    except LibraryFailure as failure:
        yield failure.exception


TARGETS = (
    Target("environments", 500, _environment, _use_environment),
    Target("endpoints", 1800, _endpoint, _use_endpoint),
)
