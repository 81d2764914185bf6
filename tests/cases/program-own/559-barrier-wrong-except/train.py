import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
def open_telemetry():
    return setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ['RANK']), world_size=int(os.environ['WORLD_SIZE']))
import torch.distributed as dist
def main():
    h = open_telemetry()
    try:
        trainlib.train()
    finally:
        try:
            dist.barrier()
        except TypeError:
            pass
        h.shutdown()

if __name__ == '__main__':
    main()
