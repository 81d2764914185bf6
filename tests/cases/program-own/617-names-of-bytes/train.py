import os

import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry

os.environb[b"NEMO_LENS_ENABLED"] = b"1"

handle = setup_telemetry(
    NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
)
try:
    trainlib.train()
finally:
    handle.shutdown()
