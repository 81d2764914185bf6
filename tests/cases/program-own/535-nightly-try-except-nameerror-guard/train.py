import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
from nemo.lens.semconv import NV_DL_RANK, NV_DL_WORLD_SIZE
def config(rank, world_size):
    cfg = NemoLensConfig.from_env()
    cfg.enabled = cfg.enabled and rank == world_size - 1
    return cfg
def open_telemetry():
    rank, world_size = int(os.environ['RANK']), int(os.environ['WORLD_SIZE'])
    return setup_telemetry(config(rank, world_size), resource_attributes={NV_DL_RANK: rank, NV_DL_WORLD_SIZE: world_size})
def get():
    global H
    try:
        return H
    except NameError:
        H = open_telemetry()
        return H
def main():
    get()
    try:
        get()
        trainlib.train()
    finally:
        get().shutdown()

if __name__ == '__main__':
    main()
