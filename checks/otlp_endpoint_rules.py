"""The rules of the check otlp-endpoint: one per cause of the probe's closed vocabulary, and three more.

A table of 60 rules with their help is longer than 300 lines; there is no logic in it.
"""

from __future__ import annotations

from lens_preflight.core.finding import Rule
from lens_preflight.core.words import Owner, Severity

_CHECK = "otlp-endpoint"


def _rule(
    name: str,
    summary: str,
    help: str,
    owner: Owner = Owner.PLATFORM,
    severity: Severity = Severity.BLOCKER,
) -> Rule:
    return Rule(f"{_CHECK}/{name}", summary, severity, owner, help)


NOT_FROM_HERE = _rule(
    "not-from-here",
    "the endpoint cannot be reached from this host; a compute node may see something else",
    "Names, routes, ports, proxies, trust stores and time-outs belong to a host. Outside a compute node a "
    "failure of these is a caution, because CI and login nodes often sit in another network. Run it where "
    "the job runs: `srun -N1 -n1 lens-preflight check --profile node`.",
    Owner.HOST,
    Severity.CAUTION,
)
CLIENT_FAILED = _rule(
    "client-failed",
    "the real client fails, and no stage shows why",
    "The stages explain, the real client decides: its failure counts. Please report the output of "
    "`lens-preflight probe -vv --json`.",
)
SERVER_MESSAGE = _rule(
    "server-message",
    "the server accepts everything and sends a warning along",
    "OTLP lets a server answer `partial_success` with nothing rejected and a message. The exporter throws "
    "it away; it is often a deprecation or a quota that is nearly used up. Read it.",
    Owner.PLATFORM,
    Severity.NOTE,
)
VERIFICATION_OFF = _rule(
    "verification-off",
    "the settings switch the verification of the server's certificate off",
    "Anybody on the way can read and change the telemetry, its credentials included. Give the CA instead: "
    "`OTEL_EXPORTER_OTLP_CERTIFICATE=/path/ca.pem`.",
    Owner.JOB,
    Severity.CAUTION,
)

_JOB, _HOST = Owner.JOB, Owner.HOST

CAUSES = (
    _rule(
        "endpoint-syntax",
        "the endpoint is no text that this exporter can dial",
        "Quotes, blanks, several hosts, an empty value or a `$NAME` that nobody expands. Nothing is said at "
        "start: an empty value means `localhost` over HTTP and a dead target over gRPC. Write exactly one "
        "`OTEL_EXPORTER_OTLP_ENDPOINT=http://HOST:PORT`, or unset it.",
        _JOB,
    ),
    _rule(
        "endpoint-no-scheme",
        "the endpoint has no http:// or https:// in front",
        "The HTTP exporter refuses it at every export (`No connection adapters were found`); the gRPC "
        "exporter takes it for TLS. `curl` guesses http:// and so misleads. Put the scheme in front.",
        _JOB,
    ),
    _rule(
        "endpoint-no-port",
        "no port is given, and nothing answers on the default port",
        "Without a port gRPC dials 443 even in plaintext, HTTP dials 80 or 443; neither dials 4317 or 4318. "
        "Write the port.",
        _JOB,
    ),
    _rule(
        "credentials-in-url",
        "user and password in the endpoint end up in the host name",
        "gRPC keeps `user:password@` in its target and cannot resolve it. Send a header instead: "
        "`OTEL_EXPORTER_OTLP_HEADERS=authorization=Basic%20...`.",
        _JOB,
    ),
    _rule(
        "ca-file-missing",
        "the CA file named by the settings cannot be read on this host",
        "Over HTTP nothing is said at start and every export fails; over gRPC one error is logged and the "
        "default roots are used. The path must be right on the training node and inside its container.",
        _JOB,
    ),
    _rule(
        "client-pair-incomplete",
        "client certificate and client key do not come as a pair",
        "Half a pair makes grpc's core abort the process (SIGABRT, exit 134) in `setup_telemetry`; over HTTP "
        "every export fails. Set both variables to files that belong together, or neither.",
        _JOB,
    ),
    _rule(
        "setting-invalid",
        "a setting of the exporter is one that it cannot use",
        "A time-out of 0, less or inf, a header that cannot be sent, a CA file that is no PEM: the exporter "
        "raises at start or fails at every export. Correct the variable named in the message.",
        _JOB,
    ),
    _rule(
        "dns-failed",
        "the host name has no address on this host",
        "gRPC asks its own resolver (c-ares), HTTP the system's: names from sssd, mDNS or myhostname may be "
        "known to one only (`GRPC_DNS_RESOLVER=native` makes gRPC ask the system). Try `getent hosts NAME`.",
        _HOST,
    ),
    _rule(
        "refused",
        "the host answers, and nothing listens on the port",
        "The collector is down, listens on another port (4317 gRPC, 4318 HTTP), or only on localhost, which "
        "is the default since collector 0.104. Look with `ss -ltn` on its host.",
    ),
    _rule(
        "syn-dropped",
        "no answer to the connection request",
        "A firewall drops the packets. The exporter shows only a time-out, the same as for a hung "
        "server, and "
        "each export at shutdown waits for it. Have the port opened from the training nodes.",
        _HOST,
    ),
    _rule(
        "unreachable",
        "no route to the address",
        "The host has no route to that network, or nobody there has the address. Try `ip route get ADDRESS`.",
        _HOST,
    ),
    _rule(
        "firewall-reject",
        "a firewall rejects the connection",
        "An ICMP message came back (`No route to host`). Have the rule changed for the training nodes.",
        _HOST,
    ),
    _rule(
        "partly-reachable",
        "one of several addresses of the name does not answer",
        "The exporter falls back to the others, so data arrives, later. Take the dead address out of "
        "the name "
        "or change the order of the families.",
        _HOST,
        Severity.CAUTION,
    ),
    _rule(
        "reset",
        "the connection is opened and reset before a byte is exchanged",
        "A load balancer without backends, or a firewall that limits connections.",
    ),
    _rule(
        "proxy-down",
        "the exporter goes through a proxy that does not answer",
        "gRPC reads `grpc_proxy`, `https_proxy`, `http_proxy` in lower case only, also for plaintext and "
        "loopback, and honours lower-case `no_proxy` (names, addresses, CIDR; no `*`). HTTP reads "
        "both cases. "
        "Add the host to lower-case `no_proxy`.",
        _JOB,
    ),
    _rule(
        "proxy-refused",
        "the proxy refuses to pass the request on",
        "The answer (403, 407, 501 ...) is the proxy's, not the collector's. Go around it with lower-case "
        "`no_proxy=HOST`, or have its rule changed for the OTLP port.",
        _JOB,
    ),
    _rule(
        "tls-untrusted",
        "the server's certificate is not signed by a trusted issuer",
        "Point `OTEL_EXPORTER_OTLP_CERTIFICATE` to the CA bundle, or to the self-signed certificate itself. "
        "`SSL_CERT_FILE` is read by neither exporter. The HTTP exporter retries this for its whole budget.",
        _JOB,
    ),
    _rule(
        "tls-ca-shadowed",
        "a CA bundle variable of requests replaces the configured CA",
        "`REQUESTS_CA_BUNDLE` and `CURL_CA_BUNDLE`, often set by modules and conda, win over "
        "`OTEL_EXPORTER_OTLP_CERTIFICATE` in the HTTP exporter. Unset them for the job.",
        _JOB,
    ),
    _rule(
        "tls-ca-without-key-usage",
        "the CA certificate lacks keyUsage, which Python 3.13 refuses",
        "A CA made by a plain `openssl req -x509` has no keyUsage. gRPC and curl accept it; the HTTP "
        "exporter "
        "on Python 3.13 and newer does not. Issue it again with critical keyUsage keyCertSign.",
    ),
    _rule(
        "tls-bad-certificate",
        "the server's certificate is one that no client may take",
        "A weak key or signature, the wrong purpose, or no subjectAltName. Have it issued again.",
    ),
    _rule(
        "tls-expired",
        "the server's certificate is outside its time of validity",
        "Renew it; a wrong clock on this host looks the same (`date -u`).",
    ),
    _rule(
        "tls-wrong-host",
        "the server's certificate is for other names",
        "Use a name that is in the certificate's subjectAltName as the host of the endpoint.",
    ),
    _rule(
        "tls-version-too-old",
        "client and server have no TLS version in common",
        "The exporters speak TLS 1.2 and 1.3. Enable them on the server.",
    ),
    _rule(
        "client-certificate-required",
        "the server wants a client certificate",
        "gRPC says only `Socket closed`. Set `OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE` and `_CLIENT_KEY`; gRPC "
        "reads them only when `OTEL_EXPORTER_OTLP_CERTIFICATE` is set too.",
        _JOB,
    ),
    _rule(
        "no-alpn-h2",
        "TLS works, and the server does not offer HTTP/2 on it",
        "A web server or a terminator in HTTP/1 mode: gRPC cannot work through it. Use OTLP/HTTP here, or "
        "enable HTTP/2 on the terminator.",
    ),
    _rule(
        "tls-on-plaintext-port",
        "the exporter speaks TLS to a port that does not",
        "`https://`, or for gRPC an endpoint without scheme, or an `_INSECURE` value that is not exactly "
        "`true`. Write `http://`, or enable TLS on the receiver.",
        _JOB,
    ),
    _rule(
        "plaintext-on-tls-port",
        "the exporter speaks plaintext to a TLS port",
        "gRPC says only `Socket closed`. Write `https://`.",
        _JOB,
    ),
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

BY_CODE = {rule.name: rule for rule in CAUSES}

RULES = (NOT_FROM_HERE, CLIENT_FAILED, SERVER_MESSAGE, VERIFICATION_OFF, *CAUSES)
