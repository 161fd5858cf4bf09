"""Runs a transformers model instance in LLM; between calls the model can be used, trained and changed as before.

Run it from the root: `python examples/transformers_model.py`.
"""

from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from torchpaged import LLM, SamplingParams

MODEL = Path(__file__).resolve().parents[1] / "evals" / "models" / "stdlib-lm"

if __name__ == "__main__":
    model = AutoModelForCausalLM.from_pretrained(MODEL, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(MODEL)
    llm = LLM(model, tokenizer=tokenizer, max_num_seqs=8, num_blocks=256)

    prompts = ["def main(", "class Queue:\n    def put("]
    params = SamplingParams(temperature=0, max_tokens=16, ignore_eos=True)
    for output in llm.generate(prompts, params):
        ours = output.outputs[0].token_ids
        with torch.no_grad():  # between calls the model runs its own forward, here over the whole text at once
            logits = model(torch.tensor([output.prompt_token_ids + ours])).logits[0]
        theirs = logits[len(output.prompt_token_ids) - 1 : -1].argmax(-1).tolist()
        print(repr(output.outputs[0].text), "- as transformers:", ours == theirs)

    # LLM notices changed weights at the next call, and drops everything cached with the old ones.
    with torch.no_grad():
        model.model.norm.weight.mul_(0.5)
    outputs = llm.generate(prompts, params)
    print("cached tokens of the old weights:", [output.num_cached_tokens for output in outputs])
