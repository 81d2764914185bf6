import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
from nemo.lens.semconv import NV_DL_RANK, NV_DL_WORLD_SIZE
import argparse

def main():
    rank, world_size = int(os.environ['RANK']), int(os.environ['WORLD_SIZE'])
    cfg = NemoLensConfig.from_env()
    p = argparse.ArgumentParser()
    p.add_argument('--rank', type=int, default=int(os.environ.get('RANK', 0)))
    p.add_argument('--world', type=int, default=int(os.environ.get('WORLD_SIZE', 1)))
    args = p.parse_args()
    cfg.enabled = cfg.enabled and args.rank == args.world - 1
    handle = setup_telemetry(cfg, resource_attributes={NV_DL_RANK: rank, NV_DL_WORLD_SIZE: world_size})
    try:
        trainlib.train()
    finally:
        handle.shutdown()

if __name__ == '__main__':
    main()
