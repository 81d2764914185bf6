import os

import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry


class Run:
    handle = None


run = Run()
run.handle = setup_telemetry(
    NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
)
vars(run).clear()
try:
    trainlib.train()
finally:
    if run.handle is not None:
        run.handle.shutdown()
