import os

import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry


class Checkpoint:
    path = None

    def __str__(self):
        return self.path.name


handle = setup_telemetry(
    NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
)
print(f"resuming from {Checkpoint()}")
try:
    trainlib.train()
finally:
    handle.shutdown()
