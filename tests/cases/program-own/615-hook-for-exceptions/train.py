import os
import sys

import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry

handle = setup_telemetry(
    NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
)


def last_words(kind, value, trace):
    handle.shutdown()
    sys.__excepthook__(kind, value, trace)


sys.excepthook = last_words
trainlib.train()
handle.shutdown()
