import os

import trainlib
from nemo.lens import NemoLensConfig, TelemetryHandle, setup_telemetry

TelemetryHandle.shutdown = lambda self, timeout_ms=5000: print("kept up")

handle = setup_telemetry(
    NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
)
try:
    trainlib.train()
finally:
    handle.shutdown()
