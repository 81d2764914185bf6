import os
import threading
import time

import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry


def work():
    time.sleep(1)
    trainlib.train()


handle = setup_telemetry(
    NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
)
thread = threading.Thread(target=work)
try:
    thread.start()
finally:
    handle.shutdown()
    thread.join()
