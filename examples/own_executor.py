"""An executor of one's own between engine and runner: this one notes each step, and could as well send it elsewhere.

Run it from the root: `python examples/own_executor.py`.
"""

import pickle
from pathlib import Path

from torchpaged import LLM, LLMEngine, SamplingParams
from torchpaged.execution.executor import LocalExecutor

MODEL = Path(__file__).resolve().parents[1] / "evals" / "models" / "stdlib-lm"


class LoggingExecutor:
    """All that `Executor` asks for: two methods of its own, the rest as the local one does it."""

    def __init__(self, model, config):
        self.local, self.lines = LocalExecutor(model, config), []

    def __getattr__(self, name):
        return getattr(self.local, name)

    def launch(self, step):
        news = f"{len(step.new)} new, {len(step.forks)} forks, {len(step.released)} released"
        what = f"{len(step.ids)} sequences, {step.num_tokens} tokens, {news}, {len(pickle.dumps(step))} bytes"
        self.lines.append(f"step {step.number}: {what}")
        self.local.launch(step)

    def result(self, number):
        results = self.local.result(number)
        self.lines.append(f"step {number}: tokens {dict(results.runs())}")
        return results


if __name__ == "__main__":
    llm = LLM(MODEL)  # reads the checkpoint; its model goes into an engine of our own
    engine = LLMEngine(llm.engine.model, llm.engine.config, tokenizer=llm.tokenizer, executor=LoggingExecutor)
    engine.add_request("three", "def main(", SamplingParams(n=3, temperature=0.8, seed=1, max_tokens=4))
    engine.add_request("one", "import os", SamplingParams(temperature=0, max_tokens=4))
    while engine.has_unfinished_requests:
        engine.step()
    print("\n".join(engine.executor.lines))
