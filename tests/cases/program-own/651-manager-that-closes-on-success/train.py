import os
import contextlib
import pydoc

import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry


@contextlib.contextmanager
def lens():
    handle = setup_telemetry(
        NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
    )
    yield handle
    handle.shutdown()


job = pydoc.locate("trainlib.train")
with lens():
    job()
