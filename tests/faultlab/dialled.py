"""A process for a network of its own: servers where exporters look by default, and judgements."""

from __future__ import annotations

import dataclasses
import json
import sys

from tests.faultlab import servers
from tests.faultlab.judge import judge_all


def main() -> None:
    """Read a folder and environments from standard input, print what the check says of each."""
    asked = json.load(sys.stdin)
    servers.grpc(port=4317)
    servers.http(200, (servers.PROTOBUF,), port=4318)
    servers.grpc(host="::1", port=4317)
    servers.grpc(host=f"unix:{asked['folder']}/o.sock")
    print(json.dumps([dataclasses.asdict(one) for one in judge_all(asked["envs"])]))


if __name__ == "__main__":
    main()
