import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
class Base:
    def __init__(self):
        self.handle = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
    def close(self):
        self.handle.shutdown()

class Trainer(Base):
    def __init__(self):
        super().__init__()
        self.steps = 3
    def close(self):
        print("closing")
        super().close()

def main():
    t = Trainer()
    try:
        for i in range(t.steps):
            trainlib.train_step(i)
    finally:
        t.close()

if __name__ == "__main__":
    main()
