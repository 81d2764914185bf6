#!/bin/bash
#SBATCH --job-name=train
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=8
#SBATCH --gpus-per-node=8
export NEMO_LENS_ENABLED=1 NEMO_LENS_RUN_ID=run-a
export OTEL_EXPORTER_OTLP_ENDPOINT=http://otel-gw:4317 OTEL_TRACES_SAMPLER=parentbased_always_on
export NEMO_LENS_RUN_ID=run-old
export -p > snap.sh
export NEMO_LENS_RUN_ID=run-new
. ./snap.sh
srun python train.py
