import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
def main():
    handle = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
    for epoch in range(3):
        try:
            trainlib.train_step(epoch)
        finally:
            handle.shutdown()

if __name__ == "__main__":
    main()
