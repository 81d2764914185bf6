"""Answers of backends and of collectors' metrics pages: recorded ones, changed, through our own clients."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from random import Random
from typing import Any

from lens_preflight.backends import jaeger_grpc
from lens_preflight.backends.http import Access, Client, Params, Reply, retry_after
from lens_preflight.core.deadline import Deadline
from tests.backends.asking import _question, companions
from tests.backends.recorded import Recorded, recorded
from tests.backends.replay import NO_ROUTE, Answers, Canned
from tests.fuzz import mutate
from tests.fuzz.corpora import CASES
from tests.fuzz.target import CANARY, Target

WORDS = (
    *(
        "data",
        "status",
        "success",
        "result",
        "metric",
        "value",
        "errors",
        "traces",
        "spans",
        "nemo.run.id",
        "hits",
    ),
    *(
        "llama3-pretrain-a",
        "1795976465",
        "2026-11-29T12:00:00Z",
        "stringValue",
        "resultType",
        "vector",
        "count",
    ),
    *(
        "fields",
        "keyword",
        "aggregatable",
        "complete",
        "columns",
        "frames",
        "schema",
        "attributes",
        "key",
        "total",
    ),
)
_HEADERS = (
    *("retry-after", "content-type", "www-authenticate", "location", "date", "server", "x-elastic-product"),
    *("x-ratelimit-reset", "content-encoding", "ratelimit", "x-content-type"),
)


@dataclass(frozen=True)
class Answer:
    """A recorded case with the reply that is given instead of its own."""

    case: Recorded
    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass
class Replayed(Client):
    """A client whose calls are answered from memory: no socket, no pause."""

    answers: Answers = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    def __init__(self, answers: Answers, headers: Mapping[str, str]) -> None:
        access = Access({"Authorization": f"Bearer {CANARY}"})
        super().__init__("http://127.0.0.1:9", access, Deadline.after(3600), pause=_no_pause)
        self.answers = answers
        self.headers = headers

    def _once(self, method: str, path: str, params: Params, body: Any) -> Reply:
        text = f"{method} {path.partition('?')[0]}"
        for pattern, canned in self.answers.items():
            if re.fullmatch(pattern, text):
                found = canned(f"{text} {params} {body}") if callable(canned) else canned
                headers = {"content-type": found.type, **found.headers}
                self._watch_clock(headers)
                return Reply(found.status, headers, found.body)
        return Reply(NO_ROUTE.status, {"content-type": NO_ROUTE.type}, NO_ROUTE.body)


def _no_pause(_: float) -> None:
    """Nothing waits."""


@cache
def _cases() -> tuple[Recorded, ...]:
    folders = [CASES / "backends", CASES / "backends-own"]
    return tuple(
        case for folder in folders if (folder / "expected.json").is_file() for case in recorded(folder)
    )


def _answer(random: Random) -> Answer:
    case = random.choice([c for c in _cases() if c.kind])
    canned = case.canned
    body = _body(random, canned.body)
    status = (
        canned.status
        if random.random() < 0.8
        else random.choice((200, 204, 301, 400, 401, 403, 429, 500, 503))
    )
    headers = {"content-type": canned.type}
    for name in random.sample(_HEADERS, random.choice((0, 0, 1, 3))):
        words = ("application/json", "text/html", "Sun, 29 Nov 2026 22:00:00 GMT", "http://u:p@h/login", "1")
        headers[name] = random.choice(words) if random.random() < 0.5 else mutate.nasty(random)
    if random.random() < 0.2:
        body = body.replace(b'"', f'"Bearer {CANARY} '.encode(), 1)
    return Answer(case, status, headers, body)


def _body(random: Random, body: bytes) -> bytes:
    try:
        made = mutate.tree(random, json.loads(body), WORDS)
    except ValueError:
        text = mutate.text(random, body.decode("utf-8", "replace"), WORDS)
        return text.encode("utf-8", "surrogatepass")
    data = json.dumps(made).encode()
    return mutate.octets(random, data) if random.random() < 0.1 else data


def _use(made: Answer) -> Iterator[str]:
    given = Canned(made.body, made.status, made.headers.get("content-type", ""), made.headers)
    case = replace(made.case, canned=given)
    pattern, question = _question(case.kind, case.request)
    answers: Answers = {pattern: given}
    answers.update((k, v) for k, v in companions(case.kind, case.request).items() if k != pattern)
    retry_after(Reply(429, made.headers, made.body))
    kept = jaeger_grpc.find
    jaeger_grpc.find = _no_grpc
    try:
        for step in case.steps or (None,):
            reading = question(Replayed(answers, made.headers), case, step)
            yield f"{reading.text} {reading.remedy}"
    finally:
        jaeger_grpc.find = kept


def _no_grpc(*_: Any, **__: Any) -> Any:
    raise jaeger_grpc.NoGrpc


TARGETS = (Target("backends", 2100, _answer, _use),)
