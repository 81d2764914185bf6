import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
def main():
    handle = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
    try:
        trainlib.train()
    except Exception:
        os.abort()
    finally:
        handle.shutdown()

if __name__ == "__main__":
    main()
