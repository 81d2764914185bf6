"""Builds the real objects of nemo-lens and OpenTelemetry; run as a program of its own.

Standard input: a JSON list of {kind, env}. Standard output: a JSON list of what came out, in the
words of the environment corpus. Each case runs in a forked child whose environment is exactly the
one given, so that a raise, an abort or a hang is seen and touches nothing else.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
import warnings
from typing import Any

SECONDS = 20


def describe(exporter: Any, used: list[dict[str, Any]]) -> dict[str, Any]:
    """What an exporter holds after its constructor."""
    if ".grpc." in type(exporter).__module__:
        plain = bool(exporter._insecure)
        return {
            "transport": "grpc",
            "target": exporter._endpoint,
            "insecure": plain,
            "headers": dict(exporter._headers),
            "timeout_s": exporter._timeout,
            "compression": exporter._compression.name,
            "tls": "none" if plain else used[-1],
            "creds_loaded_but_unused": plain and exporter._credentials is not None,
        }
    if ".http." not in type(exporter).__module__:
        return {"transport": "console"}
    import requests

    client = exporter._client
    session = client._transport._session
    cert = session.cert
    found = {
        "transport": "http",
        "url": client._endpoint,
        "headers": dict(client._headers),
        "timeout_s": client._timeout,
        "compression": client._compression.value,
        "verify": str(session.verify),
        "client_cert": list(cert) if isinstance(cert, tuple) else [cert] if cert else [],
    }
    try:
        request = requests.Request("POST", client._endpoint, headers=client._headers, data=b"")
        prepared = session.prepare_request(request)
        found["wire_url"] = prepared.url
        found["wire_authorization"] = prepared.headers.get("authorization")
        session.get_adapter(prepared.url)
        merged = session.merge_environment_settings(prepared.url, {}, None, None, None)
        found["effective_verify"] = str(merged["verify"])
        found["effective_proxies"] = dict(merged["proxies"])
    except Exception as error:
        found["on_send"] = {"raises": type(error).__name__}
    return found


def watch_credentials() -> list[dict[str, Any]]:
    """Record what each gRPC channel is encrypted with."""
    from opentelemetry.exporter.otlp.proto.grpc import exporter as module

    used: list[dict[str, Any]] = []
    original = vars(module)["ssl_channel_credentials"]

    def watched(root_certificates: Any = None, private_key: Any = None, certificate_chain: Any = None) -> Any:
        roots = "file" if root_certificates else "default"
        used.append({"roots": roots, "client_key": bool(private_key), "client_cert": bool(certificate_chain)})
        return original(root_certificates, private_key, certificate_chain)

    vars(module)["ssl_channel_credentials"] = watched
    return used


def build(kind: str) -> dict[str, Any]:
    """One real object, described."""
    from nemo.lens import NemoLensConfig, providers
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import sampling

    if kind == "sampler":
        return {"sampler": sampling._get_from_env_or_default().get_description()}
    if kind == "resource":
        return {"resource": plain(dict(Resource.create({}).attributes))}
    used = watch_credentials()
    config = NemoLensConfig.from_env()
    if kind == "traces":
        return describe(providers._build_span_exporter(config), used)
    if kind == "metrics":
        return describe(providers._build_metric_exporter(config), used)
    if kind == "setup":
        return set_up(config)
    fields = {k: v for k, v in vars(config).items() if not k.startswith("_")}
    try:
        fields["resolved_span_groups"] = sorted(config.resolved_span_groups)
    except ValueError as error:
        fields["resolved_span_groups"] = {"raises": type(error).__name__}
    return {"config": fields}


def plain(attributes: dict[str, Any]) -> dict[str, Any]:
    """A resource without what only the running process knows."""
    hidden = ("host.name", "process.pid", "service.version", "host.gpu.count")
    kept = {k: v for k, v in attributes.items() if k not in hidden and not k.startswith("telemetry.sdk")}
    if len(str(kept.get("service.instance.id", ""))) == 36:
        kept["service.instance.id"] = "<uuid>"
    return kept


def set_up(config: Any) -> dict[str, Any]:
    """The whole call, with a random run id blanked."""
    from nemo.lens import setup_telemetry
    from opentelemetry import metrics, trace

    given = bool(config.run_id or os.environ.get("SLURM_JOB_ID"))
    handle = setup_telemetry(config)
    blank = "<12 hex>"
    found = {"is_exporting": handle.is_exporting, "run_id": config.run_id if given else blank}
    provider: Any = trace.get_tracer_provider()
    if hasattr(provider, "sampler"):
        found["sampler"] = provider.sampler.get_description()
        resource = plain(dict(provider.resource.attributes))
        if not given:
            resource = {
                k: v.replace(config.run_id, blank) if isinstance(v, str) else v for k, v in resource.items()
            }
        found["resource"] = resource
    for reader in getattr(metrics.get_meter_provider(), "_metric_readers", ()):
        found["metric_export_interval_ms"] = reader._export_interval_millis
    return found


def child(case: dict[str, Any], out: int) -> None:
    """Run one case and write its description; never returns."""
    signal.alarm(SECONDS)
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    os.environ.clear()
    os.environ.update(case["env"])
    try:
        found = build(case["kind"])
    except BaseException as error:
        found = {"raises": type(error).__name__}
    os.write(out, json.dumps(found, default=str).encode())
    os._exit(0)


def run(case: dict[str, Any]) -> dict[str, Any]:
    """Fork, and collect what the child says or which signal ends it."""
    back, out = os.pipe()
    pid = os.fork()
    if pid == 0:
        child(case, out)
    os.close(out)
    with os.fdopen(back, "rb") as pipe:
        text = pipe.read()
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        return {"process_killed_by": signal.Signals(os.WTERMSIG(status)).name}
    found: dict[str, Any] = json.loads(text)
    return found


def main() -> None:
    """Import everything once, then fork for each case."""
    import nemo.lens
    import opentelemetry.exporter.otlp.proto.grpc.metric_exporter
    import opentelemetry.exporter.otlp.proto.grpc.trace_exporter
    import opentelemetry.exporter.otlp.proto.http.metric_exporter
    import opentelemetry.exporter.otlp.proto.http.trace_exporter
    import requests

    _ = (nemo.lens, requests, opentelemetry)
    json.dump([run(case) for case in json.load(sys.stdin)], sys.stdout)


if __name__ == "__main__":
    main()
