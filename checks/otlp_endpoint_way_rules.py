"""Rules of otlp-endpoint for the way to the server: settings, name, proxy, connection, TLS."""

from __future__ import annotations

from lens_preflight.checks.otlp_endpoint_rule import rule as _rule
from lens_preflight.core.words import Owner, Severity

_JOB, _HOST = Owner.JOB, Owner.HOST

WAY = (
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
        "A time-out of 0, less or inf, a header that cannot be sent, a CA file that is no PEM, the path of "
        "another signal (which takes an empty request, and no data): the exporter raises at start or fails "
        "at every export. Correct the variable named in the message.",
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
)
