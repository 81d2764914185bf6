import os
import multiprocessing
import time

import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry


def child():
    handle = setup_telemetry(
        NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
    )
    try:
        trainlib.train()
        time.sleep(60)
    finally:
        handle.shutdown()


if __name__ == "__main__":
    process = multiprocessing.get_context("spawn").Process(target=child)
    process.start()
    process.join(6)
    process.terminate()
