import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
def open_telemetry():
    return setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ['RANK']), world_size=int(os.environ['WORLD_SIZE']))
import click
H = None
@click.command()
def main():
    global H
    H = open_telemetry()
    trainlib.train()
if __name__ == '__main__':
    main(standalone_mode=False)
    H.shutdown()
