"""The environment corpus: what is compared of each vector, and what the models say to it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from lens_preflight.core.errors import Harm, LibraryFailure
from lens_preflight.core.variable import Environment
from lens_preflight.lens.config import LensConfig
from lens_preflight.lens.frameworks import Framework
from lens_preflight.lens.generations import Generation, generation
from lens_preflight.lens.run_id import Source
from lens_preflight.lens.setup import Setup
from lens_preflight.otel import processors
from lens_preflight.otel.delivery import HANGS, first_export, received
from lens_preflight.otel.exporter import Exporter, exporter
from lens_preflight.otel.files import Files, Kind, MadeUpFiles
from lens_preflight.otel.proxies import requests_proxies
from lens_preflight.otel.resource import RANDOM, resource
from lens_preflight.otel.sampler import sampler
from lens_preflight.otel.wire import authorization, wire, wire_url
from tests.corpus import corpus_root

FILES = MadeUpFiles(
    {"@CA@": Kind.PEM, "@KEY@": Kind.PEM, "@BADPEM@": Kind.OTHER, "@TMP@": Kind.DIRECTORY},
    {"@NETRC@": "machine 127.0.0.1 login fromnetrc password x\n"},
)
PORT = "43180"
RANKLESS = replace(
    generation("nightly"), has_registry=False, rank_key="dl.rank", world_size_key="dl.world_size"
)
"""The branch of the corpus: before the registry, before the attributes were renamed."""

Said = dict[str, Any]


@cache
def corpus() -> dict[str, Any]:
    """The file of the corpus."""
    found: dict[str, Any] = json.loads((corpus_root() / "environment" / "vectors.json").read_text())
    return found


@dataclass(frozen=True)
class Vector:
    """One vector, ready for the models."""

    id: str
    generation: Generation
    kind: str
    arguments: tuple[str, ...]
    env: Environment
    expect: Said
    files: Files = FILES

    @classmethod
    def of(cls, raw: dict[str, Any]) -> Vector:
        """Read one entry of the corpus."""
        kind, *arguments = raw["signal"].split(":")
        values = {**corpus()["meta"]["base_env"], **raw["env"]}
        env = Environment.of({k: v.replace("@PORT@", PORT) for k, v in values.items()})
        lens = RANKLESS if raw["lens"] == "rankless" else generation(raw["lens"][:3])
        return cls(raw["id"], lens, kind, tuple(arguments), env, raw["expect"])

    @property
    def config(self) -> LensConfig:
        """The configuration under the prefixes of a ``config`` vector, else under the usual one."""
        prefix, fallback = "NEMO_LENS", ""
        if self.kind == "config" and self.arguments:
            prefix, fallback = self.arguments[0], "".join(self.arguments[1:2])
        return LensConfig(self.env, Framework("test", "test", prefix, fallback), self.generation)


def said(vector: Vector) -> Said:
    """What the models say to a vector, in the words of the corpus."""
    speakers = {
        "sampler": lambda v: {"sampler": sampler(v.env).description},
        "config": _config,
        "resource": lambda v: {"resource": _random_uuid(resource(v.env))},
        "bsp": _batch,
        "blrp": _batch,
        "setup": _setup,
        "send-grpc": _send,
        "send-http": _send,
    }
    try:
        return speakers.get(vector.kind, _exporter)(vector)
    except LibraryFailure as failure:
        if failure.harm is Harm.RAISES:
            return {"raises": failure.exception}
        return {"process_killed_by": "SIGABRT" if failure.harm is Harm.ABORTS else "SIGALRM"}


def expected(vector: Vector) -> Said:
    """The compared part of what the real libraries did."""
    found = vector.expect
    for word in ("raises", "process_killed_by"):
        if word in found:
            return {word: found[word]}
    if vector.kind.startswith("send"):
        return _real_send(found)
    if vector.kind in ("bsp", "blrp"):
        return {k: v for k, v in found.items() if k not in ("logs", "export_timeout_millis(unused)")}
    if vector.kind == "setup":
        names = ("is_exporting", "run_id", "sampler", "resource", "metric_export_interval_ms")
        return {k: found[k] for k in names if k in found}
    if vector.kind in ("sampler", "config", "resource"):
        return {k: v for k, v in found.items() if k != "logs"}
    return _real_exporter(found)


def comparable(found: Said) -> Said:
    """Of a span-group spec that raises only the exception is compared."""
    config = found.get("config")
    if config and isinstance(config["resolved_span_groups"], dict):
        return {"config": config | {"resolved_span_groups": config["resolved_span_groups"]["raises"]}}
    return found


# ---------------------------------------------------------------- exporters


def _export(vector: Vector, signal: str) -> Exporter:
    """The exporter, after the configuration that names its kind was read."""
    vector.config.load()
    return exporter(vector.env, signal, vector.generation, vector.files)


def _real_exporter(found: Said) -> Said:
    if found["transport"] == "console":
        return {"transport": "console"}
    names: tuple[str, ...] = ("transport", "target", "url", "insecure", "timeout_s", "tls")
    kept: Said = {k: found[k] for k in names if k in found}
    kept["timeout_s"] = float(found["timeout_s"]) if found["timeout_s"] not in ("nan",) else "nan"
    words = {"NoCompression": "none", "Gzip": "gzip"}
    kept["compression"] = words.get(found["compression"], found["compression"])
    headers = found["headers"]
    pairs = headers.items() if isinstance(headers, dict) else headers
    kept["headers"] = {name.lower(): value for name, value in pairs}
    names = ("verify", "client_cert", "effective_verify", "effective_proxies", "creds_loaded_but_unused")
    kept.update({k: found[k] for k in names if k in found})
    if "on_send" in found:
        kept["on_send"] = found["on_send"]["raises"]
    kept.update({k: found[k] for k in ("wire_url", "wire_authorization") if k in found})
    return kept


def _exporter(vector: Vector) -> Said:
    found = _export(vector, vector.kind)
    if found.transport == "console":
        return {"transport": "console"}
    said: Said = {
        "transport": found.transport,
        "timeout_s": "nan" if found.timeout != found.timeout else found.timeout,
        "compression": found.compression,
        "headers": dict(found.headers),
    }
    return said | (_grpc(found) if found.transport == "grpc" else _http(found, vector))


def _grpc(found: Exporter) -> Said:
    tls: Any = "none"
    if not found.insecure:
        roots = "file" if found.ca else "default"
        tls = {"roots": roots, "client_key": bool(found.client_key), "client_cert": bool(found.client_cert)}
    return {
        "target": found.target,
        "insecure": found.insecure,
        "tls": tls,
        "creds_loaded_but_unused": found.unused_credentials,
    }


def _http(found: Exporter, vector: Vector) -> Said:
    said: Said = {
        "url": found.target,
        "verify": str(found.ca or True),
        "client_cert": [path for path in (found.client_cert, found.client_key) if path],
    }
    try:
        said["wire_url"] = wire_url(found.target)
        said["wire_authorization"] = authorization(found, vector.env, vector.files)[0]
        wire(found, vector.env, vector.files)
    except LibraryFailure as failure:
        said["on_send"] = failure.exception
        return said
    said["effective_verify"] = str(found.verify)
    said["effective_proxies"] = requests_proxies(vector.env, found.target)
    return said


# ---------------------------------------------------------------- sending


def _real_send(found: Said) -> Said:
    if "export" in found:
        return {"error": found["export"]["raises"]}
    if found["result"] == "SUCCESS":
        seen = found["server_saw"]
        return {"error": "", "saw": seen.get("metadata", seen.get("headers"))}
    text = " ".join(row[2] for row in found.get("logs", ()))
    status = re.search(r"StatusCode\.(\w+)", text)
    return {"error": status[1] if status else "refused"}


def _send(vector: Vector) -> Said:
    found = _export(vector, "traces")
    delivery = first_export(found)
    if delivery.error == HANGS:
        return {"process_killed_by": "SIGALRM"}
    if delivery.arrives:
        saw = received(found)
        if found.transport == "http":
            saw = {k: v for k, v in saw.items() if k not in ("user-agent", "host") and " " not in k}
        return {"error": "", "saw": saw}
    grpc_word = delivery.error.isupper() or delivery.error == "TypeError"
    return {"error": delivery.error if grpc_word else "refused"}


# ---------------------------------------------------------------- lens and SDK


def _config(vector: Vector) -> Said:
    config = vector.config
    config.load()
    names = ["enabled", "service_name", "export_strategy", "export_rank", "export_sample_rate"]
    names += ["sampler_enabled", "traces_enabled", "metrics_enabled", "logs_enabled", "span_groups"]
    names += ["exporter", "run_id", "user", "wandb_entity", "wandb_project"]
    if not config.generation.has_strategy:
        gone = ("export_strategy", "export_rank", "export_sample_rate", "sampler_enabled")
        names = [name for name in names if name not in gone]
    found: Said = {name: getattr(config, name) for name in names}
    resolved = config.resolved_groups
    found["resolved_span_groups"] = sorted(resolved.groups)
    if resolved.unknown:
        found["resolved_span_groups"] = "ValueError"
    return {"config": found}


def _batch(vector: Vector) -> Said:
    found = processors.batch(vector.env, vector.kind.upper())
    return {
        "max_queue_size": found.queue,
        "schedule_delay_millis": found.delay,
        "max_export_batch_size": found.size,
    }


def _random_uuid(found: dict[str, Any]) -> dict[str, Any]:
    own = found.get("service.instance.id") == RANDOM
    return found | ({"service.instance.id": "<uuid>"} if own else {})


def _setup(vector: Vector) -> Said:
    rank, world = (int(text) for text in (*vector.arguments[:2], "0", "1")[:2])
    rank, world = (rank, world) if vector.arguments else (0, 1)
    attributes = dict(text.split("=", 1) for text in vector.arguments[2:])
    setup = Setup(vector.env, vector.config, vector.files, rank, world, attributes)
    setup.run()
    random = setup.run_id.source is Source.RANDOM
    found: Said = {"is_exporting": setup.is_exporting}
    found["run_id"] = "<12 hex>" if random else setup.run_id.value
    if not setup.is_exporting:
        return found
    if vector.config.traces_enabled:
        found["sampler"] = setup.sampler
        made_up = {
            k: v.replace(RANDOM, "<12 hex>") if isinstance(v, str) and v != RANDOM else v
            for k, v in setup.resource.items()
        }
        if random and made_up["nemo.run.id"] == RANDOM:
            made_up["nemo.run.id"] = "<12 hex>"
        found["resource"] = _random_uuid(made_up)
    if vector.config.metrics_enabled:
        found["metric_export_interval_ms"] = setup.metric_interval()
    return found
