import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
from nemo.lens.semconv import NV_DL_RANK, NV_DL_WORLD_SIZE
def open_lens():
    rank, world_size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    cfg = NemoLensConfig.from_env()
    cfg.enabled = cfg.enabled and rank == world_size - 1
    return setup_telemetry(cfg, resource_attributes={NV_DL_RANK: rank, NV_DL_WORLD_SIZE: world_size})

import threading
_lock = threading.Lock()
_handle = None

def lens():
    global _handle
    with _lock:
        if _handle is None:
            _handle = open_lens()
    return _handle

def close():
    global _handle
    with _lock:
        if _handle is None:
            return
        _handle.shutdown()
        _handle = None

def main():
    lens()
    try:
        lens()
        trainlib.train()
    finally:
        close()

if __name__ == "__main__":
    main()
