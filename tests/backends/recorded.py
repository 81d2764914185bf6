"""Recorded answers of backends: which request they answer, and with which HTTP status.

A corpus folder says in words what each file answers; the status is recorded, in the file's name, or
follows from the schema of the body.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lens_preflight.backends.words import Step
from tests.backends.replay import Canned

PREFIXES = {
    "jaeger": "jaeger",
    "prom": "prometheus",
    "grafana": "grafana",
    "tempo": "tempo",
    "es": "elasticsearch",
    "opensearch": "elasticsearch",
    "kibana": "kibana",
    "hc": "honeycomb",
    "dd": "datadog",
    "weave": "weave",
    "otelcol": "collector",
}
"""The first word of a file's name, to the kind of backend that gave it."""


@dataclass(frozen=True)
class Recorded:
    """One recorded answer: ``request`` with "same" resolved, ``steps`` that it is judged for."""

    name: str
    kind: str
    request: str
    canned: Canned
    expected: str
    verdict: str
    steps: tuple[Step, ...]
    acceptable: tuple[str, ...] = ()


def recorded(folder: Path) -> Iterator[Recorded]:
    """All answers of a corpus folder."""
    expected = json.loads((folder / "expected.json").read_text())
    for name, entry in sorted(expected.items()):
        body = (folder / name).read_bytes()
        verdict = str(entry.get("verdict", ""))
        said = re.sub(r"\(.*?\)", "", f"{entry.get('step') or ''} {verdict}")
        steps = dict.fromkeys(re.findall(r"P[1-5]", said))
        yield Recorded(
            name=name,
            kind=PREFIXES.get(re.split(r"[_.]", name)[0], ""),
            request=_request(name, expected),
            canned=Canned(body, http_status(name, entry, body), str(entry["content_type"])),
            expected=str(entry["status"]),
            verdict=verdict,
            steps=tuple(Step(s) for s in steps),
            acceptable=tuple(entry.get("acceptable", ())),
        )


def _request(name: str, expected: Mapping[str, Any]) -> str:
    """The request of an answer; "same" is that of the sibling with the most similar name."""
    own = str(expected[name]["request"])
    if not own.startswith("same"):
        return own

    def likeness(other: str) -> int:
        pairs = zip(name, other, strict=False)
        return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(name), len(other)))

    others = [n for n in expected if not str(expected[n]["request"]).startswith(("same", "any"))]
    nearest = max(others, key=likeness)
    return f"{expected[nearest]['request']} {own.removeprefix('same')}"


def http_status(name: str, entry: Mapping[str, Any], body: bytes) -> int:
    """The HTTP status that goes with a body: recorded, in the file's name, or by its schema."""
    for key in ("http", "http_status", "code"):
        if isinstance(entry.get(key), int):
            return int(entry[key])
    if match := re.search(r"_([1-5]\d\d)(?=[_.])", name):
        return int(match[1])
    text = body.decode("utf-8", "replace")
    try:
        value = json.loads(text)
    except ValueError:
        return _status_of_text(text)
    return _status_of_json(value) if isinstance(value, dict) else 200


def _status_of_text(text: str) -> int:
    signs = {
        "no org id": 401,
        "invalid traceql": 400,
        "range specified": 400,
        "rate limit": 429,
        "too many requests": 429,
        "404 page not found": 404,
        "service unavailable": 503,
        "bad gateway": 502,
    }
    return next((status for sign, status in signs.items() if sign in text.lower()[:300]), 200)


_BY_WORD = {
    "bad_data": 400,
    "execution": 422,
    "timeout": 503,
    "unavailable": 503,
    "internal": 500,
    "too_many_requests": 429,
    "not-found": 404,
    "ERROR": 400,
}


def _status_of_json(value: dict[str, Any]) -> int:
    """Numbers that schemas repeat in the body, then words that go with one number."""
    for found in (value.get("status"), value.get("statusCode"), _in(value, "error", "httpCode")):
        if isinstance(found, int):
            return found
    errors = value.get("errors")
    if isinstance(errors, list) and errors:
        if isinstance(errors[0], dict) and isinstance(errors[0].get("code"), int):
            return int(errors[0]["code"])
        return 429 if "rate" in str(errors[0]).lower() else 403
    results = value.get("results")
    if isinstance(results, dict):
        return max((int(r.get("status", 200)) for r in results.values()), default=200)
    for key in ("errorType", "status"):
        word = value.get(key)
        if isinstance(word, str) and word in _BY_WORD:
            return _BY_WORD[word]
    if "accessErrorId" in value:
        return 403
    if isinstance(value.get("error"), str):
        return 404 if "not found" in value["error"].lower() else 429 if "limit" in value["error"] else 400
    return 422 if "detail" in value else 200


def _in(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
