"""The certificates of a gRPC exporter: which files are opened, and what a wrong one does.

Source: opentelemetry-exporter-otlp-proto-grpc 1.45.2 with grpcio 1.85.3, executed.
"""

from __future__ import annotations

from lens_preflight.core.data import dataclass
from lens_preflight.core.errors import Harm, LibraryFailure
from lens_preflight.core.variable import Environment, Variable
from lens_preflight.otel.files import Files, Kind
from lens_preflight.otel.precedence import otlp, otlp_all


def provider(signal: str | None) -> str:
    """The variable that names a plug-in for credentials."""
    middle = "" if signal is None else f"{signal.upper()}_"
    return f"OTEL_PYTHON_EXPORTER_OTLP_GRPC_{middle}CREDENTIAL_PROVIDER"


@dataclass(frozen=True)
class GrpcCredentials:
    """The triple of one set of variables, after opening the files.

    ``roots``, ``key`` and ``chain`` are paths of files that were read, None when not asked for, not
    looked at, or missing on disk. The default roots are used without ``roots``.
    """

    roots: str | None
    key: str | None
    chain: str | None
    roots_from: Variable
    key_from: Variable
    chain_from: Variable

    def check(self) -> None:
        """Raise what grpc's core does when a secure channel is made of this.

        Raises:
            LibraryFailure: the process is aborted (SIGABRT) because of half a client pair.
        """
        if (self.key is None) is (self.chain is None):
            return
        missing = self.key_from if self.key is None else self.chain_from
        message = "a client certificate without its key (or the reverse) aborts the process"
        raise LibraryFailure(
            Harm.ABORTS, "SIGABRT", variable=missing.name, message=message, when="setup_telemetry"
        )


def load(env: Environment, signal: str | None, files: Files, *, quiet: bool = False) -> GrpcCredentials:
    """What the exporter loads for a signal, for ``None`` from the variables of all signals.

    Client key and certificate are looked at only when a CA file is configured. With ``quiet``
    nothing is opened and nothing raised: only the variables are told.

    Raises:
        LibraryFailure: a plug-in that is not installed, a directory, a file that may not be read.
    """

    def name(key: str) -> str:
        return otlp_all(key) if signal is None else otlp(signal, key)

    roots, key, chain = (env[name(k)] for k in ("CERTIFICATE", "CLIENT_KEY", "CLIENT_CERTIFICATE"))
    if quiet:
        return GrpcCredentials(None, None, None, roots, key, chain)
    if plugin := env.text(provider(signal)):
        message = f"the plug-in {plugin!r} must be installed where the job runs"
        raise LibraryFailure(
            Harm.RAISES,
            "RuntimeError",
            variable=provider(signal),
            message=message,
            when="setup_telemetry",
            plugin=True,
        )
    if not env.text(roots.name):
        return GrpcCredentials(None, None, None, roots, key, chain)
    read = [_read(env, variable, files) for variable in (roots, key, chain)]
    return GrpcCredentials(read[0], read[1], read[2], roots, key, chain)


def _read(env: Environment, variable: Variable, files: Files) -> str | None:
    """The path if the exporter can read it, None if it is empty or missing on disk."""
    path = env.text(variable.name)
    if not path:
        return None
    kind = files.kind(path)
    if kind in (Kind.DIRECTORY, Kind.UNREADABLE):
        directory = kind is Kind.DIRECTORY
        raise LibraryFailure(
            Harm.RAISES,
            "IsADirectoryError" if directory else "PermissionError",
            variable=variable.name,
            message=f"{path} is a directory" if directory else f"{path} may not be read",
            when="setup_telemetry",
        )
    return None if kind is Kind.MISSING else path
