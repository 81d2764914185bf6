import os, trainlib
from concurrent.futures import ProcessPoolExecutor
from nemo.lens import NemoLensConfig, setup_telemetry
handle = None
def init(tag):
    global handle
    handle = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
def work(i):
    try:
        return trainlib.train()
    finally:
        handle.shutdown()
if __name__ == "__main__":
    with ProcessPoolExecutor(1, None, init, ("x",)) as pool:
        list(pool.map(work, [0]))
