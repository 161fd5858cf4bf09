#!/bin/bash
# Runs what needs a GPU, one step after the other, each with a time limit:
#
#     evals/gpu_session.sh FOLDER [STEP...]
#
# A lent machine has 15 minutes in all, its start included, in calls of at most 500 s. Two calls, the second at once
# behind the first, so that the machine stays, do what matters most, best first, in 410 and 300 s at most:
#
#     evals/gpu_session.sh "$OUT" first       # build info tests prefill variants
#     evals/gpu_session.sh "$OUT" second      # build decode fused exact swap engine
#
# Name the library (`ls csrc/*.so`) in the device tool's `carry`, and the build has nothing to do. Nothing is downloaded.
# Other steps, where there is time: sanitizer, graphs, ops (every operator) and flex, which compares the kernels with
# flex_attention, compiled for each shape.
#
# FOLDER gets at most 8 files a call, which is what comes back: session.log, written as output arrives, which ends with
# each step's exit status (124: its time was up), and the measurements, one file each, rewritten after each row, named
# as in evals/results. Limits in seconds: LIMIT_tests=300 and so on. At its limit a step is interrupted, so that pytest
# still prints its failures, and is killed 15 s later. TINY=1 runs all but build, tests, sanitizer and graphs without a
# GPU, as a smoke test.
set -u -o pipefail
out=$(realpath -m -- "${1:?usage: evals/gpu_session.sh FOLDER [first | second | STEP...]}")
shift
cd "$(dirname "$0")/.." || exit 1
[ $# -gt 0 ] || set -- first second
case $* in
  first) set -- build info tests prefill variants ;;
  second) set -- build decode fused exact swap engine ;;
  "first second") set -- build info tests prefill variants decode fused exact swap engine ;;
esac
mkdir -p "$out" || exit 1

python=${PYTHON:-python3}
export PYTHONPATH=.${PYTHONPATH:+:$PYTHONPATH} PYTHONUNBUFFERED=1 TORCHINDUCTOR_COMPILE_THREADS=${TORCHINDUCTOR_COMPILE_THREADS:-4}
export tiny=${TINY:+--device cpu --tiny}

# Each step runs in its own shell, so that `timeout` ends its child processes too.
info() { { nvidia-smi; nvcc --version; } 2>&1; "$python" -m torchpaged.cli info; }
build() { "$python" csrc/build.py; }
# Kernels that no device has run come first, then engines, then the rest. One that waits for ever costs a minute: with
# `thread`, since a wait for the GPU takes no signal.
tests() {
  local sm90 own
  sm90=$(echo tests/ops/test_{prefill,decode}_sm90.py tests/ops/test_{last_merges,fused,quantised}.py)
  "$python" -c "import pytest_timeout" 2>/dev/null && own="--timeout=75 --timeout-method=thread"
  PYTEST_ADDOPTS="${own:-} --tb=short" make test-gpu SYSTEM=1 PYTHON="$python" FIRST="$sm90"
}
prefill() { "$python" evals/bench/prefill_gpu.py --output "$out" --limit 60 ${TINY:+--tiny}; }
# Heads of 192 and 256 and 8-bit caches in Hopper's prefill kernel.
variants() { "$python" evals/bench/prefill_variants.py --output "$out/prefill-variants.json" ${TINY:+--tiny}; }
# Without Hopper's decode kernel and with it, where no other calls have come between. No device has run the latter.
decode() {
  local bench="evals/bench/ops_gpu.py --no-flex --only decode --rounds 15 $tiny" code=0
  "$python" $bench --output "$out/ops-gpu-decode" || code=1
  TORCHPAGED_SM90_DECODE=1 "$python" $bench --peers --output "$out/ops-gpu-decode-sm90" || code=1
  return $code
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
  local sizes="--batches 1 64 --engines graphs" code=0
  [ -z "${TINY:-}" ] || sizes="--batches 1 3 --engines eager"
  for early in 0 1; do
    TORCHPAGED_FUSED_STEP=1 TORCHPAGED_PDL=$early "$python" evals/bench/engine_gpu.py --shapes llama-3-8b $sizes \
      --rounds 2 --peers --output "$out/engine-gpu-fused-$early.json" $tiny || code=1
  done
  return $code
}
exact() { "$python" evals/bench/exact_gpu.py --output "$out/exact-gpu.json" $tiny; }

steps="build info tests prefill variants decode fused exact swap engine sanitizer graphs ops flex"
declare -A limit=([build]=80 [info]=25 [tests]=180 [prefill]=65 [variants]=60 [decode]=60 [fused]=110 [exact]=45 [swap]=25
  [engine]=60 [sanitizer]=170 [graphs]=300 [ops]=480 [flex]=480)
# shellcheck disable=SC2086
export -f $steps
export python out
say() { printf '%s\n' "$@" | tee -a "$out/session.log"; }
summary=()
worst=0
for step in "$@"; do
  if [ -z "${limit[$step]:-}" ]; then
    echo "evals/gpu_session.sh: step is '$step', expected first, second or one of ${steps// /, }" >&2
    exit 2
  fi
  own="LIMIT_$step"
  begin=$SECONDS
  say "=== $step" >/dev/null
  timeout --signal=INT --kill-after=15 "${!own:-${limit[$step]}}" bash -c "$step" 2>&1 | tee -a "$out/session.log" | tail -n 25
  code=${PIPESTATUS[0]}
  summary+=("$step: ended with $code after $((SECONDS - begin)) s")
  [ "$code" -eq 0 ] || worst=1
done
say "${summary[@]}"
exit "$worst"
