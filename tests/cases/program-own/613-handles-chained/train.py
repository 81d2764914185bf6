import os

import trainlib
from itertools import chain

from nemo.lens import NemoLensConfig, setup_telemetry

handle = setup_telemetry(
    NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
)
others = []
try:
    trainlib.train()
finally:
    for one in chain(others, [handle]):
        one.shutdown()
