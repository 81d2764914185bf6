import os
import threading
import time

import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry


def work():
    time.sleep(2)
    trainlib.train()


handle = setup_telemetry(
    NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
)
thread = threading.Thread(target=work)
thread.start()
try:
    thread.join(timeout=1)
finally:
    handle.shutdown()
