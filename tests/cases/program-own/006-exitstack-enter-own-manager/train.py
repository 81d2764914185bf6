import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
import contextlib
@contextlib.contextmanager
def lens():
    handle = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
    try:
        yield handle
    finally:
        handle.shutdown()

def main():
    with contextlib.ExitStack() as stack:
        stack.enter_context(lens())
        trainlib.train()

if __name__ == "__main__":
    main()
