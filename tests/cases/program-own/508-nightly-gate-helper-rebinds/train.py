import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
from nemo.lens.semconv import NV_DL_RANK, NV_DL_WORLD_SIZE
from dataclasses import replace
def gate(cfg, rank):
    if rank != 0:
        cfg = replace(cfg, enabled=False)

def main():
    rank, world_size = int(os.environ['RANK']), int(os.environ['WORLD_SIZE'])
    cfg = NemoLensConfig.from_env()
    gate(cfg, rank)
    handle = setup_telemetry(cfg, resource_attributes={NV_DL_RANK: rank, NV_DL_WORLD_SIZE: world_size})
    try:
        trainlib.train()
    finally:
        handle.shutdown()

if __name__ == '__main__':
    main()
