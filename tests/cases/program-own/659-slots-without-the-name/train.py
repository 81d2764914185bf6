import os

import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry


class Run:
    __slots__ = ("tries",)

    def __init__(self):
        self.handle = setup_telemetry(
            NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
        )


run = Run()
try:
    trainlib.train()
finally:
    run.handle.shutdown()
