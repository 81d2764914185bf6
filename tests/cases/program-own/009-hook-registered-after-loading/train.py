import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
import atexit
def main():
    handle = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
    trainlib.build_model()
    atexit.register(handle.shutdown)
    trainlib.train()

if __name__ == "__main__":
    main()
