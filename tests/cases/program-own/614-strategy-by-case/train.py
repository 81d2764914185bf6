import os

import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry

rank = int(os.environ["RANK"])
match rank:
    case 0 | 4:
        chosen = lambda config, rank, world: True  # noqa: E731
    case _:
        chosen = lambda config, rank, world: False  # noqa: E731

handle = setup_telemetry(
    NemoLensConfig.from_env(), rank=rank, world_size=int(os.environ["WORLD_SIZE"]), export_strategy=chosen
)
try:
    trainlib.train()
finally:
    handle.shutdown()
