import os

import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry

handle = setup_telemetry(
    NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
)


def saved():
    return False


def closed():
    handle.shutdown()
    return True


try:
    trainlib.train()
finally:
    print(all(step() for step in (saved, closed)))
