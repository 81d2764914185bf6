import os
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
import lightning as L

class Lens(L.Callback):
    def on_fit_start(self, trainer, module):
        self.handle = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))

    def on_fit_end(self, trainer, module):
        self.handle.shutdown()

    def on_exception(self, trainer, module, error):
        self.handle.shutdown()

def main():
    L.Trainer(callbacks=[Lens()]).fit(None)

if __name__ == "__main__":
    main()
