from __future__ import annotations

import socket

import pytest

from lens_preflight.core.deadline import Deadline
from lens_preflight.gate.control import Control, Controls, probe


def test_a_refusal_is_an_answer() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        found = probe(f"127.0.0.1:{held.getsockname()[1]}", "localhost", Deadline.after(10))
    assert (found.address, found.name) == (Control.FINE, Control.FINE)


def test_nothing_given_says_nothing() -> None:
    found = probe("", "", Deadline.after(10))
    assert (found.address, found.name) == (Control.NOT_ASKED, Control.NOT_ASKED)
    assert found.resolving is Control.NOT_ASKED


def test_no_time_says_nothing() -> None:
    found = probe("127.0.0.1:1", "localhost", Deadline.after(0))
    assert (found.address, found.name) == (Control.NOT_ASKED, Control.NOT_ASKED)


def test_a_look_up_that_never_ends_has_failed_by_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    never = threading.Event()
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: never.wait())
    found = probe("", "name", Deadline.after(0.5))
    assert found.name is Control.FAILED


@pytest.mark.parametrize(
    ("address", "route", "reaching"),
    [
        (Control.FINE, Control.FINE, Control.FINE),
        (Control.FAILED, Control.FINE, Control.FAILED),
        (Control.FINE, Control.FAILED, Control.FAILED),
        (Control.NOT_ASKED, Control.FINE, Control.FINE),
        (Control.NOT_ASKED, Control.FAILED, Control.FAILED),
    ],
)
def test_reaching_is_address_and_route(address: Control, route: Control, reaching: Control) -> None:
    assert Controls(address=address, route=route).reaching is reaching
