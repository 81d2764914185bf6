import os, logging, trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
def main():
    handle = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
    logging.getLogger("train").addHandler(logging.FileHandler("/absent/logs/train.log"))
    try:
        trainlib.train()
    finally:
        handle.shutdown()
main()
