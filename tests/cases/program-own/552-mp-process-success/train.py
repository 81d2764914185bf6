import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
def open_telemetry():
    return setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ['RANK']), world_size=int(os.environ['WORLD_SIZE']))
import multiprocessing as mp
def worker():
    h = open_telemetry()
    trainlib.train()
    h.shutdown()
if __name__ == '__main__':
    p = mp.get_context('spawn').Process(target=worker)
    p.start()
    p.join()
