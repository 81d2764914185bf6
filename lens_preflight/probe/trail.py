"""What the stages saw on their way to an endpoint; facts only, no opinion about the cause."""

from __future__ import annotations

from lens_preflight.core.data import dataclass, field
from lens_preflight.core.deadline import Deadline
from lens_preflight.otel.exporter import Exporter
from lens_preflight.probe.address import Destination
from lens_preflight.probe.h2 import Reply
from lens_preflight.probe.model import Stage, StageRecord, State
from lens_preflight.probe.net import Attempt, Resolved
from lens_preflight.probe.peer import Speech
from lens_preflight.probe.wire import Heard


@dataclass(frozen=True)
class Blame:
    """A cause that the settings alone show, and the variable to blame."""

    code: str
    text: str
    variable: str = ""


UNUSABLE_TRUST = "UNUSABLE_TRUST"
"""The reason of a handshake that was not begun, because the trust store cannot be loaded."""


@dataclass(frozen=True)
class TlsSeen:
    """One TLS handshake.

    ``verify_code`` is OpenSSL's X509 error, 0 when the chain was accepted; ``reason`` its symbolic
    name of any other failure; ``first`` the first bytes of the server; ``ended`` how the connection
    ended when there was neither (eof, reset, silence). ``lenient``: accepted without strict rules.
    ``configured``: accepted with the CA of the exporter's own variable. ``names``: those of the
    certificate.
    """

    ok: bool
    alpn: str | None = None
    version: str = ""
    verify_code: int = 0
    reason: str = ""
    first: bytes = b""
    ended: str = ""
    lenient: bool = False
    configured: bool = False
    names: tuple[str, ...] = ()
    asks_certificate: bool = False


@dataclass
class Trail:
    """The way to one endpoint, filled in stage by stage.

    ``budget`` is the time that the exporter gives one export, cut to the run's deadline; ``cut``
    says that it was. ``login_from`` is where the Authorization header comes from: netrc, url, headers.
    ``proxy`` is where the proxy listens. ``other`` is what the port spoke when it
    was asked the other way (TLS instead of plaintext, or the reverse).
    """

    exporter: Exporter
    budget: Deadline
    seconds: float
    cut: bool = False
    records: list[StageRecord] = field(default_factory=list)
    blame: Blame | None = None
    ca_missing: str = ""
    login_from: str = ""
    destination: Destination | None = None
    proxy: Destination | None = None
    tunnelled: bool = False
    resolved: Resolved | None = None
    attempts: list[Attempt] = field(default_factory=list)
    neighbour_missing: bool = False
    proxy_heard: Heard | None = None
    proxy_status: int | None = None
    tls: TlsSeen | None = None
    heard: Heard | None = None
    speech: Speech | None = None
    alert: str = ""
    reset_at_once: bool = False
    asks_certificate: bool = False
    roots_without_key_usage: bool = False
    other: Speech | None = None
    other_asked: bool = False
    goaway: int | None = None
    reply: Reply | None = None
    direct: bool | None = None
    native: bool | None = None

    def record(self, stage: Stage, state: State, text: str, seconds: float = 0.0, **evidence: str) -> None:
        """Note what became of a stage."""
        self.records.append(StageRecord(stage, state, text, seconds, evidence))

    @property
    def failed(self) -> StageRecord | None:
        """The first stage that failed."""
        return next((r for r in self.records if r.state is State.FAILED), None)

    @property
    def reached(self) -> bool:
        """True when a TCP (or unix) connection to the endpoint or its proxy stands."""
        return any(not a.error for a in self.attempts)
