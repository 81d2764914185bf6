import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
def open_telemetry():
    return setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ['RANK']), world_size=int(os.environ['WORLD_SIZE']))
from contextlib import ExitStack
def main():
    stack = ExitStack()
    h = open_telemetry()
    stack.callback(h.shutdown)
    trainlib.train()

if __name__ == '__main__':
    main()
