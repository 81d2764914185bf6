"""Certificates of a private CA and of servers that are wrong in one way each, made at test time."""

from __future__ import annotations

import datetime
import functools
import ipaddress
import ssl
import tempfile
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

LOCAL = ("localhost", "127.0.0.1", "::1")
NOW = datetime.datetime.now(datetime.timezone.utc)
DAY = datetime.timedelta(days=1)


class Certificates:
    """A folder of PEM files: ``ca.pem``, and for each name ``NAME.pem`` with ``NAME.key``.

    good, wrong (another host), expired, self (self-signed), oldca and oldleaf (no keyUsage), client,
    and otherca (signs nobody here).
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        ca = self._ca("ca", usage=True)
        old = self._ca("oldca", usage=False)
        self._ca("otherca", usage=True)
        self._leaf("good", ca)
        self._leaf("wrong", ca, names=("other.example",))
        self._leaf("expired", ca, begin=NOW - 900 * DAY, end=NOW - 400 * DAY)
        self._leaf("oldleaf", old, plain=True)
        self._leaf("client", ca, usage=ExtendedKeyUsageOID.CLIENT_AUTH)
        self._leaf("self", None)

    def path(self, name: str) -> str:
        """The path of a file of the folder."""
        return str(self.folder / name)

    def server(
        self, name: str = "good", *, ask_client: bool = False, alpn: tuple[str, ...] = (), version: str = ""
    ) -> ssl.SSLContext:
        """A context for a server; ``version`` such as ``1.2`` is the only one it speaks."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        if version:
            import warnings

            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                wanted = ssl.TLSVersion[f"TLSv{version.replace('.', '_')}".removesuffix("_0")]
                context.minimum_version = context.maximum_version = wanted
            if version < "1.2":
                context.set_ciphers("DEFAULT:@SECLEVEL=0")
        context.load_cert_chain(self.path(f"{name}.pem"), self.path(f"{name}.key"))
        if ask_client:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(self.path("ca.pem"))
        if alpn:
            context.set_alpn_protocols(list(alpn))
        return context

    def _write(self, name: str, certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey) -> None:
        pem = serialization.Encoding.PEM
        (self.folder / f"{name}.pem").write_bytes(certificate.public_bytes(pem))
        secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        (self.folder / f"{name}.key").write_bytes(secret)

    def _ca(self, name: str, *, usage: bool) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = _name(f"Test {name}")
        builder = _builder(subject, subject, key, NOW - DAY, NOW + 30 * DAY)
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        builder = builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
        if usage:
            builder = builder.add_extension(_key_usage(sign=True), critical=True)
        certificate = builder.sign(key, hashes.SHA256())
        self._write(name, certificate, key)
        return certificate, key

    def _leaf(
        self,
        name: str,
        issuer: tuple[x509.Certificate, ec.EllipticCurvePrivateKey] | None,
        *,
        names: tuple[str, ...] = LOCAL,
        begin: datetime.datetime = NOW - DAY,
        end: datetime.datetime = NOW + 30 * DAY,
        plain: bool = False,
        usage: x509.ObjectIdentifier = ExtendedKeyUsageOID.SERVER_AUTH,
    ) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = _name(names[0])
        signer, signing_key = issuer if issuer is not None else (None, key)
        builder = _builder(subject, signer.subject if signer else subject, key, begin, end)
        builder = builder.add_extension(x509.SubjectAlternativeName([_general(n) for n in names]), False)
        builder = builder.add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(signing_key.public_key()), False
        )
        if not plain:
            builder = builder.add_extension(_key_usage(sign=False), critical=True)
            builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), False)
        self._write(name, builder.sign(signing_key, hashes.SHA256()), key)


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    begin: datetime.datetime,
    end: datetime.datetime,
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(end)
    )


def _key_usage(*, sign: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not sign,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=sign,
        crl_sign=sign,
        encipher_only=False,
        decipher_only=False,
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _general(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        return x509.DNSName(text)


@functools.cache
def certificates() -> Certificates:
    """The certificates of this test run, made once."""
    return Certificates(Path(tempfile.mkdtemp(prefix="faultlab-")))
