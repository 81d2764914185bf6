import os

import trainlib
from dotenv import load_dotenv
from nemo.lens import NemoLensConfig, setup_telemetry

load_dotenv(override=True)

handle = setup_telemetry(
    NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
)
try:
    trainlib.train()
finally:
    handle.shutdown()
