import os
import threading

import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry


done = threading.Event()


def work():
    try:
        trainlib.train()
    finally:
        done.set()


handle = setup_telemetry(
    NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
)
try:
    threading.Thread(target=work, daemon=True).start()
    done.wait()
finally:
    handle.shutdown()
