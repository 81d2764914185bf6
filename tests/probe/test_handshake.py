"""The handshake of the stages, by itself: no real client that is faster or slower."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from lens_preflight.otel.files import HostFiles
from lens_preflight.probe.configure import configure
from lens_preflight.probe.handshake import Handshakes
from lens_preflight.probe.model import Stage, State
from lens_preflight.probe.stages import Stages
from lens_preflight.probe.trust import trust
from tests.faultlab import servers
from tests.faultlab.tls import certificates
from tests.probe.making import CA, ENDPOINT, GRPC, HTTP, trail


@contextlib.contextmanager
def stages(port: int, transport: dict[str, str], pleased: threading.Event) -> Iterator[Stages]:
    """The stages of an exporter that trusts our authority."""
    env = {**transport, ENDPOINT: f"https://localhost:{port}", CA: certificates().path("ca.pem")}
    empty = trail(env)
    assert configure(empty, HostFiles())
    made = Stages(empty, trust(empty.exporter), threading.Event(), pleased)
    with contextlib.closing(made):
        yield made


def test_the_version_agreed_on_is_told() -> None:
    port = servers.otlp_http(tls=certificates().server("good", version="1.2"))
    with stages(port, HTTP, threading.Event()) as made:
        made.walk()
    (tls,) = (r for r in made.trail.records if r.stage is Stage.TLS)
    assert (tls.state, tls.text) == (State.OK, "TLSv1.2, ALPN none")


def test_http2_is_agreed_on_for_grpc() -> None:
    with stages(servers.grpc(tls="good"), GRPC, threading.Event()) as made:
        made.walk()
    assert made.trail.tls is not None
    assert (made.trail.tls.ok, made.trail.tls.alpn) == (True, "h2")


def test_a_handshake_that_nobody_waits_for_any_more_blames_nobody() -> None:
    pleased = threading.Event()
    with stages(servers.grpc(tls="good"), GRPC, pleased) as made:
        made.walk()  # uses the connection of the connect stage up
        pleased.set()
        assert Handshakes(made).look().ended == "silence"
