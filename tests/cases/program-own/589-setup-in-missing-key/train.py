import os, trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
class Lazy(dict):
    def __missing__(self, k):
        self[k] = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
        return self[k]
T = Lazy()
h = T["main"]
try:
    trainlib.train()
finally:
    T["main"].shutdown()
