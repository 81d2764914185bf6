import os

import trainlib
from dataclasses import dataclass
from nemo.lens import NemoLensConfig, setup_telemetry


@dataclass
class TeamConfig(NemoLensConfig):
    team: str = "speech"

    def label(self):
        return f"{self.team}-{self.run_id}"


config = TeamConfig.from_env()
print(config.label())
handle = setup_telemetry(
    config, rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
)
try:
    trainlib.train()
finally:
    handle.shutdown()
