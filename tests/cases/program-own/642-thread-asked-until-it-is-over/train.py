import os
import threading

import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry


handle = setup_telemetry(
    NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
)
thread = threading.Thread(target=trainlib.train)
thread.start()
try:
    while thread.is_alive():
        thread.join(timeout=0.2)
finally:
    handle.shutdown()
