"""The stack of the live tests: a collector in front of Jaeger and Prometheus, all on loopback."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.live.stack.build import CannotBuild, built, prometheus
from tests.live.stack.daemon import answers, free_port, running


@dataclass(frozen=True)
class Ports:
    """Free ports of one stack."""

    otlp_grpc: int = field(default_factory=free_port)
    otlp_http: int = field(default_factory=free_port)
    exposition: int = field(default_factory=free_port)
    telemetry: int = field(default_factory=free_port)
    health: int = field(default_factory=free_port)
    jaeger: int = field(default_factory=free_port)
    jaeger_grpc: int = field(default_factory=free_port)
    jaeger_otlp: int = field(default_factory=free_port)
    jaeger_health: int = field(default_factory=free_port)
    prometheus: int = field(default_factory=free_port)

    @property
    def backends(self) -> dict[str, str]:
        """The stores, as they are given on the command line."""
        return {
            "jaeger": f"http://127.0.0.1:{self.jaeger}",
            "prometheus": f"http://127.0.0.1:{self.prometheus}",
        }

    @property
    def environment(self) -> dict[str, str]:
        """What a job sets to send to the collector."""
        return {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{self.otlp_grpc}"}


def program(name: str) -> str:
    """The path of a built program; skips the test, or fails it when everything is demanded."""
    path = built(name)
    if path is None:
        _lacking(f"{name} was not built: make stack")
    return str(path)


def _lacking(why: str) -> None:
    if os.environ.get("PREFLIGHT_DEMAND_ALL") == "1":
        pytest.fail(why)
    pytest.skip(why)


def local(port: int) -> str:
    """A loopback address in the form of the collector's settings."""
    return f"127.0.0.1:{port}"


def collector_config(
    ports: Ports, *, promote: bool = True, to_jaeger: bool = True, queue: int = 1000, retry: bool = True
) -> dict[str, Any]:
    """A gateway with one sink for spans and one for metrics."""
    exporters: dict[str, Any] = {
        "prometheus": {
            "endpoint": local(ports.exposition),
            "resource_to_telemetry_conversion": {"enabled": promote},
        },
        "otlp/jaeger": {
            "endpoint": local(ports.jaeger_otlp),
            "tls": {"insecure": True},
            "sending_queue": {"queue_size": queue, "num_consumers": 1},
            "retry_on_failure": {"enabled": retry},
        },
        "debug": {},
    }
    spans = "otlp/jaeger" if to_jaeger else "debug"
    reader = {"pull": {"exporter": {"prometheus": {"host": "127.0.0.1", "port": ports.telemetry}}}}
    return {
        "receivers": {
            "otlp": {
                "protocols": {
                    "grpc": {"endpoint": local(ports.otlp_grpc)},
                    "http": {"endpoint": local(ports.otlp_http)},
                }
            }
        },
        "processors": {
            "memory_limiter": {"check_interval": "1s", "limit_mib": 400, "spike_limit_mib": 80},
            "batch": {"timeout": "100ms"},
        },
        "exporters": exporters,
        "extensions": {"health_check": {"endpoint": local(ports.health)}},
        "service": {
            "extensions": ["health_check"],
            "telemetry": {"metrics": {"readers": [reader]}},
            "pipelines": {
                "traces": {
                    "receivers": ["otlp"],
                    "processors": ["memory_limiter", "batch"],
                    "exporters": [spans],
                },
                "metrics": {
                    "receivers": ["otlp"],
                    "processors": ["memory_limiter", "batch"],
                    "exporters": ["prometheus"],
                },
            },
        },
    }


@contextmanager
def collector(config: Mapping[str, Any], ports: Ports, folder: Path) -> Iterator[None]:
    """The real collector with a configuration, until its health check is green."""
    home = _home(folder, "collector")
    file = home / "config.json"
    file.write_text(json.dumps(config))
    words = [program("collector"), "--config", str(file)]
    with running(words, home, lambda: answers(ports.health, "/")):
        yield


@contextmanager
def jaeger(ports: Ports, folder: Path) -> Iterator[None]:
    """The real Jaeger, in memory."""
    home = _home(folder, "jaeger")
    config = {
        "extensions": {
            "healthcheckv2": {"use_v2": True, "http": {"endpoint": local(ports.jaeger_health)}},
            "jaeger_storage": {"backends": {"memory": {"memory": {"max_traces": 10000}}}},
            "jaeger_query": {
                "storage": {"traces": "memory"},
                "http": {"endpoint": local(ports.jaeger)},
                "grpc": {"endpoint": local(ports.jaeger_grpc)},
            },
        },
        "receivers": {"otlp": {"protocols": {"grpc": {"endpoint": local(ports.jaeger_otlp)}}}},
        "exporters": {"jaeger_storage_exporter": {"trace_storage": "memory"}},
        "service": {
            "extensions": ["jaeger_storage", "jaeger_query", "healthcheckv2"],
            "telemetry": {"metrics": {"level": "none"}},
            "pipelines": {"traces": {"receivers": ["otlp"], "exporters": ["jaeger_storage_exporter"]}},
        },
    }
    file = home / "config.json"
    file.write_text(json.dumps(config))
    words = [program("jaeger"), "--config", str(file)]
    with running(words, home, lambda: answers(ports.jaeger, "/api/v3/services")):
        yield


@contextmanager
def prometheus_server(ports: Ports, folder: Path, *, target: int | None = None) -> Iterator[None]:
    """The real Prometheus, scraping the collector's exposition (or ``target``) every second."""
    try:
        path = prometheus().path
    except CannotBuild as error:
        _lacking(str(error))
    home = _home(folder, "prometheus")
    scrape = {
        "job_name": "collector",
        "honor_labels": True,
        "static_configs": [{"targets": [local(target or ports.exposition)]}],
    }
    config = {"global": {"scrape_interval": "1s"}, "scrape_configs": [scrape]}
    file = home / "prometheus.json"
    file.write_text(json.dumps(config))
    words = [
        str(path),
        f"--config.file={file}",
        f"--storage.tsdb.path={home / 'data'}",
        f"--web.listen-address={local(ports.prometheus)}",
    ]
    with running(words, home, lambda: answers(ports.prometheus, "/-/ready")):
        yield


@contextmanager
def stack(folder: Path, **options: Any) -> Iterator[Ports]:
    """All three together; ``options`` are those of ``collector_config``."""
    ports = Ports()
    with ExitStack() as held:
        held.enter_context(jaeger(ports, folder))
        held.enter_context(prometheus_server(ports, folder))
        held.enter_context(collector(collector_config(ports, **options), ports, folder))
        yield ports


def _home(folder: Path, name: str) -> Path:
    home = folder / name
    home.mkdir()
    return home
