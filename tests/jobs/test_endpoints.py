"""Which endpoint of a launch is this very machine, and which proxy stands before another."""

from __future__ import annotations

import pytest

from lens_preflight.core.variable import Environment
from lens_preflight.jobs.endpoints import endpoints

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
