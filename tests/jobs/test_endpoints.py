"""Which endpoint of a launch is this very machine, and which proxy stands before another."""

from __future__ import annotations

import pytest

from lens_preflight.core.finding import Location
from lens_preflight.core.variable import Environment
from lens_preflight.jobs.endpoints import default_endpoint, endpoints
from lens_preflight.lens.frameworks import detect

NAME = "OTEL_EXPORTER_OTLP_ENDPOINT"


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://localhost:4317", True),
        ("http://LocalHost:4317", True),
        ("localhost:4317", True),
        ("http://127.0.0.1:4317", True),
        ("http://127.1:4317", True),
        ("http://0.0.0.0:4317", True),
        ("http://[::1]:4317", True),
        ("http://[::]:4317", True),
        ("http://[::ffff:127.0.0.1]:4317", True),
        ("http://ip6-localhost:4317", True),
        ("http://collector.localhost:4317", True),
        ("http://localhost.example:4317", False),
        ("http://[2001:db8::1]:4317", False),
        ("http://gateway:4317", False),
        ("http://", False),
    ],
)
def test_this_machine_in_all_spellings(url: str, local: bool) -> None:
    (found,) = endpoints(Environment.of({NAME: url}))
    assert found.local is local


def test_a_proxy_stands_before_others_only() -> None:
    proxies = {"https_proxy": "http://proxy:3128", "http_proxy": "http://proxy:3128"}
    (far,) = endpoints(Environment.of({NAME: "http://gateway:4317", **proxies}))
    (here,) = endpoints(Environment.of({NAME: "http://0.0.0.0:4317", **proxies}))
    assert far.proxy and not here.proxy


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ({}, 1),
        ({NAME: ""}, 1),
        ({NAME: "http://gateway:4317"}, 0),
        ({"NEMO_LENS_ENABLED": "0"}, 0),
        ({"NEMO_LENS_ENABLED": "what"}, 0),
        ({"OTEL_SDK_DISABLED": "true"}, 0),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://a:1"}, 1),
        (
            {
                "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://a:1",
                "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://a:1",
            },
            0,
        ),
    ],
)
def test_a_launch_with_telemetry_and_without_endpoint_has_the_default(
    more: dict[str, str], found: int
) -> None:
    env = Environment.of({"NEMO_LENS_ENABLED": "1", **more})
    place = Location.file("job.sh", 3)
    assert len(default_endpoint(env, detect("train.py", (), None), place)) == found
    open_ = Environment(env.variables, complete=False, opaque="it depends")
    assert len(default_endpoint(open_, detect("train.py", (), None), place)) == (found and NAME in more)
