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
    train(handle)
    handle.shutdown()


if __name__ == "__main__":
    main()
