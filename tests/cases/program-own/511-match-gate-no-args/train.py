import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry

def main():
    rank, world_size = int(os.environ['RANK']), int(os.environ['WORLD_SIZE'])
    cfg = NemoLensConfig.from_env()
    match rank:
        case 0:
            pass
        case _:
            cfg.enabled = False
    handle = setup_telemetry(cfg)
    try:
        trainlib.train()
    finally:
        handle.shutdown()

if __name__ == '__main__':
    main()
