"""Adds and aborts requests while an LLMEngine runs, and prints their text as it arrives.

Run it from the root: `python examples/streaming.py`.
"""

from pathlib import Path

from torchpaged import LLM, SamplingParams
from torchpaged.sampling_params import RequestOutputKind

MODEL = Path(__file__).resolve().parents[1] / "evals" / "models" / "stdlib-lm"


def params(seed, **more):
    return SamplingParams(temperature=0.8, seed=seed, max_tokens=12, output_kind=RequestOutputKind.DELTA, **more)


if __name__ == "__main__":
    engine = LLM(MODEL, max_num_seqs=4).engine  # an LLMEngine; call it from one thread only
    engine.add_request("main", "def main(", params(1))
    engine.add_request("stops", "import os\nimport ", params(2, stop=["\n\n"]))  # the stop string is never shown
    texts, num_steps = {}, 0
    while engine.has_unfinished_requests:
        for output in engine.step():
            for completion in output.outputs:  # the text since the last step
                texts[output.request_id] = texts.get(output.request_id, "") + completion.text
                print(f"{output.request_id:8}{completion.text!r} {completion.finish_reason or ''}")
        num_steps += 1
        if num_steps == 4:
            engine.add_request("late", "class Queue:", params(3))  # allowed between any two steps
        if num_steps == 7:
            engine.abort("late")
    for name, text in texts.items():
        print(f"--- {name}\n{text}")
