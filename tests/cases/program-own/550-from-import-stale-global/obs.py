import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
_h = None
def start():
    global _h
    _h = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ['RANK']), world_size=int(os.environ['WORLD_SIZE']))
