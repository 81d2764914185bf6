import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
import typer
app = typer.Typer()

@app.command()
def train():
    handle = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
    try:
        trainlib.train()
    finally:
        handle.shutdown()

@app.command()
def show():
    print("nothing")

if __name__ == "__main__":
    app()
