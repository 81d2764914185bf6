import os

import trainlib
from dataclasses import dataclass
from nemo.lens import NemoLensConfig, setup_telemetry


@dataclass
class TeamConfig(NemoLensConfig):
    team: str = "speech"

    def __post_init__(self):
        super().__post_init__()
        self.enabled = True


handle = setup_telemetry(
    TeamConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
)
try:
    trainlib.train()
finally:
    handle.shutdown()
