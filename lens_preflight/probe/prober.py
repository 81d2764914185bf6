"""One probe per distinct way to send, shared by all launches and signals that send that way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lens_preflight.core.deadline import Deadline
from lens_preflight.core.variable import Environment
from lens_preflight.probe.model import ProbeResult

if TYPE_CHECKING:
    from lens_preflight.otel.exporter import Exporter
    from lens_preflight.otel.files import Files


class Prober:
    """Probes endpoints within one deadline; safe to use from several threads.

    ``files`` is the host's file system. ``wait``: seconds to keep trying an endpoint that does not
    answer before judging it.
    """

    def __init__(self, deadline: Deadline, files: Files, *, wait: float = 0.0) -> None:
        self._deadline = deadline
        self._files = files
        self._wait = wait

    def result(self, exporter: Exporter, env: Environment | None = None) -> ProbeResult:
        """What became of one empty Export; the same exporter is sent only once.

        ``env`` is the environment of the job: the real client reads proxy, resolver and trust
        variables from it; without it only what ``exporter`` says is used.
        """
        raise NotImplementedError

    def close(self) -> None:
        """End the client process; results stay."""
