"""The HTTP exporter of one signal: URL, trust, timeout, compression.

Source: opentelemetry-exporter-otlp-proto-http 1.45.2 with requests 2.34.2, executed. Its constructor
hardly ever raises: a wrong URL shows at the first export (see ``wire``).
"""

from __future__ import annotations

from functools import cached_property

from lens_preflight.core.data import dataclass
from lens_preflight.core.errors import Harm, LibraryFailure
from lens_preflight.core.variable import Environment, Variable
from lens_preflight.otel.exporter import Exporter
from lens_preflight.otel.files import Files
from lens_preflight.otel.headers import Headers, parse
from lens_preflight.otel.precedence import non_empty, otlp, otlp_all
from lens_preflight.otel.proxies import requests_proxy
from lens_preflight.otel.remark import Part, Remark

DEFAULT_ENDPOINT = "http://localhost:4318"
DEFAULT_TIMEOUT = 10.0
COMPRESSIONS = ("none", "gzip", "deflate")
OWN_HEADERS = {
    "content-type": "application/x-protobuf",
    "user-agent": "OTel-OTLP-Exporter-Python/1.45.2",
}
"""What the exporter sends unless a headers variable says otherwise."""

BUNDLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
"""Variables that win over the certificate of the exporter, because requests merges them last."""


@dataclass(frozen=True)
class HttpSettings:
    """The facts about the HTTP exporter of one signal, each read on first touch.

    A property raises Undecided when a variable that it depends on is not known.
    """

    env: Environment
    signal: str
    files: Files

    def _pick(self, key: str) -> Variable:
        return non_empty(self.env, otlp(self.signal, key), otlp_all(key))

    @cached_property
    def endpoint_from(self) -> Variable:
        """The variable of the endpoint."""
        return self._pick("ENDPOINT")

    @cached_property
    def url(self) -> str:
        """The URL: the signal's own verbatim, the general one without one ``/`` at the end and with
        the path of the signal appended to its text."""
        text = self.endpoint_from.value
        if text and self.endpoint_from.name == otlp(self.signal, "ENDPOINT"):
            return text
        return f"{(text or DEFAULT_ENDPOINT).removesuffix('/')}/v1/{self.signal}"

    @cached_property
    def headers_from(self) -> Variable:
        """The variable of the headers."""
        return self._pick("HEADERS")

    @cached_property
    def parsed_headers(self) -> Headers:
        """The headers of the variable alone."""
        return parse(self.headers_from.value or "")

    @property
    def headers(self) -> tuple[tuple[str, str], ...]:
        """The exporter's own headers, overridden by the variable's."""
        found = {**OWN_HEADERS, **dict(self.parsed_headers.items)}
        if self.compression != "none":
            found.setdefault("content-encoding", self.compression)
        return tuple(found.items())

    @cached_property
    def timeout_from(self) -> Variable:
        """The variable of the timeout."""
        return self._pick("TIMEOUT")

    @cached_property
    def timeout(self) -> float:
        """Seconds for one export with all its retries; what is no number becomes the default."""
        try:
            return float(self.timeout_from.value or DEFAULT_TIMEOUT)
        except ValueError:
            return DEFAULT_TIMEOUT

    @cached_property
    def compression_from(self) -> Variable:
        """The variable of the compression."""
        return self._pick("COMPRESSION")

    @cached_property
    def compression(self) -> str:
        """ "none", "gzip" or "deflate"; anything else becomes "none"."""
        word = (self.compression_from.value or "none").lower().strip()
        return word if word in COMPRESSIONS else "none"

    @cached_property
    def ca_from(self) -> Variable:
        """The certificate variable of the exporter."""
        return self._pick("CERTIFICATE")

    @cached_property
    def bundle_from(self) -> Variable | None:
        """The variable of requests that wins over ``ca_from``, None when neither is set."""
        variable = non_empty(self.env, *BUNDLES)
        return variable if variable.value else None

    @property
    def verify(self) -> str | bool:
        """What the server is verified with: a path, or True for the bundle of requests."""
        if self.bundle_from is not None:
            return self.bundle_from.value or True
        return self.ca_from.value or True

    def check_plugin(self) -> None:
        """Raise what a credential plug-in that is not installed does.

        Raises:
            LibraryFailure: RuntimeError out of ``setup_telemetry``.
        """
        stem = "OTEL_PYTHON_EXPORTER_OTLP_HTTP_{}CREDENTIAL_PROVIDER"
        variable = non_empty(self.env, stem.format(""), stem.format(f"{self.signal.upper()}_"))
        if variable.value:
            message = f"the plug-in {variable.value!r} must be installed where the job runs"
            raise LibraryFailure(
                Harm.RAISES,
                "RuntimeError",
                variable=variable.name,
                message=message,
                when="setup_telemetry",
                plugin=True,
            )

    def remark_parts(self) -> tuple[Part, ...]:
        """The looks for settings that do something else than they say."""
        from lens_preflight.otel.http_remarks import parts

        return parts(self)

    def remarks(self) -> tuple[Remark, ...]:
        """Settings of this exporter that do something else than they say."""
        return tuple(remark for part in self.remark_parts() for remark in part())

    def exporter(self, protocol_from: Variable, before: tuple[Remark, ...] = ()) -> Exporter:
        """All facts at once."""
        self.check_plugin()
        key, chain = self._pick("CLIENT_KEY"), self._pick("CLIENT_CERTIFICATE")
        used = chain.value or None
        return Exporter(
            signal=self.signal,
            transport="http",
            target=self.url,
            insecure=False,
            headers=self.headers,
            timeout=self.timeout,
            compression=self.compression,
            ca=self.ca_from.value or None,
            client_key=(key.value or None) if used else None,
            client_cert=used,
            verify=self.verify,
            proxy=requests_proxy(self.env, self.url),
            protocol_from=protocol_from,
            endpoint_from=self.endpoint_from,
            insecure_from=self.endpoint_from,
            headers_from=self.headers_from,
            timeout_from=self.timeout_from,
            compression_from=self.compression_from,
            ca_from=self.bundle_from or self.ca_from,
            client_key_from=key,
            client_cert_from=chain,
            remarks=before + self.remarks(),
        )
