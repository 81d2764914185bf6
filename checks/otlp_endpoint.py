"""Will the endpoint take this signal's telemetry, by the exporter's own rules?"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks.otlp_endpoint_rules import (
    BY_CODE,
    CLIENT_FAILED,
    NOT_FROM_HERE,
    RULES,
    SERVER_MESSAGE,
    VERIFICATION_OFF,
)
from lens_preflight.core.check import Said, check
from lens_preflight.core.errors import Harm, LibraryFailure, Skip, Undecided
from lens_preflight.core.finding import Assumption, Finding, Location, Proof
from lens_preflight.core.words import Need, Scope

if TYPE_CHECKING:
    from lens_preflight.context import Context
    from lens_preflight.otel.exporter import Exporter
    from lens_preflight.probe.model import ProbeResult

FROM_NODE = "--profile node or --node-report"


@check(
    "otlp-endpoint",
    "The OTLP endpoint takes an empty request of each signal",
    items=(6,),
    scope=Scope.SIGNAL,
    needs=(Need.NETWORK,),
    rules=RULES,
    decisive=True,
)
def otlp_endpoint(ctx: Context) -> Iterator[Said]:
    """Sends one empty Export of the signal through the library that the job's exporter uses (requests or
    grpcio), with the same target, headers, certificates, proxies and time-out, and reads the reply as OTLP.

    An unreachable collector is the most common silent loss: nothing fails at start, and at the end
    `handle.shutdown()` blocks (28 s measured for traces and metrics against a closed port). Worse, redirects,
    login pages, foreign services and partial rejections are *success* to the exporter, which reads no reply.

    Beside the client the way is walked stage by stage: settings, name, proxy, TCP to every address, TLS with
    the client's trust and ALPN, protocol. The stages explain, the client decides. When the client succeeds
    although a stage failed the verdict is unknown, and a bug to report.

    An empty request proves name, route, TLS, protocol, path, credentials and that the signal is served. It
    does not prove that data is accepted behind the receiver: quotas, size limits and full queues show for
    real data only (`--send-canary`).

    Outside a compute node what belongs to the host (names, routes, ports, proxies, trust stores, time-outs)
    is at most a caution, `not-from-here`, and a pass leaves the item open; what does not (the form of the
    URL, TLS against plaintext, path, redirect, wrong service, credentials) fails from anywhere.
    """
    from lens_preflight.context import exports

    signal = ctx.target.key.partition(" @ ")[0] or "traces"
    if not exports(ctx.lens.in_sight, signal):
        raise Skip("the signal is not exported")
    try:
        exporter = ctx.otel.in_sight.exporter(signal)
    except LibraryFailure as failure:
        refused = _refused_at_start(ctx, failure)
        yield from ctx.last(refused)
        if refused.rule is NOT_FROM_HERE:
            yield Proof("not asked from a compute node", missing_input=FROM_NODE)
        return
    if not ctx.env.complete:
        yield Assumption("what the job does not set", "unset", ctx.env.opaque)
    if exporter.transport == "console":
        raise Skip("the exporter prints to standard output and sends nothing")
    if signal in ctx.inside.own_exporters:
        raise Undecided(f"the program gives setup_telemetry an exporter of its own for the {signal}")
    _skip_local_agent(ctx, exporter)
    result = ctx.probe(exporter)
    yield from _notes(result)
    word = result.verdict.value
    if word == "unknown":
        raise Undecided(result.message, exporter.endpoint_from.location)
    if word == "pass":
        yield _proof(ctx, result)
        return
    yield from ctx.last(_finding(ctx, result))
    if not _on_node(ctx):
        yield Proof("asked from this host, not from a compute node", missing_input=FROM_NODE)


def _on_node(ctx: Context) -> bool:
    return ctx.profile == "node"


def _from_a_node(ctx: Context) -> str:
    """The command that asks from where the job runs, about the same job script or program."""
    job = ctx.job
    target = job.path if job is not None else ctx.launch.program_file
    words = [
        "srun",
        "-N1",
        "-n1",
        "lens-preflight",
        "check",
        *([target] if target else ()),
        "--profile",
        "node",
    ]
    return shlex.join(words)


def _skip_local_agent(ctx: Context, exporter: Exporter) -> None:
    """With an agent on every node, what listens on this host's loopback says nothing elsewhere."""
    if ctx.topology == "node-agent" and not _on_node(ctx) and exporter.loopback:
        raise Skip(
            "the collector is an agent on each compute node, and this host is none", missing_input=FROM_NODE
        )


def _refused_at_start(ctx: Context, failure: LibraryFailure) -> Finding:
    """The exporter that is never built sends nothing; one that lacks a file may have it elsewhere."""
    name = failure.variable
    code = "setting-invalid"
    if failure.harm is Harm.ABORTS:
        code = "client-pair-incomplete"
    elif name.endswith("_CERTIFICATE") and failure.exception != "RuntimeError":
        code = "ca-file-missing"
    elif name.endswith("_ENDPOINT"):
        code = "endpoint-syntax"
    of_a_file = name.endswith(("_CERTIFICATE", "_KEY")) and bool(ctx.env[name].value)
    elsewhere = of_a_file and failure.exception != "RuntimeError" and not _on_node(ctx)
    does = {Harm.RAISES: "raises", Harm.ABORTS: "aborts the process", Harm.HANGS: "hangs"}[failure.harm]
    return Finding(
        NOT_FROM_HERE if elsewhere else BY_CODE[code],
        f"the exporter is never built: {failure.exception} because of {name or 'the settings'}",
        Location.variable(name or "OTEL_EXPORTER_OTLP_ENDPOINT"),
        evidence={"stage": "configure", "code": code, "library": f"{failure.exception}, {does}"},
        remedy=f"correct or remove it: unset {name}" if name else "lens-preflight env",
    )


def _notes(result: ProbeResult) -> Iterator[Finding]:
    at = result.exporter.endpoint_from.location
    for note in result.notes:
        yield Finding(SERVER_MESSAGE, note, at, remedy="ask the collector's owner what it means")
    if result.exporter.verify is False and result.exporter.tls:
        yield Finding(
            VERIFICATION_OFF,
            "the server's certificate is not verified",
            at,
            remedy="give the CA: OTEL_EXPORTER_OTLP_CERTIFICATE=/path/ca.pem",
        )


def _proof(ctx: Context, result: ProbeResult) -> Proof:
    how = "gRPC" if result.exporter.transport == "grpc" else "HTTP"
    text = f"empty request accepted by an OTLP server over {how}; faults of real data do not show"
    if _on_node(ctx):
        return Proof(text, _evidence(result))
    text = f"pass here ({ctx.host}); not yet shown from a compute node: {_from_a_node(ctx)}; {text}"
    return Proof(text, _evidence(result), missing_input=FROM_NODE)


def _finding(ctx: Context, result: ProbeResult) -> Finding:
    cause = result.cause
    rule = CLIENT_FAILED if cause is None else BY_CODE[cause.code]
    message, remedy, settings = result.message, result.remedy, result.settings
    if cause is not None and cause.here and not _on_node(ctx):
        rule = NOT_FROM_HERE
        message = f"from this host: {message} ({cause.code})"
        remedy = f"ask from where the job runs: {_from_a_node(ctx)}; if it fails there too, {remedy}"
        settings = ()
    at = ctx.env[result.blame].location if result.blame else result.exporter.endpoint_from.location
    return Finding(rule, message, at, evidence=_evidence(result), remedy=remedy, settings=settings)


def _evidence(result: ProbeResult) -> dict[str, str]:
    stages = {f"stage {r.stage.value}": f"{r.state.value}: {r.text}" for r in result.stages}
    code = result.code or "client-failed"
    return {"stage": result.stage.value, "code": code, **result.evidence, **stages}
