import os, trainlib
from lightning.pytorch.utilities import rank_zero_only
from nemo.lens import NemoLensConfig, setup_telemetry
@rank_zero_only
def start():
    cfg = NemoLensConfig.from_env()
    return setup_telemetry(cfg, rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
h = start()
try:
    trainlib.train()
finally:
    if h is not None:
        h.shutdown()
