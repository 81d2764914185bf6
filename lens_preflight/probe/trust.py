"""TLS contexts that judge a server as the two clients do."""

from __future__ import annotations

import importlib.util
import os
import re
import ssl
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from lens_preflight.core.data import dataclass

if TYPE_CHECKING:
    from lens_preflight.otel.exporter import Exporter

KEY_USAGE = 92
"""OpenSSL's X509_V_ERR_CA_CERT_MISSING_KEY_USAGE."""
EXPIRED = (9, 10)
"""Not yet valid, no longer valid."""
WRONG_HOST = (62, 64)
"""Host name, address."""
MAX_ROOTS = 20
"""More certificates in a bundle than this are not one private CA."""
UNTRUSTED = (2, 18, 19, 20, 21)
"""No issuer, self-signed, self-signed in the chain, no local issuer, a chain that cannot be followed."""


@dataclass(frozen=True)
class Trust:
    """What decides whether a server's certificate is accepted.

    ``roots`` is a file or a directory; ``strict``: as Python 3.13 and newer verify. ``partial``: a
    certificate among the roots is trusted though its issuer is not there. ``verify`` is False when
    nothing is to be verified. ``alpn`` is what the client offers.
    """

    roots: str
    strict: bool
    alpn: tuple[str, ...]
    cert: str | None = None
    key: str | None = None
    verify: bool = True
    names: bool = True
    partial: bool = True

    def context(self) -> ssl.SSLContext:
        """The context.

        Raises:
            OSError: a file is missing or holds nothing usable (ssl.SSLError is an OSError).
        """
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.set_alpn_protocols(list(self.alpn))
        context.check_hostname = self.verify and self.names
        if self.strict:
            context.verify_flags |= ssl.VERIFY_X509_STRICT
        else:
            context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        if self.partial:
            context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        else:
            context.verify_flags &= ~ssl.VERIFY_X509_PARTIAL_CHAIN
        if not self.verify:
            context.verify_mode = ssl.CERT_NONE
        elif os.path.isdir(self.roots):
            context.load_verify_locations(capath=self.roots)
        else:
            context.load_verify_locations(cafile=self.roots)
        if self.cert:
            context.load_cert_chain(self.cert, self.key)
        return context


def trust(exporter: Exporter, grpc_default: str | None = None) -> Trust:
    """The trust of a client as its exporter sets it up.

    requests: certifi unless told otherwise, strict; grpcio: the roots that come with it, not strict
    (BoringSSL does not look at keyUsage); ``grpc_default`` replaces those roots.
    """
    if exporter.transport == "grpc":
        default = grpc_default if grpc_default and os.path.isfile(grpc_default) else grpc_roots()
        roots = exporter.ca or default
        return Trust(roots, False, ("h2",), exporter.client_cert, exporter.client_key)
    given = exporter.verify
    roots = given if isinstance(given, str) else requests_roots()
    return Trust(
        roots,
        strict=True,
        alpn=("http/1.1",),
        cert=exporter.client_cert,
        key=exporter.client_key,
        verify=given is not False,
        partial=sys.version_info >= (3, 13),  # as urllib3 2.8 has it for the running Python
    )


def requests_roots() -> str:
    """The bundle that requests takes by itself."""
    import certifi

    return certifi.where()


def grpc_roots() -> str:
    """The bundle that grpcio takes by itself, found without loading grpcio."""
    spec = importlib.util.find_spec("grpc")
    folder = Path(spec.origin).parent if spec is not None and spec.origin else Path()
    bundled = folder / "_cython" / "_credentials" / "roots.pem"
    return str(bundled) if bundled.is_file() else requests_roots()


def lacks_key_usage(roots: str) -> bool:
    """True for a file whose certificates have no keyUsage extension (OID 2.5.29.15), none of them."""
    try:
        text = Path(roots).read_text("ascii", "replace")
    except OSError:
        return False
    blocks = re.findall("-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", text, re.S)
    if not blocks or len(blocks) > MAX_ROOTS:
        return False
    try:
        return not any(b"\x55\x1d\x0f" in ssl.PEM_cert_to_DER_cert(block) for block in blocks)
    except ValueError:
        return False
