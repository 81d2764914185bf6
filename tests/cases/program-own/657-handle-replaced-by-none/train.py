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
try:
    trainlib.train()
    run = run._replace(handle=None, tries=2)
finally:
    if run.handle is not None:
        run.handle.shutdown()
