import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
def main():
    handle = None
    try:
        for epoch in range(3):
            if handle is None:
                handle = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
            trainlib.train_step(epoch)
    finally:
        if handle is not None:
            handle.shutdown()

if __name__ == "__main__":
    main()
