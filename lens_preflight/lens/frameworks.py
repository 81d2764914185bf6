"""How each framework hands settings on to NeMo Lens: prefixes, flags, YAML keys, groups, as data.

Sources (read): Megatron-LM of August 2026, NeMo-RL and NeMo-Gym of September 2026,
nvidia-resiliency-ext's telemetry shim.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from fnmatch import fnmatchcase

from lens_preflight.core.data import dataclass, field
from lens_preflight.lens import groups as span_groups
from lens_preflight.lens.groups import Groups


class Effect(enum.Enum):
    """What a command-line flag does to its setting."""

    SET = "set"
    """It wins over the environment."""
    ENABLE_ONLY = "enable only"
    """It can switch on and never off, so that the environment cannot switch off against it."""


@dataclass(frozen=True)
class Flag:
    """A command-line flag of the framework for one Lens setting (``key`` as behind a prefix)."""

    name: str
    key: str
    effect: Effect = Effect.SET

    def given(self, arguments: Iterable[str]) -> bool:
        """Whether a command line has it."""
        return any(a == self.name or a.startswith(f"{self.name}=") for a in arguments)


class Projection(enum.Enum):
    """How the YAML of a framework reaches the environment of its processes."""

    NONE = "none"
    SETDEFAULT = "setdefault"
    """Every field is written to the prefixed variable when that is not set yet."""
    EFFECTIVE_ENABLED = "effective enabled"
    """The same, but *enabled* is written as it comes out of both."""


@dataclass(frozen=True)
class YamlField:
    """One YAML field: the setting it is written to (``key``), and what it may hold."""

    name: str
    key: str
    type: str = "text"
    words: tuple[str, ...] = ()


class Exporting(enum.Enum):
    """Which processes of the framework call ``setup_telemetry``."""

    CALLER = "caller"
    RANKS = "ranks"
    DRIVER = "driver"
    SERVERS = "servers"
    AGENT = "agent"


@dataclass(frozen=True)
class Framework:
    """One framework profile.

    ``programs`` are patterns of file names and of command words, ``modules`` import names,
    ``detect_flags`` patterns of options: each tells the framework. ``prefix`` is read first, then
    ``fallback`` (empty: none). ``service`` is the default service name. ``run_id_shared_by``: the
    variable that a driver writes its run id to for the other processes, empty when each process
    derives its own. ``run_id_fallback``: the fallback
    prefix is asked for the run id as well, before SLURM_JOB_ID. ``ray_environment``: the driver's
    environment travels to all workers. ``env_only``: variables of its own that no key stands for.
    """

    id: str
    title: str
    prefix: str = "NEMO_LENS"
    fallback: str = ""
    programs: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    detect_flags: tuple[str, ...] = ()
    flags: tuple[Flag, ...] = ()
    yaml_path: str = ""
    yaml_fields: tuple[YamlField, ...] = ()
    projection: Projection = Projection.NONE
    service: str = "nemo"
    groups: Groups | None = field(default=None, hash=False)
    unknown_group_raises: bool = True
    run_id_fallback: bool = True
    run_id_shared_by: str = ""
    exporting: Exporting = Exporting.CALLER
    ray_environment: bool = False
    env_only: tuple[str, ...] = ()
    min_lens: str = "0.1"

    @property
    def prefixes(self) -> tuple[str, ...]:
        """The prefixes in the order of look-up."""
        return (self.prefix, self.fallback) if self.fallback else (self.prefix,)

    @property
    def run_id_names(self) -> tuple[str, ...]:
        """The variables that give the run id, in the order of look-up."""
        prefixes = self.prefixes if self.run_id_fallback else self.prefixes[:1]
        return tuple(f"{prefix}_RUN_ID" for prefix in prefixes)

    def flag(self, key: str) -> Flag | None:
        """The option for a setting, None when there is none."""
        return next((f for f in self.flags if f.key == key), None)


PLAIN = Framework(id="plain", title="a program that calls NeMo Lens itself", modules=("nemo.lens",))

MEGATRON = Framework(
    id="megatron",
    title="Megatron-LM",
    prefix="MEGATRON_OTEL",
    fallback="NEMO_LENS",
    programs=("pretrain_*.py", "train_rl.py"),
    modules=("megatron",),
    detect_flags=("--otel-*",),
    flags=(
        Flag("--otel-enabled", "ENABLED", Effect.ENABLE_ONLY),
        Flag("--otel-service-name", "SERVICE_NAME"),
        Flag("--otel-span-groups", "SPAN_GROUPS"),
    ),
    service="megatron-lm",
    groups=span_groups.MEGATRON,
    exporting=Exporting.RANKS,
)

_STRATEGIES = ("single_rank", "all_ranks", "sampled", "first_rank_per_node")

NEMO_RL = Framework(
    id="nemo-rl",
    title="NeMo-RL",
    prefix="NEMO_RL_OTEL",
    fallback="NEMO_LENS",
    programs=("run_grpo*.py", "run_dpo*.py", "run_sft*.py", "run_rm*.py", "run_distillation*.py"),
    modules=("nemo_rl",),
    yaml_path="telemetry",
    yaml_fields=(
        YamlField("enabled", "ENABLED", "bool"),
        YamlField("service_name", "OTEL_SERVICE_NAME"),
        YamlField("span_groups", "SPAN_GROUPS"),
        YamlField("traces_enabled", "TRACES_ENABLED", "bool"),
        YamlField("metrics_enabled", "METRICS_ENABLED", "bool"),
        YamlField("logs_enabled", "LOGS_ENABLED", "bool"),
        YamlField("exporter", "EXPORTER", "text", ("otlp", "console")),
        YamlField("vllm_native_tracing", "VLLM_NATIVE_TRACING", "bool"),
        YamlField("export_strategy", "EXPORT_STRATEGY", "text", _STRATEGIES),
        YamlField("export_rank", "EXPORT_RANK", "int"),
        YamlField("export_sample_rate", "EXPORT_SAMPLE_RATE", "float"),
        YamlField("sampler_enabled", "SAMPLER_ENABLED", "bool"),
    ),
    projection=Projection.SETDEFAULT,
    service="nemo-rl",
    groups=span_groups.NEMO_RL,
    run_id_shared_by="NEMO_RL_OTEL_RUN_ID",
    exporting=Exporting.DRIVER,
    ray_environment=True,
    env_only=("NEMO_RL_OTEL_VLLM_NATIVE_TRACING",),
)

NEMO_GYM = Framework(
    id="nemo-gym",
    title="NeMo-Gym",
    prefix="NEMO_GYM_OTEL",
    fallback="NEMO_LENS",
    programs=("ng_run", "gym"),
    modules=("nemo_gym",),
    yaml_path="telemetry",
    yaml_fields=(
        YamlField("enabled", "ENABLED", "bool"),
        YamlField("service_name", "OTEL_SERVICE_NAME"),
        YamlField("service_name_per_server", "", "bool"),
        YamlField("span_groups", "SPAN_GROUPS"),
        YamlField("traces_enabled", "TRACES_ENABLED", "bool"),
        YamlField("metrics_enabled", "METRICS_ENABLED", "bool"),
        YamlField("memory_profiling", "", "table"),
        YamlField("logs_enabled", "LOGS_ENABLED", "bool"),
        YamlField("exporter", "EXPORTER", "text", ("otlp", "console")),
        YamlField("otlp_endpoint", "OTEL_EXPORTER_OTLP_ENDPOINT"),
        YamlField("otlp_protocol", "OTEL_EXPORTER_OTLP_PROTOCOL"),
        YamlField("otlp_headers", "OTEL_EXPORTER_OTLP_HEADERS"),
        YamlField("instrument_aiohttp", "", "bool"),
        YamlField("run_id", "RUN_ID"),
    ),
    projection=Projection.EFFECTIVE_ENABLED,
    service="nemo-gym",
    groups=span_groups.NEMO_GYM,
    unknown_group_raises=False,
    run_id_fallback=False,
    run_id_shared_by="NEMO_GYM_OTEL_RUN_ID",
    exporting=Exporting.SERVERS,
)

NVRX = Framework(
    id="nvrx",
    title="nvidia-resiliency-ext",
    programs=("ft_launcher",),
    modules=("nvidia_resiliency_ext",),
    service="nvrx.ft_launcher",
    groups=span_groups.NVRX,
    unknown_group_raises=False,
    exporting=Exporting.AGENT,
    min_lens="0.2",
)

FRAMEWORKS = (PLAIN, MEGATRON, NEMO_RL, NEMO_GYM, NVRX)
"""The profile that fits when no other does comes first."""


def framework(id: str) -> Framework:
    """The profile of that id; KeyError when there is none."""
    for candidate in FRAMEWORKS:
        if candidate.id == id:
            return candidate
    raise KeyError(f"no framework {id!r}; known: {', '.join(f.id for f in FRAMEWORKS)}")


def detect(
    program: str | None, args: tuple[str, ...] = (), module: str | None = None, imports: tuple[str, ...] = ()
) -> Framework:
    """The framework that a command belongs to, ``PLAIN`` when nothing tells.

    ``program`` is a path or command word, ``module`` what ``-m`` names, ``imports`` the modules that
    the program is known to import.
    """
    name = (program or "").rpartition("/")[2]
    names = (module, *imports) if module else imports
    for candidate in FRAMEWORKS[1:]:
        if any(fnmatchcase(name, pattern) for pattern in candidate.programs):
            return candidate
        if any(fnmatchcase(word, pattern) for pattern in candidate.detect_flags for word in args):
            return candidate
        if any(n == m or n.startswith(f"{m}.") for m in candidate.modules for n in names):
            return candidate
    return PLAIN
