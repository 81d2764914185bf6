import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
_h = None
def start():
    _h = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ['RANK']), world_size=int(os.environ['WORLD_SIZE']))
def stop():
    if _h is not None:
        _h.shutdown()
