import os, atexit, trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
h = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
atexit.register(h.shutdown)
atexit.register(lambda: os._exit(0))
trainlib.train()
