import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry

def main():
    rank, world_size = int(os.environ['RANK']), int(os.environ['WORLD_SIZE'])
    cfg = NemoLensConfig.from_env()
    handle = setup_telemetry(cfg, rank=int(os.environ['LOCAL_RANK']), world_size=world_size)
    try:
        trainlib.train()
    finally:
        handle.shutdown()

if __name__ == '__main__':
    main()
