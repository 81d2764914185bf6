import os, trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
def start(_):
    h = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
    try:
        trainlib.train()
    finally:
        h.shutdown()
list(map(start, [0]))
