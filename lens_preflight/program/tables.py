"""Names of libraries as data: what is harmless, what blocks, what ends a process, who wraps whom.

Sources: the standard library of Python 3.13; OpenTelemetry API 1.4x; NeMo Lens 0.1.0 and its public
branches; torch, Lightning, transformers, accelerate, ray, click, typer, fire, hydra, absl as documented.
"""

from __future__ import annotations

LENS = "nemo.lens"

BLOCKING = (
    "barrier",
    "monitored_barrier",
    "all_reduce",
    "all_gather",
    "all_gather_object",
    "broadcast",
    "reduce",
    "gather",
    "scatter",
    "destroy_process_group",
    "wait_for_everyone",
    "synchronize",
    "join",
    "wait",
    "acquire",
    "get",
    "recv",
    "input",
)
"""Last words of calls that may wait for other processes or threads without end."""

WAITING = (
    "threading.Lock().acquire",
    "threading.RLock().acquire",
    "threading.Event().wait",
    "threading.Condition().wait",
    "threading.Semaphore().acquire",
)
"""Waits without a limit, when they are called without arguments."""

COLLECTIVES = BLOCKING[: BLOCKING.index("join")]

TRAINING = (
    "train",
    "fit",
    "pretrain",
    "train_step",
    "training_step",
    "train_one_epoch",
    "train_epoch",
    "run_epoch",
    "train_loop",
    "training_loop",
    "run_training",
    "finetune",
    "learn",
    "evaluate",
    "forward",
    "backward",
    "step",
)
"""Last words of calls that are the work the telemetry is about."""

AFTERWARDS = (
    "save",
    "export",
    "upload",
    "destroy",
    "finish",
    "close",
    "shutdown",
    "cleanup",
    "exit",
    "barrier",
    "join",
    "stop",
    "end",
    "remove",
    "unlink",
    "rmtree",
    "write",
    "dump",
    "log",
    "report",
    "print",
    "push",
    "terminate",
    "kill",
    "wait",
    "teardown",
    "flush",
    "release",
    "delete",
    "copy",
    "move",
    "notify",
    "send",
    "post",
)
"""Beginnings of last words of calls that belong behind the shutdown."""

HARD_EXITS = (
    "os._exit",
    "os.abort",
    "os.execv",
    "os.execve",
    "os.execl",
    "os.execle",
    "os.execlp",
    "os.execlpe",
    "os.execvp",
    "os.execvpe",
    "torch._C._exit",
)
"""Calls after which no finally and no exit hook runs."""

SOFT_EXITS = ("sys.exit", "builtins.exit", "builtins.quit")

CLEAN_MANAGERS = (
    "builtins.open",
    "nemo.lens.",
    "opentelemetry.",
    "threading.",
    "torch.",
    "warnings.",
    "tempfile.",
    "concurrent.futures.",
    "multiprocessing.",
    "asyncio.",
    "pathlib.",
    "contextlib.redirect",
    "contextlib.chdir",
    "unittest.",
    "decimal.",
    "socket.",
)
"""Managers that pass exceptions on and do not fail to open in practice (a file may)."""

KEEPING_DECORATORS = frozenset(
    (
        *("functools.wraps", "functools.total_ordering", "contextlib.ContextDecorator"),
        "torch.distributed.elastic.multiprocessing.errors.record",
        *("torch.no_grad", "torch.inference_mode", "torch.enable_grad", "torch.set_grad_enabled"),
        *("torch.compile", "torch.vmap", "torch.compiler.disable", "torch.compiler.allow_in_graph"),
        *("torch._dynamo.disable", "torch._dynamo.optimize", "torch._dynamo.allow_in_graph"),
        *("torch.jit.script", "torch.jit.trace", "torch.jit.ignore", "torch.jit.unused", "torch.jit.export"),
        *("torch.jit.script_if_tracing", "torch.autocast", "torch.amp.autocast", "torch.cuda.amp.autocast"),
        *(
            "torch.amp.custom_fwd",
            "torch.amp.custom_bwd",
            "torch.cuda.amp.custom_fwd",
            "torch.cuda.amp.custom_bwd",
        ),
        *(
            "torch.profiler.record_function",
            "torch.autograd.profiler.record_function",
            "torch.cuda.nvtx.range",
        ),
        *("torch.autograd.no_grad", "torch.autograd.enable_grad", "torch.autograd.grad_mode.no_grad"),
        *("torch.autograd.function.once_differentiable", "torch.fx.wrap", "nvtx.annotate"),
    )
)
"""Decorators that call the function as it is, with or without arguments of their own."""

KEEPING_MODULES = (
    "nemo.lens.",
    "opentelemetry.",
    "typing.",
    "typing_extensions.",
    "abc.",
    "dataclasses.",
    "enum.",
    "jax.",
    "numba.",
    "pytest.",
    "typeguard.",
    "beartype.",
)
"""Libraries all of whose decorators do."""

PLAIN_BASES = (
    "builtins.object",
    "abc.ABC",
    "typing.Protocol",
    "typing.Generic",
    "contextlib.ContextDecorator",
    "contextlib.AbstractContextManager",
    "contextlib.AbstractAsyncContextManager",
    "contextlib.AsyncContextDecorator",
    "typing.NamedTuple",
    "enum.Enum",
    "builtins.Exception",
    "builtins.RuntimeError",
    "builtins.ValueError",
)
"""Base classes that add nothing of interest."""

ALIASES = {
    "lightning.pytorch.": "lightning.",
    "pytorch_lightning.": "lightning.",
    "lightning.pytorch.trainer.": "lightning.",
    "lightning.fabric.": "lightning.",
    "torch.multiprocessing.spawn": "torch.multiprocessing.spawn",
    "concurrent.futures.process.": "concurrent.futures.",
    "concurrent.futures.thread.": "concurrent.futures.",
    "omegaconf.": "omegaconf.",
    "multiprocessing.context.": "multiprocessing.",
    "multiprocessing.process.": "multiprocessing.",
}

HOOKS: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "lightning": (
        ("setup", "on_fit_start", "on_train_start"),
        ("on_train_end", "on_fit_end", "teardown"),
        ("on_exception",),
    ),
    "transformers": (("on_train_begin",), ("on_train_end",), ()),
}
"""Callback hooks of training frameworks: before the loop, after success, on an exception."""

LAYOUT_KEYS = (
    "nv.dl.rank",
    "nv.dl.world_size",
    "dl.rank",
    "dl.world_size",
    "dl.tensor_parallel.",
    "dl.pipeline_parallel.",
    "dl.data_parallel.",
    "dl.expert_parallel.",
    "dl.context_parallel.",
    "dl.sequence_parallel.",
)
"""Attributes that belong on the resource: they do not change during the life of a process."""

FILE_READERS = (
    "yaml.",
    "json.load",
    "tomllib.",
    "tomli.",
    "toml.",
    "configparser.",
    "omegaconf.",
    "ruamel.",
    "builtins.open",
)
"""Calls whose result comes from a file."""

TELEMETRY_WORDS = ("telemetry", "otel", "obs", "lens", "tracing", "instrument", "monitor")
"""Words in the name of a library call that may set up or shut down inside."""
