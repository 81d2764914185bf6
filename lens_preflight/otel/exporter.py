"""The effective OTLP exporter of one signal, as the real constructors resolve it.

Source: ``providers.py`` of nemo-lens 0.1.0 to nightly chooses the class, the OTLP exporters 1.45.2
read the rest. nemo-lens passes no argument, so that the environment is the only input.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lens_preflight.core.data import dataclass
from lens_preflight.core.errors import Harm, LibraryFailure
from lens_preflight.core.variable import Environment, Variable
from lens_preflight.otel.precedence import non_empty, not_blank, otlp, otlp_all
from lens_preflight.otel.proxies import ProxyDecision
from lens_preflight.otel.remark import Remark, Volume

if TYPE_CHECKING:
    from lens_preflight.lens.generations import Generation
    from lens_preflight.otel.files import Files
    from lens_preflight.otel.grpc_exporter import GrpcSettings
    from lens_preflight.otel.http_exporter import HttpSettings

SIGNALS = ("traces", "metrics", "logs")
"""In the order in which nemo-lens builds their exporters."""

EXPORTERS = ("otlp", "console")
"""The words that ``<PREFIX>_EXPORTER`` may hold; no other spelling, no other case."""


@dataclass(frozen=True)
class Exporter:
    """What one signal is exported with.

    ``transport`` is grpc, http or console. ``target`` is the gRPC target as grpcio gets it, or the
    full URL of an HTTP request, before any normalising. ``insecure``: gRPC in plaintext.
    ``headers`` are all metadata or all request headers that the exporter gives to its client,
    names in lower case. ``timeout`` in seconds. ``compression``: none, gzip or deflate. ``ca``,
    ``client_key``, ``client_cert``: paths after all fallbacks, None when not used. ``verify``: what
    requests verifies a server with, a path or True for its own bundle. The variables ``*_from``
    decided; one that is unset stands for the default. ``remarks``: settings that do something
    else than they say.
    """

    signal: str
    transport: str
    target: str
    insecure: bool
    headers: tuple[tuple[str, str], ...]
    timeout: float
    compression: str
    ca: str | None
    client_key: str | None
    client_cert: str | None
    verify: str | bool
    proxy: ProxyDecision
    protocol_from: Variable
    endpoint_from: Variable
    insecure_from: Variable
    headers_from: Variable
    timeout_from: Variable
    compression_from: Variable
    ca_from: Variable
    client_key_from: Variable
    client_cert_from: Variable
    remarks: tuple[Remark, ...] = ()
    unused_credentials: bool = False

    @property
    def loopback(self) -> bool:
        """True when the endpoint is on the very host that exports."""
        from lens_preflight.otel.dial import dial, is_loopback

        if self.transport == "grpc":
            places = dial(self.target).places
            return bool(places) and all(place.path or is_loopback(place.host) for place in places)
        try:
            return is_loopback(urlsplit(self.target.strip()).hostname or "")
        except ValueError:
            return False

    @property
    def tls(self) -> bool:
        """True when the connection to the collector is meant to be encrypted."""
        if self.transport == "grpc":
            return not self.insecure
        return self.target.lstrip().lower().startswith("https:")


def protocol(
    env: Environment, signal: str, generation: Generation
) -> tuple[str, Variable, tuple[Remark, ...]]:
    """The transport that nemo-lens takes for a signal ("grpc" or "http") and what decides it.

    Logs are gRPC in every generation so far, whatever the protocol variables say. Any word other than
    ``http/protobuf`` and ``http/json`` (trimmed, any case) is gRPC, without a word.
    """
    variable = non_empty(env, otlp(signal, "PROTOCOL"), otlp_all("PROTOCOL"))
    word = (variable.value or "grpc").strip().lower()
    if signal == "logs" and not generation.logs_follow_protocol:
        asked = word in ("http/protobuf", "http/json")
        effect = "logs are sent over gRPC; NeMo Lens reads no protocol for them"
        remark = Remark("logs-protocol", variable.name, Volume.SILENT, effect)
        return "grpc", variable, (remark,) if asked else ()
    if word == "http/json":
        effect = "protobuf is sent, not JSON"
        return "http", variable, (Remark("json-protocol", variable.name, Volume.SILENT, effect),)
    if word == "http/protobuf":
        return "http", variable, ()
    if word == "grpc":
        return "grpc", variable, ()
    effect = f"{word!r} is no protocol that NeMo Lens knows, so it takes gRPC"
    return "grpc", variable, (Remark("protocol-unknown", variable.name, Volume.SILENT, effect),)


def settings(
    env: Environment,
    signal: str,
    generation: Generation,
    files: Files,
    prefixes: tuple[str, ...] = ("NEMO_LENS",),
) -> GrpcSettings | HttpSettings | None:
    """The facts about the exporter of a signal one by one, None for the console.

    ``prefixes`` are those of the framework, in the order of look-up.

    Raises:
        Undecided: it depends on a variable that is not known before start which one it is.
        LibraryFailure: the word for the exporter raises.
    """
    from lens_preflight.otel.grpc_exporter import GrpcSettings
    from lens_preflight.otel.http_exporter import HttpSettings

    word, decided = not_blank(env, *(f"{prefix}_EXPORTER" for prefix in prefixes))
    if word == "console":
        return None
    if word and word not in EXPORTERS and signal != "logs":
        message = f"Unknown exporter type: {word!r}"
        raise LibraryFailure(
            Harm.RAISES, "ValueError", variable=decided.name, message=message, when="setup_telemetry"
        )
    transport = protocol(env, signal, generation)[0]
    return (HttpSettings if transport == "http" else GrpcSettings)(env, signal, files)


def exporter(
    env: Environment,
    signal: str,
    generation: Generation,
    files: Files,
    prefixes: tuple[str, ...] = ("NEMO_LENS",),
) -> Exporter:
    """The exporter that nemo-lens builds for a signal; ``prefixes`` as for ``settings``.

    Raises:
        Undecided: a variable that it depends on is not known before start.
        LibraryFailure: the real constructor raises, or aborts the process.
    """
    found = settings(env, signal, generation, files, prefixes)
    if found is None:
        return console(env, signal)
    _, variable, remarks = protocol(env, signal, generation)
    return found.exporter(variable, remarks)


def console(env: Environment, signal: str) -> Exporter:
    """The exporter that prints to standard output; no variable of OTLP matters to it."""
    nothing = env[otlp(signal, "ENDPOINT")]
    return Exporter(
        signal=signal,
        transport="console",
        target="",
        insecure=False,
        headers=(),
        timeout=0.0,
        compression="none",
        ca=None,
        client_key=None,
        client_cert=None,
        verify=True,
        proxy=ProxyDecision(),
        protocol_from=nothing,
        endpoint_from=nothing,
        insecure_from=nothing,
        headers_from=nothing,
        timeout_from=nothing,
        compression_from=nothing,
        ca_from=nothing,
        client_key_from=nothing,
        client_cert_from=nothing,
    )
