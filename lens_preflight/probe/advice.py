"""What to do about a cause: one line that ends in something to type, and the assignments in it."""

from __future__ import annotations

from lens_preflight.probe.remedies import BY_CAUSE, Advice
from lens_preflight.probe.trail import UNUSABLE_TRUST, Trail


def advice(code: str, trail: Trail) -> Advice:
    """The remedy for a cause on this way to the endpoint; no secret is in it."""
    special = BY_CAUSE.get(code)
    if special is not None:
        return special(trail)
    return Advice(_PLAIN.get(code, "run lens-preflight probe -vv where the job runs"))


def blamed(code: str, trail: Trail) -> str:
    """The variable to look at first for a cause."""
    exporter = trail.exporter
    if trail.blame is not None:
        return trail.blame.variable
    if code.startswith("proxy-"):
        return exporter.proxy.variable
    if trail.tls is not None and trail.tls.reason == UNUSABLE_TRUST:
        return exporter.ca_from.name
    if code in ("ca-file-missing", "tls-untrusted", "tls-ca-shadowed", "tls-ca-without-key-usage"):
        return exporter.ca_from.name
    if code == "client-certificate-required":
        return exporter.client_cert_from.name
    if code in ("unauthorized", "forbidden", "setting-invalid", "bad-request"):
        return exporter.headers_from.name
    return exporter.endpoint_from.name


_PLAIN = {
    "ok": "",
    "client-pair-incomplete": "set OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and "
    "OTEL_EXPORTER_OTLP_CLIENT_KEY (gRPC: and OTEL_EXPORTER_OTLP_CERTIFICATE) to files that belong together, "
    "or unset them",
    "refused": "start the collector or correct the port (4317 gRPC, 4318 HTTP); its receiver must listen on "
    "0.0.0.0, not on localhost: ss -ltn",
    "syn-dropped": "have the port opened between the training nodes and the collector: nc -vz HOST PORT",
    "unreachable": "correct the route, or use an address in a network that this host reaches: ip "
    "route get ADDRESS",
    "firewall-reject": "have the firewall rule changed for the training nodes: nc -vz HOST PORT",
    "partly-reachable": "take the dead address out of the name, or give the address that answers: "
    "getent ahosts NAME",
    "reset": "look at the load balancer's backends and at firewalls that limit connections: nc -v HOST PORT",
    "tls-bad-certificate": "have the server's certificate issued again with a strong key and its names in "
    "subjectAltName: openssl s_client -connect HOST:PORT",
    "tls-expired": "renew the server's certificate, and check the clock of this host: date -u",
    "tls-version-too-old": "enable TLS 1.2 or newer on the server: openssl s_client -connect "
    "HOST:PORT -tls1_2",
    "tls-ca-without-key-usage": "issue the CA again with keyUsage: openssl req -x509 ... -addext "
    "keyUsage=critical,keyCertSign,cRLSign",
    "hung": "find what listens on the port and restart it: ss -ltnp",
    "goaway": "relax the keep-alive enforcement and stream limits of the server or proxy, and read its log",
    "stream-refused": "look at the HTTP/2 limits of the proxy in front of the collector, and read its log",
    "forbidden": "check the tenant header and the scope of the key in OTEL_EXPORTER_OTLP_HEADERS",
    "method-not-allowed": "another service lives on this path: correct OTEL_EXPORTER_OTLP_ENDPOINT",
    "bad-request": "look for content-type or content-encoding in OTEL_EXPORTER_OTLP_HEADERS, and "
    "read the server's log",
    "request-timeout": "make batches smaller: OTEL_BSP_MAX_EXPORT_BATCH_SIZE=128",
    "payload-too-large": "make batches smaller: OTEL_BSP_MAX_EXPORT_BATCH_SIZE=128 "
    "OTEL_EXPORTER_OTLP_COMPRESSION=gzip",
    "quota-or-size": "make batches smaller, or ask for more quota: OTEL_BSP_MAX_EXPORT_BATCH_SIZE=128",
    "throttled": "ask for more quota, or sample: OTEL_TRACES_SAMPLER=parentbased_traceidratio "
    "OTEL_TRACES_SAMPLER_ARG=0.1",
    "server-error": "read the collector's log of this minute",
    "data-refused": "read the collector's log of this minute, then reproduce with lens-preflight "
    "check --send-canary",
    "bad-gateway": "start the collector behind the gateway, or set the gateway's backend protocol to "
    "gRPC (h2c)",
    "unavailable": "start or relieve the collector, and read its log (memory limiter, queue, backends)",
    "gateway-timeout": "look at the collector behind the gateway, and read its log",
    "slow-server": "relieve the collector; only if the job's exit may take that long: "
    "OTEL_EXPORTER_OTLP_TIMEOUT=30",
    "login-page": "use the ingest URL of the backend with an API key in OTEL_EXPORTER_OTLP_HEADERS",
    "not-otlp": "another service answers: correct host, port or route in OTEL_EXPORTER_OTLP_ENDPOINT",
    "wrong-service": "another service answers: correct host and port in OTEL_EXPORTER_OTLP_ENDPOINT",
    "nonstandard-success": "find out who answers on this port, or send a marked span: lens-preflight "
    "check --send-canary",
    "partial-rejection": "read the server's words in the evidence: a quota or the content of the items",
    "dripping": "find the slow proxy on the way; until then bound the exit of the job: timeout 60 ...",
    "malformed-reply": "look for a proxy on the way that rewrites replies, and go around it with no_proxy",
    "oversized-reply": "another service answers: correct host and port in OTEL_EXPORTER_OTLP_ENDPOINT",
    "stages-disagree": "please report it, with the output of lens-preflight probe -vv --json",
}
