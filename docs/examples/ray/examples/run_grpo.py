import grpo_lib
from nemo.lens import NemoLensConfig, setup_telemetry

def main():
    config = NemoLensConfig.from_env(prefix="NEMO_RL_OTEL", fallback_prefix="NEMO_LENS")
    handle = setup_telemetry(config, rank=0, world_size=1)
    try:
        grpo_lib.train(handle)
    finally:
        handle.shutdown()

main()
