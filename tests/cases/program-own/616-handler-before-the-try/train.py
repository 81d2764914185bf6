import os
import signal
import sys

import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry

handle = setup_telemetry(
    NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
)
signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(143))
try:
    trainlib.train()
finally:
    handle.shutdown()
