"""A peer's prompt lookup, off and on in turn: `python -m evals.bench.peers.lookup SETTINGS`, in its environment.

SETTINGS is the name of a JSON file with "kind" ("transformers" or "llama_cpp"), "model" (a folder, or a GGUF file),
"prompt", "answer" (tokens that replace the sampled ones), "rounds" and "threads". Prints, for each round, the seconds
of all tokens after the first.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Default of transformers' documentation and of llama-cpp-python.
LOOKUP = 10


def transformers_runs(given: dict[str, Any]) -> Callable[[bool], float]:
    """Return a timed run of `generate(prompt_lookup_num_tokens=...)`, greedy."""
    import torch
    from transformers import AutoModelForCausalLM
    from transformers.generation import BaseStreamer, LogitsProcessor

    torch.set_num_threads(given["threads"])
    model = AutoModelForCausalLM.from_pretrained(given["model"], dtype=torch.bfloat16).eval()
    prompt, answer = given["prompt"], given["answer"]

    class Forced(LogitsProcessor):
        def __call__(self, input_ids: Any, scores: Any) -> Any:
            place = min(input_ids.shape[1] - len(prompt), len(answer) - 1)
            forced = torch.full_like(scores, float("-inf"))
            forced[:, answer[place]] = 0.0
            return forced

    class Clock(BaseStreamer):
        def __init__(self) -> None:
            self.times: list[float] = []

        def put(self, value: Any) -> None:
            self.times.append(time.perf_counter())

        def end(self) -> None:
            self.times.append(time.perf_counter())

    def run(looks_up: bool) -> float:
        clock, ids = Clock(), torch.tensor([prompt])
        more = {"prompt_lookup_num_tokens": LOOKUP} if looks_up else {}
        with torch.inference_mode():
            out = model.generate(
                ids,
                attention_mask=torch.ones_like(ids),
                do_sample=False,
                max_new_tokens=len(answer),
                logits_processor=[Forced()],
                streamer=clock,
                eos_token_id=None,
                pad_token_id=0,
                **more,
            )
        assert out[0, len(prompt) :].tolist() == answer
        return clock.times[-1] - clock.times[1]  # first entry: the prompt; second: the first token

    return run


def llama_runs(given: dict[str, Any]) -> Callable[[bool], float]:
    """Return a timed run of llama-cpp-python's `LlamaPromptLookupDecoding`, greedy."""
    import numpy as np
    from llama_cpp import Llama, LogitsProcessorList
    from llama_cpp.llama_speculative import LlamaPromptLookupDecoding

    prompt, answer = given["prompt"], given["answer"]
    length = -(-(len(prompt) + len(answer) + LOOKUP + 8) // 256) * 256

    def engine(draft: Any) -> Any:
        return Llama(
            given["model"],
            n_ctx=length,
            n_threads=given["threads"],
            n_threads_batch=given["threads"],
            draft_model=draft,
            logits_all=draft is not None,  # without it, prompts longer than a batch do not fit
            verbose=False,
        )

    engines = {False: engine(None), True: engine(LlamaPromptLookupDecoding(num_pred_tokens=LOOKUP))}

    def run(looks_up: bool) -> float:
        tokens: list[int] = []
        times: list[float] = []

        def forced(input_ids: Any, scores: Any) -> Any:  # the position of each score depends on its drafts
            scores = np.full_like(scores, -1e9)
            scores[answer[len(tokens)]] = 0.0
            return scores

        for token in engines[looks_up].generate(prompt, temp=0.0, logits_processor=LogitsProcessorList([forced])):
            tokens.append(token)
            times.append(time.perf_counter())
            if len(tokens) == len(answer):
                break
        assert tokens == answer
        return times[-1] - times[0]

    return run


def main() -> None:
    given = json.loads(Path(sys.argv[1]).read_text())
    run = {"transformers": transformers_runs, "llama_cpp": llama_runs}[given["kind"]](given)
    seconds = [[run(False), run(True)] for _ in range(given["rounds"])]
    print(json.dumps(seconds))


if __name__ == "__main__":
    main()
