"""From a name and a URL to a client of the right kind."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import SplitResult, unquote, urlsplit

from lens_preflight.backends.access import access
from lens_preflight.backends.backend import Backend
from lens_preflight.backends.datadog import Datadog
from lens_preflight.backends.elasticsearch import INDEX, Elasticsearch
from lens_preflight.backends.grafana import Grafana
from lens_preflight.backends.honeycomb import Honeycomb
from lens_preflight.backends.http import Client
from lens_preflight.backends.jaeger import Jaeger
from lens_preflight.backends.kibana import Kibana
from lens_preflight.backends.kinds import KINDS, Kind, kind_of
from lens_preflight.backends.prometheus import Prometheus
from lens_preflight.backends.telemetry import Telemetry
from lens_preflight.backends.tempo import Tempo
from lens_preflight.backends.weave import Weave
from lens_preflight.backends.words import Scope
from lens_preflight.core.deadline import Deadline
from lens_preflight.core.errors import InputError
from lens_preflight.core.variable import Environment
from lens_preflight.otel.files import Files, HostFiles

GUESS = 2.0
"""Seconds for an address that nobody named: a port that drops packets must not hold the run."""

_UI = {
    "jaeger": r"/(api|search|trace|monitor|dependencies|deepdependencies)(/.*)?",
    "prometheus": r"/(api/v1|graph|query|targets|alerts|classic|vmui|rules|status)(/.*)?",
    "grafana": r"/(d|dashboards|dashboard|explore|login|a|alerting|connections)(/.*)?",
    "kibana": r"(/s/[^/]+)?/app(/.*)?",
}
"""Paths of the user interface that people copy from the browser, and of the API below its base."""


def open_backend(
    name: str,
    url: str,
    env: Environment,
    deadline: Deadline,
    *,
    scope: Scope | None = None,
    files: Files | None = None,
) -> Backend:
    """The client of a backend that stores telemetry; sends nothing yet.

    ``env`` is the environment of this process: tokens, proxies and trust come from it.

    Raises:
        InputError: the name says no kind, the URL is none, or a token file cannot be read.
        Undecided: a variable is not known.
    """
    kind, parts = _read(name, url)
    if kind.id == "collector":
        raise InputError(f"--backend {name}: a collector stores nothing; name a store, such as jaeger=URL")
    base, rest = _split(kind, parts)
    client = _client(name, kind, base, env, deadline, files or HostFiles())
    what = scope or Scope()
    if kind.id == "elasticsearch":
        return Elasticsearch(name, client, what, rest or INDEX)
    if kind.id == "honeycomb":
        return Honeycomb(name, client, what, rest)
    if kind.id == "weave":
        return Weave(name, client, what, rest or _project(name, env))
    return _PLAIN[kind.id](name, client, what)


def open_telemetry(
    name: str,
    url: str,
    env: Environment,
    deadline: Deadline,
    *,
    given: bool = True,
    files: Files | None = None,
) -> Telemetry:
    """The client of a collector's metrics page; raises like ``open_backend``.

    ``given`` is False for an address that was guessed, where no page is no fault.
    """
    parts = _parts(name, url)
    base = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/').removesuffix('/metrics')}"
    kind = next(kind for kind in KINDS if kind.id == "collector")
    seconds = None if given else GUESS
    client = Client(base, access(name, kind.id, base, env, files or HostFiles()), deadline, seconds=seconds)
    return Telemetry(name, client, given=given)


def is_collector(name: str, url: str) -> bool:
    """Whether a backend's name says that it is a collector."""
    kind = kind_of(name, urlsplit(url).hostname or "")
    return kind is not None and kind.id == "collector"


def _client(name: str, kind: Kind, base: str, env: Environment, deadline: Deadline, files: Files) -> Client:
    return Client(base, access(name, kind.id, base, env, files), deadline)


def _read(name: str, url: str) -> tuple[Kind, SplitResult]:
    parts = _parts(name, url)
    kind = kind_of(name, parts.hostname or "")
    if kind is None:
        words = ", ".join(k.id for k in KINDS)
        raise InputError(
            f"--backend {name}: the name says no kind; call it one of {words}, or {name}-jaeger and so on"
        )
    return kind, parts


def _parts(name: str, url: str) -> SplitResult:
    """The URL in parts; the text of a bad one is not shown, it may hold a password."""
    text = url.strip()
    if not re.match(r"https?://", text, re.I):
        raise InputError(
            f"--backend {name}: the URL has no scheme; write {name}=http://HOST:PORT or https://"
        )
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise InputError(
            f"--backend {name}: the URL has no valid host and port; write {name}=http://HOST:PORT"
        ) from None
    if not parts.hostname or port == 0:
        raise InputError(f"--backend {name}: the URL has no host; write {name}=http://HOST:PORT")
    if parts.username is not None or parts.password is not None:
        raise InputError(
            f"--backend {name}: credentials do not belong into the URL; "
            f"export LENS_PREFLIGHT_{name.upper()}_USER and _PASSWORD instead"
        )
    return parts


def _split(kind: Kind, parts: SplitResult) -> tuple[str, str]:
    """The base URL, and the part of the path that names an index, data set or project."""
    path = parts.path.rstrip("/")
    if pattern := _UI.get(kind.id):
        path = re.sub(f"{pattern}$", "", path)
    rest = ""
    if kind.id in ("elasticsearch", "honeycomb"):
        path, _, rest = path.rpartition("/")
    elif kind.id == "weave":
        head, _, project = path.rpartition("/")
        path, _, entity = head.rpartition("/")
        rest = f"{entity}/{project}" if entity and project else ""
    return f"{parts.scheme.lower()}://{parts.netloc}{path}", unquote(rest)


def _project(name: str, env: Environment) -> str:
    entity, project = env.text("WANDB_ENTITY"), env.text("WANDB_PROJECT")
    if entity and project:
        return f"{entity}/{project}"
    raise InputError(
        f"--backend {name}: no project is named; write {name}=https://trace.wandb.ai/ENTITY/PROJECT"
    )


_PLAIN: dict[str, Callable[[str, Client, Scope], Backend]] = {
    "jaeger": Jaeger,
    "prometheus": Prometheus,
    "grafana": Grafana,
    "tempo": Tempo,
    "kibana": Kibana,
    "datadog": Datadog,
}
