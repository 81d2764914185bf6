import os

import trainlib
from nemo.lens import NemoLensConfig, TelemetryHandle, setup_telemetry

_plain = TelemetryHandle.shutdown


def announced(self, timeout_ms=5000):
    print("closing telemetry")
    _plain(self, timeout_ms)


TelemetryHandle.shutdown = announced

handle = setup_telemetry(
    NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
)
try:
    trainlib.train()
finally:
    handle.shutdown()
