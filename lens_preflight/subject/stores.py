"""The backends of one run, each opened once, and the one canary that is sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from lens_preflight.core.deadline import Deadline
from lens_preflight.core.errors import LibraryFailure, Skip, Undecided
from lens_preflight.core.variable import Environment
from lens_preflight.lens.config import LensConfig
from lens_preflight.lens.generations import Generation
from lens_preflight.lens.metrics import METRICS
from lens_preflight.otel.exporter import Exporter, exporter
from lens_preflight.otel.proxies import grpc_host
from lens_preflight.otel.resource import from_environment
from lens_preflight.subject.launch import Launch
from lens_preflight.subject.once import Once
from lens_preflight.subject.subject import Subject

if TYPE_CHECKING:
    from lens_preflight.backends import Backend, ReadBack, Telemetry
    from lens_preflight.probe.canary import Canary
    from lens_preflight.subject.panels import PanelReading

SIGNALS = ("traces", "metrics")
TELEMETRY_PORT = 8888


class Stores:
    """Where telemetry is looked for; safe to use from several threads, sends when first asked.

    Tokens, proxies and trust come from the environment of this process and ``--set``, not from the
    job's.
    """

    def __init__(self, subject: Subject, deadline: Deadline) -> None:
        self._subject = subject
        self._deadline = deadline
        self._once = Once()

    def backend(self, name: str, generation: Generation) -> Backend:
        """The backend that was given under a name.

        Raises:
            InputError: its name or URL says nothing that could be opened.
            Skip: it is a collector, which stores nothing.
        """
        return self._once.get(("backend", name), lambda: self._open(name, generation))

    def _open(self, name: str, generation: Generation) -> Backend:
        from lens_preflight.backends import Scope, is_collector, open_backend

        url = self._subject.inputs.backends[name]
        if is_collector(name, url):
            raise Skip("a collector stores nothing", missing_input="--backend jaeger=URL or another store")
        scope = Scope(services=self._services(generation), metrics=self._metrics())
        return open_backend(name, url, self._environment, self._deadline, scope=scope)

    @property
    def _environment(self) -> Environment:
        inputs = self._subject.inputs
        return inputs.process.over(inputs.given)

    def _env(self, launch: Launch, generation: Generation) -> Environment:
        return self._subject.inside(launch, generation).env

    def _services(self, generation: Generation) -> tuple[str, ...]:
        """What the launches call their service, the framework's default name included."""
        found: dict[str, None] = {}
        for launch in self._subject.launches:
            try:
                found[
                    LensConfig(
                        self._env(launch, generation).closed(), launch.framework, generation
                    ).service_name
                ] = None
            except (Undecided, LibraryFailure):
                continue
            if launch.framework.service:
                found[launch.framework.service] = None
        return tuple(found)

    def _metrics(self) -> tuple[str, ...]:
        frameworks = {launch.framework.id for launch in self._subject.launches}
        return tuple(dict.fromkeys(m.name for f in sorted(frameworks) for m in METRICS.get(f, ())))

    def telemetry(self, generation: Generation) -> tuple[Telemetry, ...]:
        """The metrics pages of the collectors that were given, else of the one at the endpoint's host."""
        from lens_preflight.backends import is_collector, open_telemetry

        given = {n: u for n, u in self._subject.inputs.backends.items() if is_collector(n, u)}
        pages = given or {
            f"collector at {h}": f"http://{h}:{TELEMETRY_PORT}" for h in self._hosts(generation)
        }
        return self._once.get(
            "telemetry",
            lambda: tuple(
                open_telemetry(n, u, self._environment, self._deadline, given=bool(given))
                for n, u in pages.items()
            ),
        )

    def _hosts(self, generation: Generation) -> tuple[str, ...]:
        hosts: dict[str, None] = {}
        for launch in self._subject.launches:
            for one in self._exporters(launch, generation):
                host = grpc_host(one.target) if one.transport == "grpc" else _host(one.target)
                if host:
                    hosts[f"[{host}]" if ":" in host else host] = None
        return tuple(hosts)

    def _exporters(self, launch: Launch, generation: Generation) -> Iterator[Exporter]:
        env = self._env(launch, generation).closed()
        lens = LensConfig(env, launch.framework, generation)
        for signal in SIGNALS:
            try:
                if signal in lens.signals:
                    yield exporter(
                        env,
                        signal,
                        generation,
                        self._subject.files,
                        launch.framework.prefixes,
                    )
            except (Undecided, LibraryFailure):
                continue

    def canary(self, generation: Generation) -> Canary | None:
        """The canary of this run, sent at the first question; None when none was asked for.

        Raises:
            Undecided: no launch has an endpoint that is known.
        """
        if not self._subject.inputs.canary:
            return None
        return self._once.get("canary", lambda: self._send(generation))

    def _send(self, generation: Generation) -> Canary:
        from lens_preflight.probe.canary import send

        for launch in self._subject.launches:
            exporters = [e for e in self._exporters(launch, generation) if e.transport != "console"]
            if exporters:
                return send(
                    exporters,
                    self._env(launch, generation),
                    self._resource(launch, generation),
                    self._deadline,
                )
        raise Undecided("no endpoint is known to which a canary could be sent")

    def _resource(self, launch: Launch, generation: Generation) -> dict[str, Any]:
        """What routes and groups the job's telemetry; nothing that says who or where it is."""
        lens = LensConfig(self._env(launch, generation).closed(), launch.framework, generation)
        found: dict[str, Any] = dict(from_environment(self._env(launch, generation)).attributes)
        found["service.name"] = lens.service_name
        found |= {"wandb.entity": lens.wandb_entity, "wandb.project": lens.wandb_project}
        return {key: value for key, value in found.items() if value}

    def read_back(self, name: str, generation: Generation) -> ReadBack:
        """What became of the canary in a backend, asked until it is found or the time is up."""
        from lens_preflight.backends import Marker, read_back
        from lens_preflight.probe.canary import RUN_ID

        canary = self.canary(generation)
        assert canary is not None
        backend, marker = self.backend(name, generation), Marker(canary.marker, canary.value)
        return self._once.get(("read back", name), lambda: read_back(backend, RUN_ID, marker))

    def panels(self, name: str, generation: Generation, run_id: str) -> tuple[PanelReading, ...]:
        """The panels of the dashboards that were given, asked of a store of metrics; else none."""
        from lens_preflight.backends import PromqlBackend
        from lens_preflight.subject.panels import live_panels

        backend = self.backend(name, generation)
        if not isinstance(backend, PromqlBackend) or not self._subject.inputs.dashboards:
            return ()
        boards = self._subject.dashboards
        return self._once.get(("panels", name, run_id), lambda: tuple(live_panels(boards, backend, run_id)))


def _host(url: str) -> str | None:
    """The host of an HTTP endpoint; None for a URL that is refused before anything is sent."""
    try:
        return urlsplit(url.strip()).hostname
    except ValueError:
        return None
