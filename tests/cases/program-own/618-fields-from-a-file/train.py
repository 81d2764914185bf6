import os

import trainlib
import yaml

from nemo.lens import NemoLensConfig, setup_telemetry

with open("settings.yaml") as file:
    settings = yaml.safe_load(file)
config = NemoLensConfig.from_env()
for name, value in settings["telemetry"].items():
    setattr(config, name, value)

handle = setup_telemetry(
    config, rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
)
try:
    trainlib.train()
finally:
    handle.shutdown()
