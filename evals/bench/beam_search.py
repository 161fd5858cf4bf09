"""Beam search against transformers': the same sequences and scores, and the ratio of their speeds.

    python evals/bench/beam_search.py [--rounds 3] [--output evals/results/beam_search]

stdlib-lm in float32, 20 prompts, 4 beams, 32 tokens. transformers' `generate(num_beams=4)` runs the prompts one by one,
since padding a batch would change its scores; `LLM.beam_search` runs them as a batch. Rounds alternate; medians.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch
from transformers import AutoModelForCausalLM

from evals.bench import machine
from torchpaged import LLM, BeamSearchParams

MODEL = Path(__file__).resolve().parents[1] / "models" / "stdlib-lm"
TEXTS = (
    "import os\n",
    "def main(",
    'class Queue:\n    """',
    "try:\n    import",
    "    return self",
    "for i in range(",
    "if __name__ ==",
    "from collections import",
    "with open(path",
    "raise ValueError(",
    "def __init__(self",
    "while True:\n",
    "assert ",
    "    if not ",
    "elif ",
    "print(",
    "# This",
    "lambda x:",
    "except ",
    "return [",
)
WIDTH = 4


def theirs(model: Any, prompts: list[list[int]], max_tokens: int) -> list[list[tuple[list[int], float]]]:
    """Return transformers' sequences and scores."""
    results = []
    eos = model.generation_config.eos_token_id
    for prompt in prompts:
        with torch.inference_mode():
            found = model.generate(
                torch.tensor([prompt]),
                attention_mask=torch.ones(1, len(prompt), dtype=torch.int64),
                num_beams=WIDTH,
                num_return_sequences=WIDTH,
                do_sample=False,
                max_new_tokens=max_tokens,
                return_dict_in_generate=True,
                output_scores=True,
            )
        rows = []
        for sequence, score in zip(found.sequences.tolist(), found.sequences_scores.tolist(), strict=True):
            new = sequence[len(prompt) :]
            rows.append((new[: new.index(eos) + 1] if eos in new else new, score))
        results.append(rows)
    return results


def ours(llm: LLM, prompts: list[list[int]], max_tokens: int) -> list[list[tuple[list[int], float]]]:
    """Return torchpaged's sequences and scores, starting with an empty prefix cache."""
    llm.reset_prefix_cache()
    outputs = llm.beam_search(prompts, BeamSearchParams(beam_width=WIDTH, max_tokens=max_tokens), use_tqdm=False)
    return [[(c.token_ids, c.score or 0.0) for c in output.outputs] for output in outputs]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--max-tokens", type=int, default=32)
    parser.add_argument("--output", type=Path, help="path of the result, without .json")
    options = parser.parse_args()
    torch.set_num_threads(2)
    llm = LLM(MODEL, dtype="float32", max_num_seqs=WIDTH * len(TEXTS))
    model = AutoModelForCausalLM.from_pretrained(MODEL, dtype=torch.float32).eval()
    prompts = [llm.tokenizer(text)["input_ids"] for text in TEXTS]
    expected, found = theirs(model, prompts, options.max_tokens), ours(llm, prompts, options.max_tokens)
    pairs = [(a, b) for rows, others in zip(expected, found, strict=True) for a, b in zip(rows, others, strict=True)]
    equal = sum(a[0] == b[0] for a, b in pairs)
    difference = max(abs(a[1] - b[1]) for a, b in pairs)
    seconds = machine.interleaved(
        {
            "transformers": lambda: theirs(model, prompts, options.max_tokens),
            "torchpaged": lambda: ours(llm, prompts, options.max_tokens),
        },
        options.rounds,
        0.0,
    )
    faster = machine.ratio(seconds["transformers"], seconds["torchpaged"])
    print(f"{equal} of {len(pairs)} sequences are equal, scores within {difference:.1e}")
    print(f"{faster:.1f}x transformers' speed")
    if options.output is not None:
        result = {
            **machine.describe(sys.argv),
            "sequences": len(pairs),
            "equal": equal,
            "largest_difference_of_scores": difference,
            "times_as_fast_as_transformers": faster,
            "seconds": seconds,
        }
        options.output.with_suffix(".json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
