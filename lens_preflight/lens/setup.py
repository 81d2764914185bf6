"""``setup_telemetry`` as a whole: does it raise, does this rank export, what does it send.

Source: nemo-lens 0.1.0 executed, 0.2.0 and the branch without ranks read and executed.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Mapping
from functools import cached_property

from lens_preflight.core.data import dataclass, field
from lens_preflight.core.errors import Harm, LibraryFailure, Undecided
from lens_preflight.core.variable import Environment
from lens_preflight.lens.config import LensConfig
from lens_preflight.lens.run_id import SLURM_JOB_ID, RunId, Source, run_id
from lens_preflight.otel import processors, providers
from lens_preflight.otel.exporter import exporter
from lens_preflight.otel.files import Files
from lens_preflight.otel.resource import RANDOM, Attribute, from_environment
from lens_preflight.otel.sampler import sampler

STRATEGIES = ("all_ranks", "single_rank", "sampled", "first_rank_per_node")
"""Exact words; a program can register more."""

SLURM_JOB_KEY = "slurm.job.id"
SLURM_ATTRIBUTES = {
    "SLURM_JOB_NAME": "slurm.job.name",
    "SLURM_NODELIST": "slurm.nodelist",
    "SLURM_NNODES": "slurm.nnodes",
    "SLURM_NTASKS": "slurm.ntasks",
    "SLURM_PARTITION": "slurm.partition",
    "SLURM_CLUSTER_NAME": "slurm.cluster.name",
}
KUBERNETES_ATTRIBUTES = {
    "K8S_NAMESPACE": "k8s.namespace.name",
    "K8S_POD_NAME": "k8s.pod.name",
    "K8S_POD_UID": "k8s.pod.uid",
    "K8S_NODE_NAME": "k8s.node.name",
    "K8S_CONTAINER_NAME": "k8s.container.name",
    "K8S_JOB_NAME": "k8s.job.name",
    "HOSTNAME": "k8s.pod.name",
}
DETECTED_HERE = ("host.name", "process.pid", "host.gpu.count")
"""Attributes of the host and the process, which win over the caller's and are not modelled."""


def _raise(exception: str, variable: str, message: str) -> LibraryFailure:
    return LibraryFailure(Harm.RAISES, exception, variable=variable, message=message, when="setup_telemetry")


def sampled_share(rank: int) -> float:
    """The fixed number from 0 to 1 that the strategy ``sampled`` compares with the rate."""
    digest = hashlib.md5(str(rank).encode(), usedforsecurity=False).hexdigest()
    return int(digest, 16) % 10000 / 10000.0


def is_export_rank(config: LensConfig, env: Environment, rank: int, world_size: int) -> bool:
    """Whether the export strategy picks a rank; every rank where there are no strategies.

    Raises:
        LibraryFailure: an unknown strategy, or a LOCAL_RANK that is no number.
        Undecided: a variable is not known before start.
    """
    strategy = config.export_strategy
    if strategy == "all_ranks":
        return True
    if strategy == "single_rank":
        wanted = config.export_rank
        return rank == (wanted if wanted >= 0 else world_size - 1)
    if strategy == "sampled":
        return sampled_share(rank) < config.export_sample_rate
    if strategy == "first_rank_per_node":
        text = env.text("LOCAL_RANK")
        try:
            return int("0" if text is None else text) == 0
        except ValueError as error:
            raise _raise("ValueError", "LOCAL_RANK", f"{text!r} is no whole number") from error
    message = f"{strategy!r} is no export strategy; there are {', '.join(STRATEGIES)}"
    raise _raise("ValueError", config.where("EXPORT_STRATEGY").name, message)


@dataclass(frozen=True)
class Setup:
    """One call of ``setup_telemetry`` in one process.

    ``attributes`` are the resource attributes that the caller passes; ``rank`` and ``world_size``
    reach a generation that takes no rank only through them. Every property raises Undecided when it
    depends on a variable that is not known before start.
    """

    env: Environment
    config: LensConfig
    files: Files
    rank: int = 0
    world_size: int = 1
    attributes: Mapping[str, Attribute] = field(default_factory=dict)

    @cached_property
    def run_id(self) -> RunId:
        """The run id, derived even when telemetry is off."""
        return run_id(self.env, self.config.names("RUN_ID"))

    @cached_property
    def is_exporting(self) -> bool:
        """``handle.is_exporting``.

        Raises:
            LibraryFailure: an unknown strategy, also when telemetry is off.
        """
        chosen = is_export_rank(self.config, self.env, self.rank, self.world_size)
        return self.config.enabled and chosen

    @cached_property
    def sampler(self) -> str:
        """The description of the sampler of an exporting process with traces."""
        if self.config.sampler_enabled:
            return f"RankAwareSampler(rank={self.rank}, rate={self.config.export_sample_rate})"
        return sampler(self.env).description

    @cached_property
    def resource(self) -> dict[str, Attribute]:
        """The resource of an exporting process, without what only the running process knows.

        A random run id or instance id is ``RANDOM``.
        """
        text = dict(from_environment(self.env).attributes)
        own = self._own_attributes()
        own.update(self.attributes)
        if not self.config.generation.takes_rank:
            named = {**text, **own}
            rank = named.get(self.config.generation.rank_key)
            if rank is not None and "service.instance.id" not in named:
                own["service.instance.id"] = self._instance(rank)
        own.update(self._detected())
        merged: dict[str, Attribute] = {"service.instance.id": RANDOM, **text, **own}
        return {k: v for k, v in merged.items() if k not in DETECTED_HERE}

    @property
    def in_sight(self) -> dict[str, Attribute]:
        """What the environment alone says of the resource; what hangs on an unknown variable is left out."""
        found: dict[str, Attribute] = {}
        parts: tuple[Callable[[], Mapping[str, Attribute]], ...] = (
            lambda: dict(from_environment(self.env).attributes),
            lambda: {"deployment.environment": self._deployment()},
            lambda: {"nemo.run.id": self.run_id.value or RANDOM},
            lambda: {"nemo.user.id": self.config.user},
            self._detected,
        )
        for part in parts:
            with contextlib.suppress(Undecided, LibraryFailure):
                found.update({key: value for key, value in part().items() if value and value != RANDOM})
        return found

    def _instance(self, rank: Attribute) -> str:
        value = RANDOM if self.run_id.source is Source.RANDOM else self.run_id.value
        return f"{value}-rank{rank}"

    def _own_attributes(self) -> dict[str, Attribute]:
        """What nemo-lens sets before the caller's attributes; service.version is not modelled."""
        generation, config = self.config.generation, self.config
        found: dict[str, Attribute] = {"service.name": config.service_name}
        if generation.takes_rank:
            found[generation.rank_key] = self.rank
            found[generation.world_size_key] = self.world_size
        value = self.run_id.value
        found["nemo.run.id"] = RANDOM if value is None else value
        if generation.takes_rank:
            found["service.instance.id"] = self._instance(self.rank)
        labels = {
            "nemo.user.id": config.user,
            "wandb.entity": config.wandb_entity,
            "wandb.project": config.wandb_project,
            "deployment.environment": self._deployment(),
        }
        found.update({key: value for key, value in labels.items() if value})
        return found

    def _deployment(self) -> str:
        """An empty DEPLOYMENT_ENV hides ENVIRONMENT."""
        own = self.env.text("DEPLOYMENT_ENV")
        return (self.env.text("ENVIRONMENT") or "") if own is None else own

    def _detected(self) -> dict[str, Attribute]:
        """Attributes of Slurm and Kubernetes, which win over the caller's."""
        found: dict[str, Attribute] = {}
        if job := self.env.text(SLURM_JOB_ID):
            found[SLURM_JOB_KEY] = job
            for name, key in SLURM_ATTRIBUTES.items():
                if value := self.env.text(name):
                    found[key] = value
        if self.env.text("KUBERNETES_SERVICE_HOST"):
            for name, key in KUBERNETES_ATTRIBUTES.items():
                value = self.env.text(name)
                if value and key not in found:
                    found[key] = value
        return found

    def metric_interval(self) -> int:
        """Milliseconds between two exports of metrics."""
        return processors.metric_interval(self.env)

    def run(self) -> None:
        """Go through the whole call in its own order, ``from_env`` included.

        Raises:
            LibraryFailure: the first thing over which it raises or aborts.
            Undecided: something on the way is not known before start.
        """
        self.config.load()
        if not self.is_exporting:
            return
        signals = self.config.signals
        if "traces" in signals:
            self._traces()
        if "metrics" in signals:
            self._metrics()
        if "logs" in signals:
            self._logs()
        self._groups()
        if "traces" not in signals:
            providers.tracer_plugin(self.env)
        if "metrics" not in signals:
            providers.meter_plugin(self.env)

    def _exporter(self, signal: str) -> None:
        framework, generation = self.config.framework, self.config.generation
        exporter(self.env, signal, generation, self.files, framework.prefixes)

    def _traces(self) -> None:
        self._exporter("traces")
        processors.span_limits(self.env)
        processors.batch(self.env)
        providers.meter_plugin(self.env)

    def _metrics(self) -> None:
        self._exporter("metrics")
        processors.metric_interval(self.env)
        providers.exemplar_filter(self.env)

    def _logs(self) -> None:
        self._exporter("logs")
        if "metrics" not in self.config.signals:
            providers.meter_plugin(self.env)
        processors.log_limits(self.env)
        processors.batch(self.env, "BLRP")

    def _groups(self) -> None:
        """Unknown span groups raise last, after the providers are in place."""
        unknown = self.config.resolved_groups.unknown
        if unknown and self.config.unknown_group_raises:
            variable = self.config.where("SPAN_GROUPS").name
            raise _raise("ValueError", variable, f"{unknown[0]!r} is no span group and no preset")
