import os
import pydoc

import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry


class Lens:
    def __enter__(self):
        self.handle = setup_telemetry(
            NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
        )
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:
            self.handle.shutdown()


job = pydoc.locate("trainlib.train")
with Lens():
    job()
