import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
def work(part):
    handle = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
    try:
        trainlib.train()
    finally:
        handle.shutdown()
from concurrent.futures import ProcessPoolExecutor
PARTS = ("a", "b", "c")
if __name__ == "__main__":
    with ProcessPoolExecutor(max_workers=2) as pool:
        list(pool.map(work, PARTS))
