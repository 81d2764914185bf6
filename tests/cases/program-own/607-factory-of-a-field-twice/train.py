import os

import trainlib
from dataclasses import dataclass, field
from typing import Any

from nemo.lens import NemoLensConfig, setup_telemetry


def telemetry():
    return setup_telemetry(
        NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
    )


@dataclass
class Stage:
    name: str
    handle: Any = field(default_factory=telemetry)


training = Stage("training")
try:
    trainlib.train()
    Stage("evaluation")
finally:
    training.handle.shutdown()
