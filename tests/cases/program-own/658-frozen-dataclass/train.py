import os
from dataclasses import dataclass

import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry


@dataclass(frozen=True)
class Run:
    tries: int = 0

    def __post_init__(self):
        self.handle = setup_telemetry(
            NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
        )


run = Run()
try:
    trainlib.train()
finally:
    run.handle.shutdown()
