import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
def open_telemetry():
    return setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ['RANK']), world_size=int(os.environ['WORLD_SIZE']))
from obs import start, _h
def main():
    start()
    try:
        trainlib.train()
    finally:
        if _h is not None:
            _h.shutdown()

if __name__ == '__main__':
    main()
