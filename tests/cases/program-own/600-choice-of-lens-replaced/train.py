import os

import trainlib
import nemo.lens.handle as lens_handle
from nemo.lens import NemoLensConfig, setup_telemetry

lens_handle._should_export = lambda config, rank, world_size, override=None: rank % 2 == 0

handle = setup_telemetry(
    NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
)
try:
    trainlib.train()
finally:
    handle.shutdown()
