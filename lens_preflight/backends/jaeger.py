"""Jaeger: both generations of its HTTP API, over one surface that really filters.

Sources: Jaeger 1.76 (2.13) run; sources and change log up to 2.20 and main of August 2026. The v1-style
JSON search is gone after 2.20; the v3 search ignores ``query.attributes`` before 2.19, so it is asked
only where the better surfaces (gRPC included) are not there, and the bogus id then shows what it does.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlsplit

from lens_preflight.backends import jaeger_grpc
from lens_preflight.backends.answers import items, object_of, path_in, refuse
from lens_preflight.backends.backend import MARKER, RUN_ID, Backend, age, nothing_for, something_for
from lens_preflight.backends.http import Client, Reply
from lens_preflight.backends.jaeger_answers import Found, from_summaries, from_v1, from_v3
from lens_preflight.backends.words import Answered, Marker, Reading, Scope, Step, Word

SURFACES = ("summaries", "v1", "grpc", "v3")
"""In the order of preference: those that are known to filter first, the cheapest of them first."""

MAX_SERVICES = 5
"""Services searched when nobody says which one is ours."""

_OWN = frozenset({"jaeger", "jaeger-query", "jaeger-all-in-one"})


class Jaeger(Backend):
    """Traces in Jaeger. ``surface`` fixes one of SURFACES instead of finding out; ``grpc_port`` is that
    of the gRPC API on the same host.
    """

    kind = "jaeger"
    title = "Jaeger"
    holds = frozenset({"traces"})

    def __init__(
        self,
        name: str,
        client: Client,
        scope: Scope,
        surface: str | None = None,
        grpc_port: int = jaeger_grpc.PORT,
    ) -> None:
        super().__init__(name, client, scope)
        self._surface = surface
        self._grpc_port = grpc_port
        self._services: tuple[str, ...] | None = None

    def _reach(self) -> Reading:
        found = self.services()
        if not found:
            return Reading(
                Step.REACH, Word.OK, "it answers, and knows no service yet", evidence={"services": "0"}
            )
        return Reading(
            Step.REACH, Word.OK, "it answers and lists services", evidence={"services": str(len(found))}
        )

    def _presence(self) -> Reading:
        known = self.services()
        wanted = [s for s in known if s in self.scope.services] if self.scope.services else self._searched()
        if wanted:
            return Reading(
                Step.PRESENCE, Word.OK, "the service has traces", evidence={"services": ", ".join(wanted)}
            )
        if known and self.scope.services:
            text = f"no trace of the service {self.scope.services[0]!r} has ever arrived"
        else:
            text = "no trace has ever arrived"
        return Reading(Step.PRESENCE, Word.NO_DATA, text, "give --send-canary, or run it again with the job")

    def services(self) -> tuple[str, ...]:
        """All services with traces, by the v3 API or, where there is none, by the older one."""
        if self._services is None:
            reply = self.client.get("/api/v3/services")
            if _no_route(reply):
                self._services = self.services_v1()
            else:
                self._services = _names(object_of(reply).get("services"))
        return self._services

    def services_v1(self) -> tuple[str, ...]:
        """All services with traces, by the JSON API of Jaeger 1 and 2.0 to 2.20."""
        return _names(object_of(self.client.get("/api/services"), "data").get("data"))

    def _positive(self, run_id: str, marker: Marker | None) -> Reading:
        tags = {RUN_ID: run_id} if marker is None else {RUN_ID: run_id, MARKER: marker.text}
        for service in self._searched():
            found = self._search(service, tags)
            if found:
                return self._judged(found, run_id)
        text = "the filter by the run id finds no trace"
        return Reading(
            Step.POSITIVE,
            Word.NOT_FOUND,
            text,
            "give --send-canary, or run lens-preflight again with the job",
        )

    def _judged(self, found: Found, run_id: str) -> Reading:
        """A hit counts when every trace of it carries the id; summaries carry none, so one is fetched."""
        whole = found
        if found.run_ids is None:
            whole = from_v3(object_of(self.client.get(f"/api/v3/traces/{quote(found.trace_ids[0])}")))
        if whole.run_ids is not None and whole.run_ids != {run_id}:
            text = "the filter by the run id returns traces that do not carry that id"
            remedy = "update Jaeger to 2.19 or newer, or give --backend NAME=URL of one that filters"
            return Reading(Step.POSITIVE, Word.WRONG_ID, text, remedy)
        evidence = {"trace": found.trace_ids[0], "surface": self._surface or ""}
        text = "the filter by the run id finds a trace that carries it"
        return Reading(Step.POSITIVE, Word.OK, text, newest=found.newest, evidence=evidence)

    def _negative(self, run_id: str) -> Reading:
        for service in self._searched():
            if self._search(service, {RUN_ID: run_id}):
                return something_for(run_id, "update Jaeger to 2.19 or newer")
        return nothing_for(run_id)

    def _freshness(self, run_id: str) -> Reading:
        """Results have no order, so the search is narrowed; spans of one long trace start one by one."""
        for lookback in (self.scope.moving, self.scope.lookback):
            for service in self._searched():
                found = self._search(service, {RUN_ID: run_id}, lookback)
                if found and found.newest is not None:
                    return age(found.newest, self.client.now(), self.scope.moving)
        text = "no trace of the run in the window"
        return Reading(Step.FRESHNESS, Word.STALE, text, "run lens-preflight again while the job runs")

    def _searched(self) -> tuple[str, ...]:
        """Our services, as far as they are known; else the first few that are not Jaeger's own."""
        known = self.services()
        ours = tuple(s for s in known if s in self.scope.services)
        return ours or tuple(s for s in known if s not in _OWN)[:MAX_SERVICES]

    def again(self) -> None:
        """Forget all answers, the list of services included."""
        super().again()
        self._services = None

    def _search(self, service: str, tags: dict[str, str], lookback: float | None = None) -> Found | None:
        """The first trace that the best surface finds, None when there is none."""
        seconds = lookback or self.scope.lookback
        searches = {
            "summaries": self.summaries,
            "v1": self.traces_v1,
            "grpc": self.traces_grpc,
            "v3": self.traces_v3,
        }
        for surface in (self._surface,) if self._surface else SURFACES:
            try:
                found = searches[surface](service, tags, seconds)
            except _NoRoute:
                continue
            self._surface = surface
            return found
        raise Answered(
            Word.NOT_THE_BACKEND,
            "none of Jaeger's search paths is there",
            "give the base URL of jaeger-query with --backend NAME=http://HOST:16686[/base-path]",
            status=404,
        )

    def summaries(self, service: str, tags: dict[str, str], lookback: float) -> Found | None:
        """``/api/v3/trace-summaries`` (2.19 and newer)."""
        now = self.client.now()
        reply = self.client.get(
            "/api/v3/trace-summaries",
            {
                "query.serviceName": service,
                "query.startTimeMin": _rfc3339(now - lookback),
                "query.startTimeMax": _rfc3339(now + 60.0),
                "query.searchDepth": "1",
                "query.attributes": json.dumps(tags),
            },
        )
        _route(reply)
        return from_summaries(_object(reply))

    def traces_v1(self, service: str, tags: dict[str, str], lookback: float) -> Found | None:
        """``/api/traces`` (1.x and 2.0 to 2.20); times in microseconds."""
        now = self.client.now()
        reply = self.client.get(
            "/api/traces",
            {
                "service": service,
                "limit": "1",
                "start": str(int((now - lookback) * 1e6)),
                "end": str(int((now + 60.0) * 1e6)),
                "tags": json.dumps(tags),
            },
        )
        _route(reply)
        return from_v1(_object(reply, "data"))

    def traces_grpc(self, service: str, tags: dict[str, str], lookback: float) -> Found | None:
        """FindTraces of the gRPC API."""
        now, parts = self.client.now(), urlsplit(self.client.base)
        try:
            return jaeger_grpc.find(
                f"{parts.hostname}:{self._grpc_port}",
                secure=parts.scheme == "https",
                metadata=self.client.metadata,
                service=service,
                tags=tags,
                window=(now - lookback, now + 60.0),
                seconds=self.client.deadline.remaining(),
            )
        except jaeger_grpc.NoGrpc:
            raise _NoRoute from None

    def traces_v3(self, service: str, tags: dict[str, str], lookback: float) -> Found | None:
        """``/api/v3/traces``; an empty result is a 404 with a JSON body."""
        now = self.client.now()
        reply = self.client.get(
            "/api/v3/traces",
            {
                "query.service_name": service,
                "query.start_time_min": _rfc3339(now - lookback),
                "query.start_time_max": _rfc3339(now + 60.0),
                "query.num_traces": "1",
                "query.attributes": json.dumps(tags),
            },
        )
        if _says_no_traces(reply):
            return None
        _route(reply)
        found = from_v3(_object(reply, "result"))
        return found if found.trace_ids else None


class _NoRoute(Exception):
    """This Jaeger does not have that path."""


def _route(reply: Reply) -> None:
    if _no_route(reply):
        raise _NoRoute


def _no_route(reply: Reply) -> bool:
    """A 404 that does not come from a handler, or the page of the UI, which answers unknown paths."""
    if reply.status == 404:
        return not _says_no_traces(reply)
    return reply.status == 200 and reply.html and b"jaeger" in reply.body[:20_000].lower()


def _says_no_traces(reply: Reply) -> bool:
    if reply.status != 404 or not reply.body.lstrip().startswith(b"{"):
        return False
    message = path_in(_loose(reply), "error", "message")
    return isinstance(message, str) and "no traces found" in message.lower()


def _loose(reply: Reply) -> Any:
    try:
        return reply.json()
    except Answered:
        return None


def _object(reply: Reply, *keys: str) -> dict[str, Any]:
    """The answer to a search; an error of the storage is told from one of ours."""
    if reply.status >= 400 and reply.status not in (401, 403, 429):
        said = " ".join(_messages(_loose(reply))) or reply.text[:500]
        if "nested" in said and "tags" in said:
            raise Answered(
                Word.NOT_FILTERABLE,
                "every search by a tag fails in its Elasticsearch store, where all tags are kept as fields",
                "set es.tags-as-fields.all=false for Jaeger, with its index templates",
                status=reply.status,
                final=True,
            )
    refuse(reply)
    return object_of(reply, *keys)


def _messages(value: Any) -> Iterator[str]:
    for error in items(path_in(value, "errors")):
        message = path_in(error, "msg")
        if isinstance(message, str):
            yield message
    message = path_in(value, "error", "message")
    if isinstance(message, str):
        yield message


def _names(value: Any) -> tuple[str, ...]:
    """Service names; a null list is an empty one (before 2.15)."""
    return tuple(name for name in items(value) if isinstance(name, str))


def _rfc3339(seconds: float) -> str:
    moment = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
