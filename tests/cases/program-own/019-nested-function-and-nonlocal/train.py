import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
def main():
    handle = None
    def start():
        nonlocal handle
        handle = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
    start()
    try:
        trainlib.train()
    finally:
        handle.shutdown()

if __name__ == "__main__":
    main()
