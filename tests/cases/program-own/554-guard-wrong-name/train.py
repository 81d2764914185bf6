import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
def main():
    h = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ['RANK']), world_size=int(os.environ['WORLD_SIZE']))
    try:
        trainlib.train()
    finally:
        h.shutdown()
if __name__ == 'main':
    main()
