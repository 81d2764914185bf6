import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
from nemo.lens.semconv import NV_DL_RANK, NV_DL_WORLD_SIZE
from dataclasses import dataclass, asdict
@dataclass
class Place:
    rank: int
    world_size: int

def main():
    rank, world_size = int(os.environ['RANK']), int(os.environ['WORLD_SIZE'])
    cfg = NemoLensConfig.from_env()
    cfg.enabled = cfg.enabled and rank == world_size - 1
    attrs = asdict(Place(rank, world_size))
    handle = setup_telemetry(cfg, resource_attributes={'nv.dl.' + k: v for k, v in attrs.items()})
    try:
        trainlib.train()
    finally:
        handle.shutdown()

if __name__ == '__main__':
    main()
