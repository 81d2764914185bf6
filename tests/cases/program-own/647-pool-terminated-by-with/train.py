import os
import atexit
import multiprocessing

import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry


def begin():
    handle = setup_telemetry(
        NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
    )
    atexit.register(handle.shutdown)


def task(i):
    trainlib.train_step(i)


if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(2, initializer=begin) as pool:
        pool.map(task, range(4))
