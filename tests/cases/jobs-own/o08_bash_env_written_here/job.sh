#!/bin/bash
#SBATCH --job-name=train
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=8
#SBATCH --gpus-per-node=8
cat > benv.sh <<'EOF'
export NEMO_LENS_ENABLED=1 NEMO_LENS_RUN_ID=run-a OTEL_TRACES_SAMPLER=parentbased_always_on
export OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4317
EOF
export BASH_ENV=$PWD/benv.sh
srun bash -c 'python train.py'
