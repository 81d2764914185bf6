import os
import time
from concurrent.futures import ThreadPoolExecutor

import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry


def work():
    time.sleep(1)
    trainlib.train()


handle = setup_telemetry(
    NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
)
with ThreadPoolExecutor(2) as pool:
    try:
        pool.submit(work)
    finally:
        handle.shutdown()
