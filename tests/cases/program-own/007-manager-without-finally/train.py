import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
from contextlib import contextmanager
@contextmanager
def lens():
    handle = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
    yield handle
    handle.shutdown()

def main():
    with lens():
        trainlib.train()

if __name__ == "__main__":
    main()
