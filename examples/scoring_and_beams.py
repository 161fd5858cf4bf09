"""Scores given continuations and searches the likeliest ones with beams: many sequences share one computed prompt.

Run it from the root: `python examples/scoring_and_beams.py`.
"""

from pathlib import Path

from torchpaged import LLM, BeamSearchParams

MODEL = Path(__file__).resolve().parents[1] / "evals" / "models" / "stdlib-lm"

if __name__ == "__main__":
    llm = LLM(MODEL)
    prompt = "class Queue:\n    def __init__("

    # The prompt is computed once. Its last logits score the first token of each choice; longer choices fork from it.
    choices = ["self", "self, maxsize", "cls", "queue"]
    scores = llm.score_continuations([prompt], [llm.tokenizer(choices)["input_ids"]])[0]
    for choice, score in sorted(zip(choices, scores, strict=True), key=lambda each: -each[1].logprob):
        print(f"{score.logprob:8.3f}  {choice!r}{'  (the greedy choice)' if score.is_greedy else ''}")

    # Four beams share all blocks of their common prefix. The result is that of transformers' generate(num_beams=4).
    best = llm.beam_search(prompt, BeamSearchParams(beam_width=4, max_tokens=12))[0]
    for completion in best.outputs:
        print(f"{completion.score:8.3f}  {completion.text!r}")
