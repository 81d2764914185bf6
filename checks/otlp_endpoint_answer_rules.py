"""Rules of otlp-endpoint for what answers: the protocol, the status, the reply."""

from __future__ import annotations

from lens_preflight.checks.otlp_endpoint_rule import rule as _rule
from lens_preflight.core.words import Owner, Severity

_JOB, _HOST = Owner.JOB, Owner.HOST

ANSWER = (
    _rule(
        "hung",
        "the port accepts connections and never says a byte",
        "A hung process, or a service that waits for something else. Each export waits for its whole "
        "time-out. Find what listens there: `ss -ltnp`.",
    ),
    _rule(
        "closed-without-reply",
        "the peer closes the connection without a word",
        "Often a port that speaks only TLS, or only the other protocol.",
    ),
    _rule(
        "wrong-service",
        "something that is not OTLP answers on this port",
        "Another service (SSH, a database, a web server without the method) lives there: fix the port.",
        _JOB,
    ),
    _rule(
        "http-on-grpc-port",
        "the exporter speaks OTLP/HTTP to a gRPC port",
        "Give port 4318, or `OTEL_EXPORTER_OTLP_PROTOCOL=grpc`.",
        _JOB,
    ),
    _rule(
        "grpc-on-http-port",
        "the exporter speaks gRPC to an HTTP/1 port",
        "Give port 4317, or `OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf`; any other word (`http`) is silently "
        "gRPC, and logs are gRPC always.",
        _JOB,
    ),
    _rule(
        "goaway",
        "the HTTP/2 peer sends the client away",
        "Keep-alive enforcement or a limit of the server or a proxy in front of it; the client reconnects "
        "until its time is up.",
    ),
    _rule(
        "stream-refused",
        "the HTTP/2 peer refuses the request stream",
        "Look at the HTTP/2 limits of the proxy in front of the collector.",
    ),
    _rule(
        "unauthorized",
        "the server asks for credentials, or does not accept these",
        "Set `OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20TOKEN`. Over HTTP an entry for the host in "
        "`~/.netrc`, or user:password@ in the URL, replaces that header.",
        _JOB,
    ),
    _rule(
        "forbidden",
        "the server knows the caller and does not allow it",
        "Check the tenant header and the scope of the key; a firewall's page looks the same.",
        _JOB,
    ),
    _rule(
        "path-not-found",
        "the server has no such path",
        "The general variable gets `/v1/<signal>` appended, the signal's own variable is used as it is. A "
        "doubled `/v1/traces/v1/traces`, or a missing path, shows here; over gRPC an ingress without "
        "the route.",
        _JOB,
    ),
    _rule(
        "method-not-allowed",
        "the path takes no POST: another service lives there",
        "A user interface, Prometheus or a health endpoint: fix port or path.",
        _JOB,
    ),
    _rule(
        "content-type-refused",
        "the server takes another encoding or transport",
        "Remove content-type from the headers variable, which overrides the exporter's own, or change the "
        "protocol.",
        _JOB,
    ),
    _rule(
        "bad-request",
        "the server cannot read the request",
        "A content-type or content-encoding in the headers variable, or a service that is not OTLP. Some "
        "vendors refuse an empty request; `--send-canary` tells.",
        _JOB,
    ),
    _rule(
        "request-timeout",
        "the server gave up reading the request",
        "408 is not retried, the batch is lost. Smaller batches, a faster path.",
    ),
    _rule(
        "payload-too-large",
        "the request is over the server's limit",
        "The batch is lost as a whole. Lower `OTEL_BSP_MAX_EXPORT_BATCH_SIZE`, compress with gzip, "
        "or raise the "
        "limit.",
    ),
    _rule(
        "quota-or-size",
        "a quota or the message limit of the server is exhausted",
        "gRPC refuses messages above 4 MiB by default. Smaller batches, gzip, or more quota.",
    ),
    _rule(
        "throttled",
        "the server throttles this client",
        "When the wait it asks for exceeds the exporter's time-out the batch is dropped at once. "
        "More quota, or "
        "sample more strongly.",
    ),
    _rule(
        "server-error",
        "the server broke on the request",
        "The exporter does not retry this; the batch is lost. Read the collector's log.",
    ),
    _rule(
        "data-refused",
        "the server calls the data invalid or lost",
        "Read its message, and send a marked span to reproduce it: `--send-canary`.",
    ),
    _rule(
        "bad-gateway",
        "a gateway answers, and the collector behind it does not",
        "The collector is down, or the gateway speaks HTTP/1 to a gRPC port: set its backend "
        "protocol to gRPC.",
    ),
    _rule(
        "unavailable",
        "the server has no capacity or no backend",
        "Memory limiter, full queue, no endpoints. With `Retry-After: 0` all six tries burn within "
        "milliseconds.",
    ),
    _rule(
        "gateway-timeout",
        "a gateway waited in vain for the collector behind it",
        "Look at the collector behind the gateway.",
    ),
    _rule(
        "unimplemented",
        "a gRPC server without the service of this signal",
        "The collector has no pipeline with this receiver for the signal. Add it, or switch the signal off.",
    ),
    _rule(
        "slow-server",
        "the answer does not come within the exporter's time-out",
        "The connection works, the collector is too slow for the time-out (10 s unless set, in seconds).",
    ),
    _rule(
        "redirect",
        "a redirect, which the exporter counts as success and does not follow",
        "All data is lost and nothing is logged. Use the target of the redirect as endpoint.",
        _JOB,
    ),
    _rule(
        "login-page",
        "a sign-on page stands in front of the collector",
        "The exporter counts the redirect or the page as success; all data is lost. Use the ingest "
        "URL with an "
        "API key.",
        _JOB,
    ),
    _rule(
        "not-otlp",
        "a success from a service that does not speak OTLP",
        "Any 2xx is success for the exporter; a web page or JSON service swallows everything. Fix "
        "host, port or "
        "route.",
        _JOB,
    ),
    _rule(
        "nonstandard-success",
        "a success that is not the answer of an OTLP server",
        "A 2xx without the OTLP content type: some gateways answer so, so do services that know nothing of "
        "OTLP. Send a marked span and read it back.",
        Owner.PLATFORM,
        Severity.CAUTION,
    ),
    _rule(
        "partial-rejection",
        "a success that reports rejected items",
        "The exporter never reads the reply, so the rejected items are lost silently. Read the message.",
    ),
    _rule(
        "dripping",
        "the reply arrives so slowly that no time-out of the exporter fires",
        "The time-out of requests is per read: one export, and the shutdown of the job, was held for "
        "more than "
        "150 s with a time-out of 10 s. Find the slow proxy.",
    ),
    _rule(
        "malformed-reply",
        "the reply is cut short or cannot be decoded",
        "A proxy that rewrites replies, or a service that is not OTLP.",
    ),
    _rule(
        "oversized-reply",
        "the reply is far larger than any OTLP reply",
        "The exporter reads all of it into memory (300 MB were seen). Another service lives there.",
        _JOB,
    ),
)
