import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
def open_telemetry():
    return setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ['RANK']), world_size=int(os.environ['WORLD_SIZE']))
import obs
def main():
    obs.start()
    try:
        trainlib.train()
    finally:
        obs.stop()

if __name__ == '__main__':
    main()
