import os
import threading

import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry


handle = setup_telemetry(
    NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
)
watchdog = threading.Timer(600, os._exit, args=(1,))
watchdog.daemon = True
watchdog.start()
try:
    trainlib.train()
finally:
    handle.shutdown()
    watchdog.cancel()
