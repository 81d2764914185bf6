import os, trainlib
from nemo.lens import NemoLensConfig, setup_telemetry, register_export_strategy
register_export_strategy("single_rank", lambda c, r, w: r == 0)
h = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
try:
    trainlib.train()
finally:
    h.shutdown()
