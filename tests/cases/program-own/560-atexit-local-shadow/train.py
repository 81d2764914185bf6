import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
def open_telemetry():
    return setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ['RANK']), world_size=int(os.environ['WORLD_SIZE']))
import atexit
h = None
@atexit.register
def bye():
    if h is not None:
        h.shutdown()
def main():
    h = open_telemetry()
    trainlib.train()

if __name__ == '__main__':
    main()
