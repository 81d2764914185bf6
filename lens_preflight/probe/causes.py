"""The closed vocabulary of endpoint causes: code, stage, what it does to the data.

Each was seen with real servers and the exporters of OTel Python 1.45 (grpcio 1.85, requests 2.34).
"""

from __future__ import annotations

from lens_preflight.core.data import dataclass
from lens_preflight.probe.model import Stage, Verdict


@dataclass(frozen=True)
class Cause:
    """Why an endpoint takes telemetry or not.

    ``here``: the answer may differ on another host (files, names, routes, ports, time-outs), so
    that it counts fully only when it was obtained where the job runs. ``payload``: a real server
    shows it for real data only; an empty request cannot see it.
    """

    code: str
    stage: Stage
    meaning: str
    verdict: Verdict = Verdict.FAIL
    here: bool = False
    payload: bool = False


_C, _R, _X, _N = Stage.CONFIGURE, Stage.RESOLVE, Stage.PROXY, Stage.CONNECT
_T, _P, _Q, _A = Stage.TLS, Stage.PROTOCOL, Stage.REQUEST, Stage.REPLY
_WARN = Verdict.WARN

_ALL = (
    Cause("ok", Stage.NONE, "an OTLP server took the empty request and said so", Verdict.PASS),
    Cause("endpoint-syntax", _C, "the endpoint is no text that this exporter can dial"),
    Cause("endpoint-no-scheme", _C, "the endpoint has no http:// or https:// in front"),
    Cause("credentials-in-url", _C, "user and password in the endpoint end up in the host name"),
    Cause("ca-file-missing", _C, "the CA file named by the settings does not exist here", here=True),
    Cause("client-pair-incomplete", _C, "client certificate and client key do not come as a pair", here=True),
    Cause("setting-invalid", _C, "a setting of the exporter is one that it cannot use"),
    Cause("dns-failed", _R, "the host name has no address on this host", here=True),
    Cause("refused", _N, "the host answers, and nothing listens on the port", here=True),
    Cause("endpoint-no-port", _N, "no port is given, and the default port does not answer", here=True),
    Cause("syn-dropped", _N, "no answer to the connection request", here=True),
    Cause("unreachable", _N, "no route to the address", here=True),
    Cause("firewall-reject", _N, "a firewall rejects the connection", here=True),
    Cause("partly-reachable", _N, "one of several addresses does not answer", _WARN, here=True),
    Cause("reset", _N, "the connection is opened and reset before a byte is exchanged", here=True),
    Cause("proxy-down", _X, "the exporter goes through a proxy that does not answer", here=True),
    Cause("proxy-refused", _X, "the proxy refuses to pass the request on", here=True),
    Cause("tls-untrusted", _T, "the server's certificate is not signed by a trusted issuer", here=True),
    Cause("tls-ca-shadowed", _T, "a CA bundle variable of requests replaces the configured CA", here=True),
    Cause(
        "tls-ca-without-key-usage",
        _T,
        "the CA certificate lacks keyUsage, which Python 3.13 refuses",
        here=True,
    ),
    Cause("tls-bad-certificate", _T, "the server's certificate is one that no client may take"),
    Cause("tls-expired", _T, "the server's certificate is outside its time of validity"),
    Cause("tls-wrong-host", _T, "the server's certificate is for other names"),
    Cause("tls-version-too-old", _T, "client and server have no TLS version in common"),
    Cause("client-certificate-required", _T, "the server wants a client certificate"),
    Cause("no-alpn-h2", _T, "TLS works, and the server does not offer HTTP/2 on it"),
    Cause("tls-on-plaintext-port", _T, "the exporter speaks TLS to a port that does not"),
    Cause("plaintext-on-tls-port", _T, "the exporter speaks plaintext to a TLS port"),
    Cause("hung", _P, "the port accepts connections and never says a byte", here=True),
    Cause("closed-without-reply", _P, "the peer closes the connection without a word"),
    Cause("wrong-service", _P, "something that is not OTLP answers on this port"),
    Cause("http-on-grpc-port", _P, "the exporter speaks OTLP/HTTP to a gRPC port"),
    Cause("grpc-on-http-port", _P, "the exporter speaks gRPC to an HTTP/1 port"),
    Cause("goaway", _P, "the HTTP/2 peer sends the client away"),
    Cause("stream-refused", _P, "the HTTP/2 peer refuses the request stream"),
    Cause("unauthorized", _Q, "the server asks for credentials, or does not accept these"),
    Cause("forbidden", _Q, "the server knows the caller and does not allow it"),
    Cause("path-not-found", _Q, "the server has no such path"),
    Cause("method-not-allowed", _Q, "the path takes no POST: another service lives there"),
    Cause("content-type-refused", _Q, "the server takes another encoding or transport"),
    Cause("bad-request", _Q, "the server cannot read the request"),
    Cause("request-timeout", _Q, "the server gave up reading the request", payload=True),
    Cause("payload-too-large", _Q, "the request is over the server's limit", payload=True),
    Cause("quota-or-size", _Q, "a quota or the message limit of the server is exhausted", payload=True),
    Cause("throttled", _Q, "the server throttles this client"),
    Cause("server-error", _Q, "the server broke on the request"),
    Cause("data-refused", _Q, "the server calls the data invalid or lost", payload=True),
    Cause("bad-gateway", _Q, "a gateway answers, and the collector behind it does not"),
    Cause("unavailable", _Q, "the server has no capacity or no backend"),
    Cause("gateway-timeout", _Q, "a gateway waited in vain for the collector behind it"),
    Cause("unimplemented", _Q, "a gRPC server without the service of this signal"),
    Cause("slow-server", _Q, "the answer does not come within the exporter's time-out", here=True),
    Cause("redirect", _A, "a redirect, which the exporter counts as success and does not follow"),
    Cause("login-page", _A, "a sign-on page stands in front of the collector"),
    Cause("not-otlp", _A, "a success from a service that does not speak OTLP"),
    Cause("nonstandard-success", _A, "a success that is not the answer of an OTLP server", _WARN),
    Cause("partial-rejection", _A, "a success that reports rejected items", payload=True),
    Cause("dripping", _A, "the reply arrives so slowly that no time-out of the exporter fires", here=True),
    Cause("malformed-reply", _A, "the reply is cut short or cannot be decoded"),
    Cause("oversized-reply", _A, "the reply is far larger than any OTLP reply"),
)

CAUSES = {cause.code: cause for cause in _ALL}
