"""Puts an executor of your own between engine and model runner: it logs each step, and could send it elsewhere.

Run it from the root: `python examples/own_executor.py`.
"""

import pickle
from pathlib import Path

from torchpaged import LLM, LLMEngine, SamplingParams
from torchpaged.execution.executor import LocalExecutor

MODEL = Path(__file__).resolve().parents[1] / "evals" / "models" / "stdlib-lm"


class LoggingExecutor:
    """An `Executor` that logs two calls and forwards all others to a `LocalExecutor`."""

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
    llm = LLM(MODEL)  # loads the checkpoint; a second engine gets its model and the executor
    engine = LLMEngine(llm.engine.model, llm.engine.config, tokenizer=llm.tokenizer, executor=LoggingExecutor)
    engine.add_request("three", "def main(", SamplingParams(n=3, temperature=0.8, seed=1, max_tokens=4))
    engine.add_request("one", "import os", SamplingParams(temperature=0, max_tokens=4))
    while engine.has_unfinished_requests:
        engine.step()
    print("\n".join(engine.executor.lines))
