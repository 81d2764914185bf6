"""The client is bounded in everything: bytes, seconds, calls, redirects; and shows no secret."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from lens_preflight.backends import http
from lens_preflight.backends.answers import value_of
from lens_preflight.backends.http import Access, Client, Reply, retry_after
from lens_preflight.backends.words import Answered, Word
from lens_preflight.core.deadline import Deadline
from tests.backends.replay import Canned, replayed


@contextmanager
def raw(serve: Callable[[socket.socket], None]) -> Iterator[str]:
    """A server that answers one connection after another by hand."""
    listener = socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        while True:
            try:
                peer, _ = listener.accept()
            except OSError:
                return
            with peer:
                try:
                    peer.recv(65536)
                    serve(peer)
                except OSError:
                    pass

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.close()


def word_of(url: str, seconds: float = 20.0) -> Word:
    """What one GET comes to."""
    try:
        value_of(Client(url, Access(), Deadline.after(seconds), calls=5).get("/"))
    except Answered as answered:
        return answered.word
    return Word.OK


def test_an_endless_body_is_cut_off() -> None:
    def endless(peer: socket.socket) -> None:
        peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n")
        while True:
            peer.sendall(b"x" * 65536)

    with raw(endless) as url:
        assert word_of(url) is Word.MALFORMED


def test_a_compressed_bomb_is_cut_off() -> None:
    import gzip

    bomb = gzip.compress(b" " * (64 << 20))

    def explode(peer: socket.socket) -> None:
        head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(bomb)}\r\n\r\n"
        peer.sendall(head.encode() + bomb)

    with raw(explode) as url:
        assert word_of(url) is Word.MALFORMED


def test_a_dripping_body_ends_with_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "MAX_CALL", 0.3)
    pause = threading.Event()

    def drip(peer: socket.socket) -> None:
        peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        while True:
            peer.sendall(b"x")
            pause.wait(0.02)

    with raw(drip) as url:
        assert word_of(url) is Word.INCONCLUSIVE


def test_a_silent_server_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "MAX_CALL", 0.2)

    def silent(peer: socket.socket) -> None:
        peer.recv(1)

    with raw(silent) as url:
        assert word_of(url) is Word.UNREACHABLE


def test_a_cut_body_is_malformed() -> None:
    def cut(peer: socket.socket) -> None:
        peer.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"a": ')

    with raw(cut) as url:
        assert word_of(url) is Word.MALFORMED


def test_no_redirect_is_followed() -> None:
    seen: list[str] = []

    def again(text: str) -> Canned:
        seen.append(text)
        return Canned(b"", 302, headers={"Location": "/"})

    with replayed("collector", {"GET /": again}) as server:
        assert word_of(server.url) is Word.NOT_THE_BACKEND
    assert len(seen) == 1


def test_a_closed_port_a_bad_name_and_the_wrong_scheme_are_told_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = socket.getaddrinfo

    def resolve(host: str, *rest: object, **more: object) -> object:
        if host.endswith(".invalid"):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return real(host, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
    texts = {}
    for url in (f"http://127.0.0.1:{port}", "http://no-such-host.invalid:1"):
        with pytest.raises(Answered) as caught:
            Client(url, Access(), Deadline.after(10)).get("/")
        texts[url] = caught.value.text
    with replayed("collector", {}) as server, pytest.raises(Answered) as caught:
        Client(server.url.replace("http:", "https:"), Access(), Deadline.after(10)).get("/")
    assert "plaintext" in caught.value.text
    assert "nothing listens" in texts[f"http://127.0.0.1:{port}"]
    assert "no address" in texts["http://no-such-host.invalid:1"]


def test_the_budget_of_calls_is_kept() -> None:
    with replayed("collector", {"GET /": Canned(b"{}")}) as server:
        client = Client(server.url, Access(), Deadline.after(10), calls=2)
        client.get("/")
        client.get("/")
        with pytest.raises(Answered, match="budget"):
            client.get("/")
        assert len(server.requests) == 2


def test_retry_after_is_waited_for_when_it_is_short() -> None:
    answers = iter([Canned(b"", 429, headers={"Retry-After": "3"}), Canned(b"{}")])
    paused: list[float] = []
    with replayed("collector", {"GET /": lambda _: next(answers)}) as server:
        assert server.client(pause=paused.append).get("/").status == 200
    assert paused == [3.0]


@pytest.mark.parametrize("text", ["600", "Wed, 21 Oct 2099 07:28:00 GMT", "soon", ""])
def test_retry_after_is_not_waited_for_when_it_is_long_or_no_time(text: str) -> None:
    paused: list[float] = []
    limited = Canned(b"", 429, headers={"Retry-After": text})
    with replayed("collector", {"GET /": limited}) as server:
        assert server.client(pause=paused.append).get("/").status == 429
    assert paused == []


def test_retry_after_counts_for_limits_and_overload_only() -> None:
    assert retry_after(Reply(200, {"retry-after": "3"}, b"")) is None
    assert retry_after(Reply(503, {"retry-after": "3"}, b"")) == 3.0


def test_no_call_is_made_after_the_deadline() -> None:
    with replayed("collector", {"GET /": Canned(b"{}")}) as server:
        with pytest.raises(Answered, match="no time"):
            server.client(seconds=0.0).get("/")
        assert server.requests == []


def test_the_clock_of_the_server_is_learnt() -> None:
    with replayed("collector", {"GET /": Canned(b"{}")}, now=1_000_000_000.0) as server:
        client = server.client()
        client.get("/")
        assert abs(client.now() - 1_000_000_000.0) < 5.0


def test_netrc_and_proxies_of_this_process_are_not_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with replayed("collector", {"GET /": Canned(b"{}")}) as server:
        assert server.client().get("/").status == 200


def test_access_does_not_show_its_secrets() -> None:
    assert "planted" not in repr(Access({"Authorization": "Bearer planted"}, {"http": "http://u:planted@p"}))


def test_a_server_that_repeats_our_token_is_not_quoted_with_it() -> None:
    """A quotation is cut at some length; half a token would be found by no redactor."""
    token = "planted-" + "t0ken" * 12
    body = f'"you sent Bearer {token} and {token[:-1]}x"'.encode()
    with replayed("prometheus", {"GET /.*": Canned(body)}) as server:
        client = Client(server.url, Access({"Authorization": f"Bearer {token}"}), Deadline.after(20))
        reply = client.get("/api/v1/status/buildinfo")
    assert token not in reply.text
    assert "<redacted>" in reply.text


@pytest.mark.parametrize("text", ["²", "9" * 400, "Fri, 32 Dec 2026 23:59:59 GMT", "-1", "soon"])
def test_a_retry_after_that_means_nothing_is_none(text: str) -> None:
    assert retry_after(Reply(429, {"retry-after": text}, b"")) is None
