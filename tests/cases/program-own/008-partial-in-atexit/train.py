import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
import atexit
import functools
def main():
    handle = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
    atexit.register(functools.partial(handle.shutdown, timeout_ms=2000))
    trainlib.train()

if __name__ == "__main__":
    main()
