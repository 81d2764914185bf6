import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
def work(part):
    handle = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
    try:
        trainlib.train()
    finally:
        handle.shutdown()
from multiprocessing import Pool
if __name__ == "__main__":
    with Pool(1) as pool:
        pool.map(work, ["train", "validate"])
