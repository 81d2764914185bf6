import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
from concurrent.futures import ThreadPoolExecutor
def main():
    handle = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
    try:
        trainlib.train()
    finally:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(handle.shutdown).result(timeout=10)

if __name__ == "__main__":
    main()
