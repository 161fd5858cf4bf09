#!/bin/bash
# Runs everything that needs a GPU, one step after the other, each with a time limit:
#
#     evals/gpu_session.sh FOLDER [STEP...]      # build, info, tests, sanitizer, graphs, ops, flex, engine, exact; all by default
#
# Each step's output is written to FOLDER as it arrives, so that an interrupted session keeps it. The last lines give
# each step's exit status (124: it timed out). Limits in seconds: LIMIT_tests=300 and so on. TINY=1 runs ops and engine
# without a GPU, as a smoke test. On a lent machine with 600 seconds per call: "build info tests sanitizer", then
# "graphs", "ops", "engine exact" and "flex", which compares the kernels with compiled flex_attention, compiled per shape.
set -u -o pipefail
cd "$(dirname "$0")/.." || exit 1
out=${1:?usage: evals/gpu_session.sh FOLDER [STEP...]}
shift
[ $# -gt 0 ] || set -- build info tests sanitizer graphs ops engine flex exact
mkdir -p "$out" || exit 1

python=${PYTHON:-python3}
export PYTHONPATH=.${PYTHONPATH:+:$PYTHONPATH} PYTHONUNBUFFERED=1 TORCHINDUCTOR_COMPILE_THREADS=${TORCHINDUCTOR_COMPILE_THREADS:-4}
export tiny=${TINY:+--device cpu --tiny}

# Each step runs in its own shell, so that `timeout` ends its child processes too.
info() { { nvidia-smi; nvcc --version; } 2>&1; "$python" -m torchpaged.cli info; }
build() { "$python" csrc/build.py; }
tests() { "$python" -m pytest tests/test_gpu.py tests/test_gpu_exact.py tests/test_gpu_models.py tests/ops -m "not long" -n "${WORKERS:-8}" --dist load --maxschedchunk 1 --durations=20; }
# A memory checker detects a read past a tensor only if the tensor is a separate allocation.
sanitizer() {
  PYTORCH_NO_CUDA_MEMORY_CACHING=1 compute-sanitizer --tool memcheck --error-exitcode 9 --print-limit 20 \
    "$python" -m pytest -x tests/ops/test_paged_attention.py tests/ops/test_cache_ops.py tests/ops/test_quantised.py \
    tests/ops/test_sample_tokens.py -p no:xdist -m "not long" \
    -k "triton and (float16 or token or mixed or nan) and not offsets and not far and not lengths"
}
# A replay reads the addresses of its capture: a memory checker reports those that were returned to the driver.
graphs() {
  compute-sanitizer --tool memcheck --error-exitcode 9 --print-limit 20 "$python" -m pytest -x tests/test_gpu.py -p no:xdist \
    -k "small_configurations or workspaces or addresses or swaps_out"
}
ops() { "$python" evals/bench/ops_gpu.py --no-flex --output "$out/ops-gpu" $tiny; }
flex() { "$python" evals/bench/ops_gpu.py --only decode --only prefill --output "$out/ops-gpu-flex" $tiny; }
engine() { "$python" evals/bench/engine_gpu.py --output "$out/engine-gpu.json" $tiny ${TINY:+--batches 1 3 --peers generate}; }
exact() { "$python" evals/bench/exact_gpu.py --compile --output "$out/exact-gpu.json" $tiny; }

declare -A limit=([info]=30 [build]=90 [tests]=290 [sanitizer]=170 [graphs]=300 [ops]=540 [flex]=540 [engine]=420 [exact]=150)
export -f info build tests sanitizer graphs ops flex engine exact
export python out
summary=()
worst=0
for step in "$@"; do
  if [ -z "${limit[$step]:-}" ]; then
    echo "evals/gpu_session.sh: step is '$step', expected one of info, build, tests, sanitizer, graphs, ops, flex, engine, exact" >&2
    exit 2
  fi
  own="LIMIT_$step"
  begin=$SECONDS
  timeout --kill-after=10 "${!own:-${limit[$step]}}" bash -c "$step" 2>&1 | tee "$out/$step.log" | tail -n 40
  code=${PIPESTATUS[0]}
  summary+=("$step: ended with $code after $((SECONDS - begin)) s")
  [ "$code" -eq 0 ] || worst=1
done
printf '%s\n' "${summary[@]}" | tee "$out/summary.txt"
exit "$worst"
