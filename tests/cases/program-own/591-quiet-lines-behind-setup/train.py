import datetime
import logging
import os
import socket
import time
import uuid
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
handle = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
log = logging.getLogger("train")
log.addHandler(logging.StreamHandler())
run = f"{datetime.datetime.now().strftime('%Y%m%d')}-{uuid.uuid4().hex[:8]}"
log.info("run %s on %s in %s", run, socket.gethostname().split(".")[0], os.path.join("runs", run))
start = time.time()
try:
    trainlib.train()
finally:
    handle.shutdown()
