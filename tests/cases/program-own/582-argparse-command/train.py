import os, trainlib, argparse
from nemo.lens import NemoLensConfig, setup_telemetry
def pretrain(args):
    h = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
    try:
        trainlib.train()
    finally:
        h.shutdown()
def export(args): print(args)
p = argparse.ArgumentParser()
sub = p.add_subparsers(dest="command", required=True)
a = sub.add_parser("pretrain"); a.add_argument("--lr", type=float, default=1.0); a.set_defaults(func=pretrain)
b = sub.add_parser("export"); b.set_defaults(func=export)
args = p.parse_args(["pretrain"] if not os.environ.get("CMD") else None)
args.func(args)
