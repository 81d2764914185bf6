"""The HTTP API of Prometheus: what its answers mean, and how selectors are written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lens_preflight.backends.answers import object_of, other, refuse
from lens_preflight.backends.http import Reply
from lens_preflight.backends.words import Answered, Word

LABEL = "nemo_run_id"
"""``nemo.run.id`` as a label, under the default translation."""

LABELS = (LABEL, "nemo.run.id")
"""Both spellings; the one with dots under a store that translates nothing (3.0 and newer)."""

NOT_TRAINING = re.compile(r"target_info|otel_scope_info|up|scrape_.*|ALERTS.*")
"""Families that carry resource or scrape data and are on no panel."""


def data_of(reply: Reply) -> Any:
    """``data`` of a success; an error that the query engine reports is told from one of the transport."""
    error = _error(reply)
    if error is not None:
        kind, text = error
        if kind in ("bad_data", "execution", "422", "400"):
            raise Answered(
                Word.QUERY_ERROR,
                f"the query is refused ({kind}): {shown(text)}",
                "correct the query",
                status=reply.status,
            )
        if kind in ("timeout", "canceled", "too_many_requests"):
            raise Answered(
                Word.INCONCLUSIVE,
                f"the query was given up ({kind})",
                "run lens-preflight again",
                status=reply.status,
            )
    refuse(reply)
    answer = object_of(reply, "status")
    if answer["status"] != "success" or "data" not in answer:
        raise other(reply, "the answer is no success of this API")
    return answer["data"]


def _error(reply: Reply) -> tuple[str, str] | None:
    """errorType and error of an answer of this API, None for everything else."""
    if reply.status < 400 and b'"error"' not in reply.body[:200]:
        return None
    try:
        answer = reply.json()
    except Answered:
        return None
    if not isinstance(answer, Mapping) or answer.get("status") != "error":
        return None
    return str(answer.get("errorType", "")), str(answer.get("error", ""))


def shown(text: str) -> str:
    """The first line of a server's message, short."""
    return (text.strip().splitlines() or [""])[0][:160]


def quoted(text: str) -> str:
    """A PromQL string."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def select(metric: str, label: str, value: str) -> str:
    """A selector by name (empty: any) and one label; names with dots as Prometheus 3 takes them."""
    matchers = [f"{label_text(label)}={quoted(value)}"]
    if re.fullmatch(r"[A-Za-z_:][A-Za-z0-9_:]*", metric):
        return f"{metric}{{{matchers[0]}}}"
    if metric:
        matchers.insert(0, f"__name__={quoted(metric)}")
    return f"{{{','.join(matchers)}}}"


def label_text(label: str) -> str:
    return label if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", label) else quoted(label)
