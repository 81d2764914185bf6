import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
import atexit
def main():
    handle = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
    atexit.register(handle.shutdown)
    trainlib.train()
    os._exit(0)

if __name__ == "__main__":
    main()
