import os

import trainlib
from tenacity import retry, stop_after_attempt

from nemo.lens import NemoLensConfig, setup_telemetry


@retry(stop=stop_after_attempt(2), reraise=True)
def main():
    handle = setup_telemetry(
        NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
    )
    try:
        trainlib.train()
    finally:
        handle.shutdown()


main()
