#!/bin/bash
# Runs what needs a GPU, one step after the other, each with a time limit:
#
#     evals/gpu_session.sh FOLDER [STEP...]
#
# A lent machine has 15 minutes in calls of at most 500 s; two calls do what matters most, best first:
#
#     evals/gpu_session.sh "$OUT" first       # build info tests variants prefill
#     evals/gpu_session.sh "$OUT" second      # build decode fused engine exact swap
#
# Other steps, where there is time: sanitizer, graphs, ops (every operator) and flex, which compares the kernels with
# flex_attention, compiled for each shape. Each step's output is written to FOLDER as it arrives, so that an interrupted
# session keeps it. The last lines give each step's exit status (124: it timed out). Limits in seconds: LIMIT_tests=300
# and so on. TINY=1 runs all but build, tests, sanitizer and graphs without a GPU, as a smoke test.
set -u -o pipefail
cd "$(dirname "$0")/.." || exit 1
out=${1:?usage: evals/gpu_session.sh FOLDER [first | second | STEP...]}
shift
[ $# -gt 0 ] || set -- first second
case $* in
  first) set -- build info tests variants prefill ;;
  second) set -- build decode fused engine exact swap ;;
  "first second") set -- build info tests variants prefill decode fused engine exact swap ;;
esac
mkdir -p "$out" || exit 1

python=${PYTHON:-python3}
export PYTHONPATH=.${PYTHONPATH:+:$PYTHONPATH} PYTHONUNBUFFERED=1 TORCHINDUCTOR_COMPILE_THREADS=${TORCHINDUCTOR_COMPILE_THREADS:-4}
export tiny=${TINY:+--device cpu --tiny}

# Each step runs in its own shell, so that `timeout` ends its child processes too.
info() { { nvidia-smi; nvcc --version; } 2>&1; "$python" -m torchpaged.cli info; }
build() { "$python" csrc/build.py; }
tests() { make test-gpu SYSTEM=1 PYTHON="$python"; }
prefill() { "$python" evals/bench/prefill_gpu.py --output "$out" ${TINY:+--tiny}; }
# Heads of 192 and 256 and 8-bit caches in Hopper's prefill kernel.
variants() { "$python" evals/bench/prefill_variants.py --output "$out/prefill-variants.json" ${TINY:+--tiny}; }
# With Hopper's decode kernel and without, where no other calls have come between.
decode() {
  local bench="evals/bench/ops_gpu.py --no-flex --only decode --rounds 15 $tiny"
  TORCHPAGED_SM90_DECODE=1 "$python" $bench --peers --output "$out/ops-gpu-decode-sm90"
  "$python" $bench --output "$out/ops-gpu-decode"
}
swap() { "$python" evals/bench/ops_gpu.py --no-flex --only copy --only swap --output "$out/ops-gpu-swap" $tiny; }
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
engine() {
  local sizes="--batches 1 64 --engines graphs"
  [ -z "${TINY:-}" ] || sizes="--batches 1 3 --engines eager"
  "$python" evals/bench/engine_gpu.py --shapes llama-3-8b $sizes --rounds 3 --peers --output "$out/engine-gpu.json" $tiny
}
# A step's operators joined into few launches, attention's merge in its last programs, with and without launches that
# begin early; `engine` has them apart.
fused() {
  local sizes="--batches 1 64 --engines graphs"
  [ -z "${TINY:-}" ] || sizes="--batches 1 3 --engines eager"
  for early in 0 1; do
    TORCHPAGED_FUSED_STEP=1 TORCHPAGED_PDL=$early "$python" evals/bench/engine_gpu.py --shapes llama-3-8b $sizes \
      --rounds 2 --peers --output "$out/engine-gpu-fused-$early.json" $tiny
  done
}
exact() { "$python" evals/bench/exact_gpu.py --output "$out/exact-gpu.json" $tiny; }

steps="build info tests variants prefill decode fused engine exact swap sanitizer graphs ops flex"
# The first call's add up to 490 s, the second's to 490.
declare -A limit=([build]=90 [info]=20 [tests]=250 [variants]=60 [prefill]=70 [decode]=90 [fused]=150 [engine]=80 [exact]=50 [swap]=30
  [sanitizer]=170 [graphs]=300 [ops]=480 [flex]=480)
# shellcheck disable=SC2086
export -f $steps
export python out
summary=()
worst=0
for step in "$@"; do
  if [ -z "${limit[$step]:-}" ]; then
    echo "evals/gpu_session.sh: step is '$step', expected first, second or one of ${steps// /, }" >&2
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
