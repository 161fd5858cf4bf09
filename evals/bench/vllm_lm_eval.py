"""lm-eval's vllm backend on the requests of lm_eval.py, which runs this in an environment that has vLLM and lm-eval.

    python evals/bench/vllm_lm_eval.py MODEL

Reads one JSON line per pass from standard input, a list of (context, continuation), and answers with one: the seconds
and the answers, with an empty prefix cache. Imports nothing from torchpaged.
"""

# standard output is redirected before the import of vLLM, which writes to it
from __future__ import annotations

import json
import os
import sys
import time
from importlib import metadata

# This folder has a file named lm_eval.py, so it is removed from the path; vLLM's processes run this too.
sys.path[:] = [path for path in sys.path if path != os.path.dirname(os.path.abspath(__file__))]
os.environ.update(
    HF_HUB_OFFLINE="1",
    VLLM_LOGGING_LEVEL="ERROR",
    VLLM_CPU_KVCACHE_SPACE="2",
    VLLM_CPU_OMP_THREADS_BIND="0-1",
    TOKENIZERS_PARALLELISM="false",
)


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    # lm-eval asks for the version of a package named vllm; the CPU build has another name.
    version = metadata.version
    metadata.version = lambda name: version("vllm-cpu") + "+cpu" if name == "vllm" else version(name)
    from lm_eval.api.instance import Instance
    from lm_eval.models.vllm_causallms import VLLM

    lm = VLLM(
        sys.argv[1],
        dtype="bfloat16",
        max_model_len=2048,
        batch_size="auto",
        max_num_seqs=64,
        max_num_batched_tokens=2048,
        gpu_memory_utilization=0.5,
    )

    def write(value: object) -> None:
        answers.write(json.dumps(value) + "\n")
        answers.flush()

    write({name: metadata.version(name) for name in ("vllm-cpu", "lm_eval", "torch", "transformers")})
    for line in sys.stdin:
        requests = [
            Instance(request_type="loglikelihood", doc={}, arguments=tuple(pair), idx=0) for pair in json.loads(line)
        ]
        lm.model.reset_prefix_cache()
        start = time.perf_counter()
        found = lm.loglikelihood(requests, disable_tqdm=True)
        write({"seconds": time.perf_counter() - start, "answers": found})


if __name__ == "__main__":
    main()
