import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
class Telemetry:
    def __enter__(self):
        self.handle = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
        return self
    def __exit__(self, kind, error, trace):
        if kind is None:
            self.handle.shutdown()

def main():
    with Telemetry():
        trainlib.train()

if __name__ == "__main__":
    main()
