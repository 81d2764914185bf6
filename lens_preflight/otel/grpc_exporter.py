"""The gRPC exporter of one signal: endpoint, security, timeout, compression.

Source: opentelemetry-exporter-otlp-proto-grpc 1.45.2 with grpcio 1.85.3, executed.
"""

from __future__ import annotations

from functools import cached_property
from urllib.parse import urlsplit

from lens_preflight.core.data import dataclass
from lens_preflight.core.errors import Harm, LibraryFailure
from lens_preflight.core.variable import Environment, Variable
from lens_preflight.otel.exporter import Exporter
from lens_preflight.otel.files import Files
from lens_preflight.otel.grpc_credentials import GrpcCredentials, load
from lens_preflight.otel.headers import Headers, parse
from lens_preflight.otel.precedence import defined, non_empty, otlp, otlp_all
from lens_preflight.otel.proxies import grpc_proxy
from lens_preflight.otel.remark import Part, Remark

DEFAULT_ENDPOINT = "http://localhost:4317"
DEFAULT_TIMEOUT = 10.0
RETRYABLE = "OTEL_PYTHON_EXPORTER_OTLP_GRPC_RETRYABLE_ERROR_CODES"
STATUS_CODES = (
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "UNAUTHENTICATED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
)


def raises(exception: str, variable: str, message: str) -> LibraryFailure:
    """The exception that leaves ``setup_telemetry`` because of a variable."""
    return LibraryFailure(Harm.RAISES, exception, variable=variable, message=message, when="setup_telemetry")


@dataclass(frozen=True)
class GrpcSettings:
    """The facts about the gRPC exporter of one signal, each read on first touch.

    A property raises Undecided when a variable that it depends on is not known, LibraryFailure when
    the real constructor would not get past it.
    """

    env: Environment
    signal: str
    files: Files

    @cached_property
    def endpoint_from(self) -> Variable:
        """The variable of the endpoint; an empty general one counts, an empty one of the signal not."""
        return non_empty(self.env, otlp(self.signal, "ENDPOINT"), otlp_all("ENDPOINT"))

    @cached_property
    def _endpoint(self) -> tuple[str, str]:
        """Scheme in lower case, and the target."""
        text = DEFAULT_ENDPOINT if self.endpoint_from.value is None else self.endpoint_from.value
        try:
            parts = urlsplit(text)
        except ValueError as error:
            raise raises("ValueError", self.endpoint_from.name, str(error)) from error
        return parts.scheme, parts.netloc or text

    @property
    def scheme(self) -> str:
        """The scheme of the endpoint, in lower case."""
        return self._endpoint[0]

    @property
    def target(self) -> str:
        """What grpcio is asked to dial: the authority of the endpoint, else its whole text."""
        return self._endpoint[1]

    @cached_property
    def insecure_from(self) -> Variable:
        """The variable that decides about encryption; the endpoint's own when its scheme does."""
        if self._endpoint[0] == "https":
            return self.endpoint_from
        asked = defined(self.env, otlp(self.signal, "INSECURE"), otlp_all("INSECURE"))
        return self.endpoint_from if asked.value is None else asked

    @cached_property
    def insecure(self) -> bool:
        """True for plaintext: ``https`` never, then the exact word ``true``, then the scheme ``http``."""
        if self.insecure_from is self.endpoint_from:
            return self._endpoint[0] == "http"
        return (self.insecure_from.value or "").lower() == "true"

    @cached_property
    def headers_from(self) -> Variable:
        """The variable of the headers; the general one only when the signal's is empty."""
        return non_empty(self.env, otlp(self.signal, "HEADERS"), otlp_all("HEADERS"))

    @cached_property
    def headers(self) -> Headers:
        """The metadata of every call."""
        return parse(self.headers_from.value or "")

    @cached_property
    def _timeout(self) -> tuple[Variable, float]:
        """A zero for the signal falls through to the general variable."""
        own = self.env.text(otlp(self.signal, "TIMEOUT"))
        if own is not None and (seconds := self._seconds(otlp(self.signal, "TIMEOUT"), own)):
            return self.env[otlp(self.signal, "TIMEOUT")], seconds
        name = otlp_all("TIMEOUT")
        text = self.env.text(name)
        return self.env[name], DEFAULT_TIMEOUT if text is None else self._seconds(name, text)

    @staticmethod
    def _seconds(name: str, text: str) -> float:
        try:
            return float(text)
        except ValueError as error:
            raise raises("ValueError", name, f"{text!r} is no number of seconds") from error

    @property
    def timeout(self) -> float:
        """Seconds for one export with all its retries; 0, negative, nan and inf are possible."""
        return self._timeout[1]

    @property
    def timeout_from(self) -> Variable:
        """The variable of the timeout."""
        return self._timeout[0]

    @cached_property
    def _compression(self) -> tuple[Variable, str]:
        """Only ``gzip`` exists; every other text, the empty one included, raises."""
        variable = defined(self.env, otlp(self.signal, "COMPRESSION"), otlp_all("COMPRESSION"))
        if variable.value is None:
            return variable, "none"
        if variable.value.lower().strip() == "gzip":
            return variable, "gzip"
        message = f"gRPC knows no compression {variable.value!r}, only gzip"
        raise raises("InvalidCompressionValueException", variable.name, message)

    @property
    def compression(self) -> str:
        """ "none" or "gzip"."""
        return self._compression[1]

    @cached_property
    def retryable(self) -> frozenset[str] | None:
        """The status codes that are tried again, None for the exporter's own list."""
        text = self.env.text(RETRYABLE)
        if text is None:
            return None
        codes = frozenset(code.strip().upper() for code in text.split(",") if code.strip())
        if unknown := sorted(codes.difference(STATUS_CODES)):
            raise raises("KeyError", RETRYABLE, f"no gRPC status is called {unknown[0]}")
        return codes

    @cached_property
    def _early_credentials(self) -> GrpcCredentials | None:
        """What a certificate variable of the signal loads, even an empty one, even in plaintext."""
        own = self.env.text(otlp(self.signal, "INSECURE"))
        if own is not None and own.lower() == "true":
            return None
        if self.env.text(otlp(self.signal, "CERTIFICATE")) is None:
            return None
        return load(self.env, self.signal, self.files)

    @cached_property
    def credentials(self) -> GrpcCredentials | None:
        """What the channel is encrypted with, None for plaintext.

        Raises:
            LibraryFailure: also when grpc's core aborts the process over half a client pair.
        """
        if self.insecure:
            return None
        found = self._early_credentials or load(self.env, None, self.files)
        found.check()
        return found

    def remark_parts(self) -> tuple[Part, ...]:
        """The looks for settings that do something else than they say."""
        from lens_preflight.otel.grpc_remarks import parts

        return parts(self)

    def remarks(self) -> tuple[Remark, ...]:
        """Settings of this exporter that do something else than they say."""
        return tuple(remark for part in self.remark_parts() for remark in part())

    def exporter(self, protocol_from: Variable, before: tuple[Remark, ...] = ()) -> Exporter:
        """All facts at once, in the order in which the constructor comes across them."""
        early = self._early_credentials
        if (own := self.env.text(otlp(self.signal, "TIMEOUT"))) is not None:
            self._seconds(otlp(self.signal, "TIMEOUT"), own)
        if self.env.text(otlp(self.signal, "COMPRESSION")) is not None:
            _ = self.compression
        target, insecure, timeout = self.target, self.insecure, self.timeout
        compression, _ = self.compression, self.retryable
        credentials = self.credentials
        names = credentials or load(self.env, None, self.files, quiet=True)
        return Exporter(
            signal=self.signal,
            transport="grpc",
            target=target,
            insecure=insecure,
            headers=self.headers.items,
            timeout=timeout,
            compression=compression,
            ca=credentials.roots if credentials else None,
            client_key=credentials.key if credentials else None,
            client_cert=credentials.chain if credentials else None,
            verify=True,
            proxy=grpc_proxy(self.env, target),
            protocol_from=protocol_from,
            endpoint_from=self.endpoint_from,
            insecure_from=self.insecure_from,
            headers_from=self.headers_from,
            timeout_from=self.timeout_from,
            compression_from=self._compression[0],
            ca_from=names.roots_from,
            client_key_from=names.key_from,
            client_cert_from=names.chain_from,
            remarks=before + self.remarks(),
            unused_credentials=insecure and early is not None,
        )
