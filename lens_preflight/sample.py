"""The sample job of ``lens-preflight demo``: a training script and a job script, broken and corrected."""

from __future__ import annotations

PROGRAM = '''\
"""Pre-trains a small model; one rank tells the collector about it."""

import os
import signal
import sys

import torch
from nemo.lens import NemoLensConfig, setup_telemetry


def train(handle):
    model = torch.nn.Linear(1024, 1024)
    loss_gauge = handle.meter.create_gauge("train.loss")
    for _ in range(1000):
        loss = model(torch.randn(8, 1024)).square().mean()
        loss.backward()
        loss_gauge.set(loss.item())


def main():
    rank, world_size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    config = NemoLensConfig.from_env()
    config.enabled = config.enabled and rank == world_size - 1
    handle = setup_telemetry(config, rank=rank, world_size=world_size)
{body}

if __name__ == "__main__":
    main()
'''

UNPROTECTED = """\
    train(handle)
    handle.shutdown()
"""

PROTECTED = """\
    try:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        train(handle)
    finally:
        handle.shutdown()
"""

JOB = """\
#!/bin/bash
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=8

export NEMO_LENS_ENABLED=1
export {run_id}=llama3-pretrain-$SLURM_JOB_ID
export OTEL_TRACES_SAMPLER={sampler}
export OTEL_EXPORTER_OTLP_ENDPOINT={endpoint}
export OTEL_EXPORTER_OTLP_TIMEOUT=2

srun torchrun --nnodes=2 --nproc-per-node=8 train.py
"""


def broken(endpoint: str) -> dict[str, str]:
    """File name to text: a misspelt variable, a sampler typo, a dead endpoint, no finally."""
    job = JOB.format(run_id="NEMO_LENS_RUNID", sampler="parentbased_alwayson", endpoint=endpoint)
    return {"train.py": PROGRAM.format(body=UNPROTECTED), "train.sbatch": job}


def corrected(endpoint: str) -> dict[str, str]:
    """File name to text: the same job as it should be, for an endpoint that answers."""
    job = JOB.format(run_id="NEMO_LENS_RUN_ID", sampler="parentbased_always_on", endpoint=endpoint)
    return {"train.py": PROGRAM.format(body=PROTECTED), "train.sbatch": job}
