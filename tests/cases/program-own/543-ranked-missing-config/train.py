import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
def main():
    h = setup_telemetry(rank=int(os.environ['RANK']), world_size=8)
    try:
        trainlib.train()
    finally:
        h.shutdown()
main()
