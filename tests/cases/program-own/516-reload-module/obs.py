import os
from nemo.lens import NemoLensConfig, setup_telemetry
H = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ['RANK']), world_size=int(os.environ['WORLD_SIZE']))
