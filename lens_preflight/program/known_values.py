"""What names of libraries hold, as data: constants, semantic conventions, the place of a process in the world.

Sources: the standard library of Python 3.13; NeMo Lens 0.1.0 and its public branches; torch, Lightning,
transformers, accelerate as documented.
"""

from __future__ import annotations

CONSTANTS: dict[str, object] = {
    "signal.SIGTERM": 15,
    "signal.SIGINT": 2,
    "signal.SIGHUP": 1,
    "signal.SIGKILL": 9,
    "signal.SIGUSR1": 10,
    "signal.SIGUSR2": 12,
    "signal.SIGALRM": 14,
    "signal.SIGQUIT": 3,
    "signal.SIGABRT": 6,
    "signal.Signals.SIGTERM": 15,
    "signal.Signals.SIGINT": 2,
    "signal.Signals.SIGKILL": 9,
    "signal.SIGILL": 4,
    "signal.SIGBUS": 7,
    "signal.SIGFPE": 8,
    "signal.SIGSEGV": 11,
    "signal.SIGCHLD": 17,
    "signal.SIGCONT": 18,
    "logging.DEBUG": 10,
    "logging.INFO": 20,
    "logging.WARNING": 30,
    "logging.WARN": 30,
    "logging.ERROR": 40,
    "logging.CRITICAL": 50,
    "logging.FATAL": 50,
    "logging.NOTSET": 0,
    "os.sep": "/",
    "os.pathsep": ":",
    "os.curdir": ".",
    "os.pardir": "..",
    "typing.TYPE_CHECKING": False,
    "sys.platform": "linux",
    "os.name": "posix",
    "signal.Handlers.SIG_DFL": None,
}
"""Constants of libraries."""

SEMCONV: dict[str, str] = {
    "NV_DL_RANK": "nv.dl.rank",
    "NV_DL_WORLD_SIZE": "nv.dl.world_size",
    "DL_RANK": "dl.rank",
    "DL_WORLD_SIZE": "dl.world_size",
    "NV_DL_LOCAL_RANK": "nv.dl.local_rank",
    "NV_DL_NODE_RANK": "nv.dl.node_rank",
}
"""Names of ``nemo.lens.semconv`` with their values."""

RANK_SOURCES: dict[str, str] = {
    "torch.distributed.get_rank": "RANK",
    "torch.distributed.get_world_size": "WORLD_SIZE",
    "torch.distributed.get_node_local_rank": "LOCAL_RANK",
    "torch.distributed.distributed_c10d.get_rank": "RANK",
    "torch.distributed.distributed_c10d.get_world_size": "WORLD_SIZE",
    "ray.train.get_context().get_world_rank": "RANK",
    "ray.train.get_context().get_world_size": "WORLD_SIZE",
    "ray.train.get_context().get_local_rank": "LOCAL_RANK",
    "ray.train.get_context().get_node_rank": "NODE_RANK",
    "ray.train.get_context().get_local_world_size": "LOCAL_WORLD_SIZE",
    "mpi4py.MPI.COMM_WORLD.Get_rank": "RANK",
    "mpi4py.MPI.COMM_WORLD.Get_size": "WORLD_SIZE",
    "mpi4py.MPI.COMM_WORLD.rank": "RANK",
    "mpi4py.MPI.COMM_WORLD.size": "WORLD_SIZE",
    "horovod.torch.rank": "RANK",
    "horovod.torch.size": "WORLD_SIZE",
    "horovod.torch.local_rank": "LOCAL_RANK",
    "deepspeed.comm.get_rank": "RANK",
    "deepspeed.comm.get_world_size": "WORLD_SIZE",
    "deepspeed.comm.get_local_rank": "LOCAL_RANK",
    "jax.process_index": "RANK",
    "jax.process_count": "WORLD_SIZE",
}
"""Library calls and attributes that tell the place in the world, as the launcher's variable."""

NEEDS_GROUP = ("torch.distributed.get_rank", "torch.distributed.get_world_size")
"""Calls that raise before ``init_process_group``."""

RANK_FIELDS: dict[str, dict[str, str]] = {
    "accelerate": {
        "process_index": "RANK",
        "local_process_index": "LOCAL_RANK",
        "num_processes": "WORLD_SIZE",
        "is_main_process": "RANK==0",
        "is_local_main_process": "LOCAL_RANK==0",
        "is_last_process": "RANK==WORLD_SIZE-1",
    },
    "lightning": {
        "global_rank": "RANK",
        "local_rank": "LOCAL_RANK",
        "world_size": "WORLD_SIZE",
        "node_rank": "NODE_RANK",
        "is_global_zero": "RANK==0",
    },
    "transformers": {
        "process_index": "RANK",
        "local_process_index": "LOCAL_RANK",
        "world_size": "WORLD_SIZE",
        "local_rank": "LOCAL_RANK",
        "is_world_process_zero": "RANK==0",
        "is_local_process_zero": "LOCAL_RANK==0",
    },
}
"""Fields of framework objects that tell the place in the world."""

RANK_GATES: dict[str, str] = {
    "lightning.utilities.rank_zero_only": "RANK==0",
    "lightning.utilities.rank_zero.rank_zero_only": "RANK==0",
    "lightning.utilities.distributed.rank_zero_only": "RANK==0",
    "lightning.loggers.base.rank_zero_only": "RANK==0",
    "lightning.loggers.logger.rank_zero_only": "RANK==0",
    "lightning_utilities.core.rank_zero.rank_zero_only": "RANK==0",
    "lightning_fabric.utilities.rank_zero_only": "RANK==0",
    "lightning_fabric.utilities.rank_zero.rank_zero_only": "RANK==0",
    "mmengine.dist.master_only": "RANK==0",
    "mmengine.dist.utils.master_only": "RANK==0",
    "mmcv.runner.master_only": "RANK==0",
    **{
        f"accelerate.{owner}().{name}": rule
        for owner in ("Accelerator", "accelerator.Accelerator", "PartialState", "state.PartialState")
        for name, rule in (
            ("on_main_process", "RANK==0"),
            ("on_local_main_process", "LOCAL_RANK==0"),
            ("on_last_process", "RANK==WORLD_SIZE-1"),
        )
    },
}
"""Decorators that call the function in one process only: which one."""
