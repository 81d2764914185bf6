"""The gate of a Slurm cluster: hooks that only read, a refresh that probes, a fleet that decides."""
