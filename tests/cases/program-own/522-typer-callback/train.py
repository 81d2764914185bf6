import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
def open_telemetry():
    return setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ['RANK']), world_size=int(os.environ['WORLD_SIZE']))
import typer
app = typer.Typer()
state = {}
@app.callback()
def init():
    state['h'] = open_telemetry()
@app.command()
def fit():
    trainlib.train()
    state['h'].shutdown()
if __name__ == '__main__':
    app()
