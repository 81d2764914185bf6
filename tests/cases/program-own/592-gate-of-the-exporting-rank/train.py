import os
import trainlib
from lightning.pytorch.utilities import rank_zero_only
from nemo.lens import NemoLensConfig, setup_telemetry
handle = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]), export_strategy=lambda c, r, w: r == 0)
@rank_zero_only
def close():
    handle.shutdown()
try:
    trainlib.train()
finally:
    close()
