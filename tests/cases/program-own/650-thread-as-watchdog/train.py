import os
import threading

import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry


stopped = threading.Event()


def watch():
    if not stopped.wait(600):
        os._exit(1)


handle = setup_telemetry(
    NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
)
threading.Thread(target=watch).start()
try:
    trainlib.train()
finally:
    handle.shutdown()
    stopped.set()
