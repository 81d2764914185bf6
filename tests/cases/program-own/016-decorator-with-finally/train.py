import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
def with_lens(fn):
    def inner(*args):
        handle = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
        try:
            return fn(*args)
        finally:
            handle.shutdown()
    return inner

@with_lens
def main():
    trainlib.train()

if __name__ == "__main__":
    main()
