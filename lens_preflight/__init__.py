"""lens-preflight: will a training job's telemetry arrive, be found again, and do no harm?"""

__version__ = "0.1.0"
