import os
from typing import NamedTuple

import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry


class Run(NamedTuple):
    handle: object
    tries: int = 0


run = Run(
    setup_telemetry(
        NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
    )
)
run = run._replace(tries=2)
try:
    trainlib.train()
finally:
    run.handle.shutdown()
