"""What a reply means, by its bytes."""

from __future__ import annotations

import pytest

from lens_preflight.probe import replies
from lens_preflight.probe.causes import CAUSES
from lens_preflight.probe.client import Answer
from lens_preflight.probe.replies import judge_grpc, judge_http, judge_message

PROTOBUF = {"content-type": "application/x-protobuf; charset=x"}
PARTIAL = b"\x0a\x02\x08\x03"


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (Answer(status=200, headers=PROTOBUF, ended="end"), "ok"),
        (Answer(status=202, headers=PROTOBUF, ended="end"), "ok"),
        (Answer(status=204, ended="end"), "nonstandard-success"),
        (Answer(status=200, ended="end"), "nonstandard-success"),
        (Answer(status=200, headers={"content-type": "text/html"}, ended="end"), "not-otlp"),
        (
            Answer(status=200, headers={"content-type": "application/json"}, body=b"{}", ended="end"),
            "not-otlp",
        ),
        (Answer(status=200, body=b"pong", ended="end"), "not-otlp"),
        (Answer(status=200, headers=PROTOBUF, body=PARTIAL, ended="end"), "partial-rejection"),
        (Answer(status=200, headers=PROTOBUF, body=b"\xff", ended="end"), "malformed-reply"),
        (Answer(status=200, headers=PROTOBUF, body=b"\x18\x01", ended="end"), "malformed-reply"),
        (Answer(status=200, headers=PROTOBUF, ended="limit"), "oversized-reply"),
        (Answer(status=200, headers=PROTOBUF, ended="time"), "dripping"),
        (Answer(status=200, headers=PROTOBUF, ended="cut"), "malformed-reply"),
        (
            Answer(status=302, headers={"location": "https://sso.example/login?next=/v1"}, ended="end"),
            "login-page",
        ),
        (Answer(status=308, headers={"location": "https://c:4318/v1/traces"}, ended="end"), "redirect"),
        (Answer(status=304, ended="end"), "redirect"),
        (Answer(status=511, ended="end"), "login-page"),
        (Answer(status=418, ended="end"), "bad-request"),
        (Answer(status=599, ended="end"), "server-error"),
    ],
)
def test_http(answer: Answer, code: str) -> None:
    assert judge_http("traces", answer).code == code


def test_a_page_that_asks_for_a_password() -> None:
    page = b"<html><FORM><input type='Password'></form>"
    answer = Answer(status=200, headers={"content-type": "text/html"}, body=page, ended="end")
    assert judge_http("traces", answer).code == "login-page"


@pytest.mark.parametrize("signal", ["traces", "metrics", "logs"])
def test_rejected_items_of_each_signal(signal: str) -> None:
    assert judge_message(signal, PARTIAL).code == "partial-rejection"
    assert judge_message(signal, b"").code == "ok"


def test_a_servers_words_become_one_harmless_line() -> None:
    judged = judge_message("traces", b"\x0a\x07\x12\x05a\nb\x1bc")
    assert judged.notes == ("the server says: a.b.c",)


@pytest.mark.parametrize(
    ("code", "trailers", "cause"),
    [
        ("UNIMPLEMENTED", (), "unimplemented"),
        ("RESOURCE_EXHAUSTED", (), "quota-or-size"),
        ("RESOURCE_EXHAUSTED", (replies.RETRY_INFO,), "throttled"),
        ("ABORTED", (), "server-error"),
    ],
)
def test_grpc(code: str, trailers: tuple[str, ...], cause: str) -> None:
    assert judge_grpc("traces", Answer(code=code, trailers=trailers)).code == cause


def test_a_large_grpc_reply() -> None:
    assert judge_grpc("traces", Answer(code="OK", body=b"\0" * (1 << 17))).code == "oversized-reply"


def test_every_status_leads_to_a_cause_of_the_vocabulary() -> None:
    codes = {replies.http_status(status) for status in range(400, 600)} | set(replies.GRPC_CODES.values())
    assert codes <= set(CAUSES)
