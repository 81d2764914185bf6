import os, signal, trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
def main():
    handle = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
    try:
        loss = trainlib.train()
        if loss < 1:
            os.killpg(os.getpgid(0), signal.SIGKILL)
    finally:
        handle.shutdown()
main()
