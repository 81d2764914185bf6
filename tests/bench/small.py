"""A small training script, as the bench judges it."""

import os

from nemo.lens import NemoLensConfig, setup_telemetry


def train(handle: object) -> None:
    for step in range(10):
        print(step)


def main() -> None:
    rank = int(os.environ.get("RANK", "0"))
    world_size = int(os.environ.get("WORLD_SIZE", "1"))
    config = NemoLensConfig.from_env()
    config.enabled = config.enabled and rank == world_size - 1
    handle = setup_telemetry(config, rank=rank, world_size=world_size)
    try:
        train(handle)
    finally:
        handle.shutdown()


if __name__ == "__main__":
    main()
