import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
from nemo.lens.semconv import NV_DL_RANK, NV_DL_WORLD_SIZE
import contextlib
def open_lens():
    rank, world_size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    cfg = NemoLensConfig.from_env()
    cfg.enabled = cfg.enabled and rank == world_size - 1
    return setup_telemetry(cfg, resource_attributes={NV_DL_RANK: rank, NV_DL_WORLD_SIZE: world_size})

def main():
    with contextlib.ExitStack() as stack:
        handle = open_lens()
        stack.push(lambda *error: handle.shutdown())
        trainlib.train()

if __name__ == "__main__":
    main()
