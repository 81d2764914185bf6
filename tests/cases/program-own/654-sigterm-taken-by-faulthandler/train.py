import os
import faulthandler
import signal
import sys

import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry


signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(143))
faulthandler.register(signal.SIGTERM)
handle = setup_telemetry(
    NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
)
try:
    trainlib.train()
finally:
    handle.shutdown()
