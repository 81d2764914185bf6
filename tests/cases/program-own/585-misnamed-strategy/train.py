import os, trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
cfg = NemoLensConfig.from_env(); cfg.export_strategy = "last_rank"
h = setup_telemetry(cfg, rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
try:
    trainlib.train()
finally:
    h.shutdown()
