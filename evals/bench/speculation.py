"""Speculation on and off, in turn: tokens per step, speed-up, and whether every token is the same.

    python evals/bench/speculation.py [--rounds 5] [--threads 2] [--cases NAME ...] [--tasks WORDS ...]
                                      [--smollm2 FOLDER] [--llama-cpp-python PYTHON]
                                      [--output evals/results/speculation.json]

The 0.6 B shape has random weights, so its tokens are forced: sampling runs at full cost, but its result is replaced by
the next token of a real text. Texts come from Python's standard library: a file that is edited, passages that are
quoted, a file whose second part follows, and tokens that never repeat. stdlib-lm and SmolLM2
(`evals/smollm2.py prepare`) generate their own texts; for stdlib-lm, stdlib-draft is also a draft model. "peers" is
prompt lookup of transformers and llama.cpp on the first task, each compared with itself without it. Times are of the
tokens after the first; off and on are measured next to each other, medians of pairs.
"""

from __future__ import annotations

import argparse
import inspect
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch
from torch import Tensor
from transformers import AutoTokenizer

from evals.bench import machine
from evals.bench.generate import STDLIB_LM, load
from torchpaged import LLM, EngineConfig, LLMEngine, SamplingParams
from torchpaged.engine.speculation import proposer_of
from torchpaged.execution.sampler import Draws, Sampler
from torchpaged.integrations.transformers import adapter
from torchpaged.scheduling.drafter import DraftCosts, Drafter
from torchpaged.scheduling.step_cost import StepCost, bookkeeping
from torchpaged.speculative_config import SpeculativeConfig

ROOT = Path(__file__).resolve().parents[2]
METHODS = ("ngram", "suffix")
STDLIB_DRAFT = STDLIB_LM.parent / "stdlib-draft"
Tokens = list[int]


@dataclass(frozen=True)
class Task:
    """Prompts, and their continuations.

    Args:
        texts: pairs of (prompt, continuation); if the continuation is empty, the model's own tokens are used.
        params: how tokens are sampled.
        target: required speed-up.
    """

    name: str
    texts: Sequence[tuple[Tokens, Tokens]]
    params: SamplingParams
    target: float | None = None


# --- Texts ------------------------------------------------------------------------------------------------


def pieces(text: str) -> list[str]:
    """Return a text's lines, with their ends."""
    return text.splitlines(keepends=True)


def edited(source: str, pick: random.Random) -> str:
    """Return a text with 2 % of its lines changed, but at least one."""
    lines = pieces(source)
    for place in pick.sample(range(len(lines)), max(1, len(lines) // 50)):
        lines[place] = lines[place].replace("self", "this").replace("=", "= not").rstrip("\n") + "  # changed\n"
    return "".join(lines)


def tasks(encode: Callable[[str], Tokens], count: int, batch: int) -> Iterator[Task]:
    """Yield the tasks over real texts.

    Args:
        count: tokens of each continuation.
        batch: texts at once.
    """
    import configparser
    import queue
    import shelve
    import textwrap
    from pydoc_data import topics

    pick = random.Random(0)
    modules = [queue, textwrap, shelve, configparser]
    sources = [inspect.getsource(modules[i % len(modules)])[2000 * (i // len(modules)) :][:6000] for i in range(batch)]
    documents = [topics.topics[name][:6000] for name in sorted(topics.topics, key=lambda n: -len(topics.topics[n]))]
    greedy = SamplingParams(temperature=0.0, max_tokens=count, ignore_eos=True)

    def forced(prompt: str, answer: str) -> tuple[Tokens, Tokens]:
        return encode(prompt), encode(answer)[:count]

    name, target = "a file edited, 2 % of its lines", 4.0 if batch == 1 else 1.4
    yield Task(name, [forced(s + "\n# edited:\n", edited(s, pick)) for s in sources], greedy, target)
    quotes = ["".join(pick.sample(pieces(text), len(pieces(text)) // 3)) for text in documents[:batch]]
    told = [forced(d + "\nIn short:\n", quote) for d, quote in zip(documents, quotes, strict=False)]
    yield Task("documentation, passages quoted", told, greedy, 3.0 if batch == 1 else None)
    halves = [(s[: len(s) // 2], s[len(s) // 2 :]) for s in sources]
    yield Task("the rest of a source file", [forced(*half) for half in halves], greedy, 1.25 if batch == 1 else None)
    different = [pick.sample(range(10_000), 600 + count) for _ in range(batch)]
    yield Task("nothing that comes twice", [(each[:600], each[600:]) for each in different], greedy, 0.98)


# --- Engines ----------------------------------------------------------------------------------------------


def drafters(engine: LLMEngine, cost: Callable[[int], float] | None = None) -> dict[str, Drafter | None]:
    """Return None and a drafter for each method; a drafter learns from its own guesses.

    Args:
        cost: of a step by its rows; None: timed now.
    """
    found: dict[str, Drafter | None] = {"off": None}
    cost = cost or StepCost.timed(engine.executor.step_seconds, 64)
    for method in METHODS:
        config = SpeculativeConfig(method=method)
        most, vocab_size = config.num_speculative_tokens, engine.model.spec.vocab_size
        found[method] = Drafter(proposer_of(config), most, vocab_size, DraftCosts(cost, bookkeeping))
    print(
        "  rows: times a step of one:", {n: round(cost(n) / cost(1), 3) for n in (1, 2, 4, 8, 16, 32)}, file=sys.stderr
    )
    return found


@contextmanager
def saying(texts: Mapping[int, Tokens]) -> Iterator[None]:
    """Replace sampled tokens by the next token of a sequence's text, after sampling at full cost.

    Args:
        texts: by sequence, prompt and continuation; other sequences keep their sampled tokens.
    """
    draw = Sampler.draw

    def forced(self: Sampler, logits: Tensor, draws: Draws, *more: Any) -> Tensor:
        draws.into_rows = False  # their rows get the text's tokens
        tokens = draw(self, logits, draws, *more)
        for place, (id, length) in enumerate(zip(draws.ids, draws.lengths.tolist(), strict=False)):
            if id in texts:
                tokens[place] = texts[id][min(length, len(texts[id]) - 1)]
        return tokens

    Sampler.draw = forced  # type: ignore[method-assign]
    try:
        yield
    finally:
        Sampler.draw = draw  # type: ignore[method-assign]


@dataclass
class Run:
    """Result of one task: seconds and number of the tokens after each first one, steps, and all tokens."""

    seconds: float
    tokens: int
    steps: int
    texts: list[Tokens]


def run(engine: LLMEngine, task: Task, drafter: Drafter | None) -> Run:
    """Run a task once. Prompts are found in the prefix cache, except their last tokens."""
    engine.scheduler.drafter = drafter
    texts: dict[int, Tokens] = {}
    for number, (prompt, answer) in enumerate(task.texts):
        before = set(engine.scheduler.sequences)
        engine.add_request(str(number), prompt, task.params)
        (id,) = set(engine.scheduler.sequences) - before
        if answer:
            texts[id] = [*prompt, *answer]
    found: dict[str, Tokens] = {}
    with saying(texts):
        while len(found) < len(task.texts):
            for output in engine.step():
                found[output.request_id] = list(output.outputs[0].token_ids)
        first = sum(map(len, found.values()))
        steps, begin = engine.pipeline.num_steps, time.perf_counter()
        while engine.has_unfinished_requests:
            for output in engine.step():
                found[output.request_id] = list(output.outputs[0].token_ids)
        seconds = time.perf_counter() - begin
    count = sum(map(len, found.values())) - first
    return Run(seconds, count, engine.pipeline.num_steps - steps, [found[str(n)] for n in range(len(task.texts))])


def measure(engine: LLMEngine, task: Task, rounds: int, cost: Callable[[int], float] | None = None) -> dict[str, Any]:
    """Measure off and each method in turn; `cost` as for `drafters`."""
    known = drafters(engine, cost)
    runs: dict[str, list[Run]] = {name: [] for name in known}
    run(engine, task, None)  # computes the prompts
    for number in range(rounds):
        order = list(known) if number % 2 else list(known)[::-1]
        for name in order:
            runs[name].append(run(engine, task, known[name]))
    plain = runs["off"]
    row: dict[str, Any] = {
        "name": task.name,
        "batch": len(task.texts),
        "target": task.target,
        "tokens": plain[0].tokens,
    }
    row["tokens a second, off"] = statistics.median(each.tokens / each.seconds for each in plain)
    for method in METHODS:
        own = runs[method]
        row[method] = {
            "times as fast": statistics.median(a.seconds / b.seconds for a, b in zip(plain, own, strict=True)),
            "tokens a step": own[-1].tokens / own[-1].steps / len(task.texts),
            "same": all(each.texts == plain[0].texts for each in own),
        }
    return row


def sized(batch: int, dtype: str) -> LLMEngine:
    """Build an engine of the 0.6 B shape."""
    model = adapter.wrap(load("0.6 B"), dtype, None, 4096)
    return LLMEngine(
        model, EngineConfig(dtype=dtype, max_model_len=4096, max_num_seqs=batch, num_blocks=batch * 256 + 2)
    )


# --- Peers ------------------------------------------------------------------------------------------------


def drafted(task: Task, rounds: int, dtype: str) -> dict[str, Any]:
    """Measure stdlib-draft as a draft model for stdlib-lm, against an engine without one."""
    plain = LLM(STDLIB_LM, dtype=dtype).engine
    guessing = LLM(STDLIB_LM, dtype=dtype, speculative_config={"model": STDLIB_DRAFT}).engine
    drafter = guessing.scheduler.drafter
    assert drafter is not None and drafter.costs.step is not None and drafter.costs.guess is not None
    pairs = []
    for number in range(rounds + 1):  # the first computes the prompts
        both = [lambda: run(plain, task, None), lambda: run(guessing, task, drafter)]
        order = both if number % 2 else both[::-1]
        found = [each() for each in order]
        pairs.append(found if number % 2 else found[::-1])
    off, on = zip(*pairs[1:], strict=True)
    cost, counts = StepCost.timed(plain.executor.step_seconds, 64), drafter.counts
    acceptance = counts.accepted / max(1, counts.tokens)
    ratio = drafter.costs.guess(1, 2) - drafter.costs.guess(1, 1)
    return {
        "name": task.name,
        "batch": len(task.texts),
        "target": 1.3,
        "tokens": off[0].tokens,
        "draft model": {
            "times as fast": statistics.median(a.seconds / b.seconds for a, b in zip(off, on, strict=True)),
            "tokens a step": on[-1].tokens / on[-1].steps / len(task.texts),
            "same": all(a.texts == b.texts for a, b in zip(off, on, strict=True)),
            "acceptance": acceptance,
            "forward of the draft over the target's": ratio / cost(1),
            "bound": most_of_a_draft(acceptance, ratio / cost(1), lambda rows: cost(rows) / cost(1)),
        },
    }


def most_of_a_draft(acceptance: float, ratio: float, cost: Callable[[int], float]) -> float:
    """Return the best possible speed-up over draft lengths: expected tokens of a step over its cost."""
    lengths = range(1, 16)
    return max(sum(acceptance**i for i in range(k + 1)) / (cost(k + 1) + k * ratio) for k in lengths)


def peers(task: Task, rounds: int, threads: int, llama_python: str | None) -> Iterator[dict[str, Any]]:
    """Yield prompt lookup of transformers, and of llama.cpp if it is installed, on a task's first text."""
    prompt, answer = task.texts[0]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        load("0.6 B").save_pretrained(path / "model")
        AutoTokenizer.from_pretrained(STDLIB_LM).save_pretrained(path / "model")  # the conversion requires one
        kinds = [("transformers", sys.executable, path / "model")]
        if llama_python is not None:
            convert = [str(path / "model"), str(path / "model.gguf"), "BF16"]
            command = [llama_python, "-m", "evals.bench.peers.gguf_writer", *convert]
            subprocess.run(command, check=True, cwd=ROOT)
            kinds.append(("llama_cpp", llama_python, path / "model.gguf"))
        for kind, python, model in kinds:
            given = {"kind": kind, "model": str(model), "prompt": prompt, "answer": answer}
            (path / "given.json").write_text(json.dumps({**given, "rounds": rounds, "threads": threads}))
            command = [python, "-m", "evals.bench.peers.lookup", str(path / "given.json")]
            out = subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout
            pairs = json.loads(out.splitlines()[-1])
            yield {
                "name": f"{kind}: {task.name}",
                "batch": 1,
                "tokens": len(answer) - 1,
                "tokens a second, off": statistics.median((len(answer) - 1) / off for off, _ in pairs),
                "prompt look-up": {"times as fast": statistics.median(off / on for off, on in pairs)},
            }


# --- The models' own texts -------------------------------------------------------------------------------

ASKED = {
    "edit": "Here is a text. Write it again and change only the name Anna to Maria.\n\n",
    "shorten": "Here is a text. Repeat its first three sentences, word for word.\n\n",
    "json": 'Turn this text into JSON with a list "sentences" that holds each sentence as it is.\n\n',
    "quote": "Here is a text. Quote the sentences that mention the river.\n\n",
}
STORY = (
    "Anna lived in a small house by the river. Every morning she walked along the river to the old mill, where her "
    "uncle baked bread for the whole village. The bread was dark and heavy, and people came from far away to buy it. "
    "One day the river rose after a long night of rain, and the water stood in the mill up to the windows. Anna took "
    "the small boat, rowed to the mill and brought her uncle home. When the water had gone, the whole village came to "
    "help, and after a week the mill worked again. Anna still walks along the river every morning."
)


def spoken(llm: LLM, count: int) -> Iterator[Task]:
    """Yield tasks with SmolLM2's answers, greedy and sampled."""
    for name, words in ASKED.items():
        ids = llm.tokenizer.apply_chat_template(
            [{"role": "user", "content": words + STORY}], add_generation_prompt=True, return_dict=True
        )["input_ids"]
        for label, temperature in (("greedy", 0.0), ("T = 0.7", 0.7)):
            params = SamplingParams(temperature=temperature, seed=1, max_tokens=count)
            yield Task(f"SmolLM2, {name}, {label}", [(list(ids), [])], params, 1.5 if not temperature else None)


def written(llm: LLM, count: int) -> Iterator[Task]:
    """Yield tasks with stdlib-lm's own text."""
    prompt = llm.tokenizer("import os\nimport sys\n\n\nclass Queue:\n    def __init__(self):\n")["input_ids"]
    for label, temperature, seed, target in (
        ("greedy", 0.0, 0, 3.0),
        *((f"T = 0.8, seed {i}", 0.8, i, 1.5) for i in range(5)),
    ):
        params = SamplingParams(temperature=temperature, seed=seed, max_tokens=count, ignore_eos=True)
        yield Task(f"stdlib-lm, {label}", [(list(prompt), [])], params, target)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=160, help="of each continuation")
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 8], help="of the 0.6 B shape")
    parser.add_argument("--dtype", default="bfloat16")
    cases = ("0.6 B", "stdlib-lm", "draft model", "SmolLM2", "peers")
    parser.add_argument("--cases", nargs="+", choices=cases, default=cases)
    parser.add_argument("--tasks", nargs="+", default=[""], help="only tasks whose names contain any of these words")
    parser.add_argument("--llama-cpp-python", help="Python of an environment that has llama-cpp-python and gguf")
    parser.add_argument("--smollm2", type=Path, help="folder made by evals/smollm2.py prepare")
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    rows: list[dict[str, Any]] = []

    def note(row: dict[str, Any]) -> None:
        rows.append(row)
        print(json.dumps(row), flush=True)
        if given.output is not None:
            result = {**machine.describe(sys.argv), "rounds": given.rounds, "rows": rows}
            given.output.write_text(json.dumps(result, indent=1) + "\n")

    def asked(tasks: Iterator[Task]) -> list[Task]:
        return [task for task in tasks if any(words in task.name for words in given.tasks)]

    if "stdlib-lm" in given.cases:
        llm = LLM(STDLIB_LM, dtype=given.dtype)
        for task in asked(written(llm, 250)):
            note(measure(llm.engine, task, given.rounds))
    if "draft model" in given.cases:
        for task in asked(written(LLM(STDLIB_LM, dtype=given.dtype), 250)):
            note(drafted(task, given.rounds, given.dtype))
    if "SmolLM2" in given.cases and given.smollm2 is not None:
        llm = LLM(given.smollm2, dtype=given.dtype)
        for task in asked(spoken(llm, 200)):
            note(measure(llm.engine, task, given.rounds))
    tokenizer = AutoTokenizer.from_pretrained(given.smollm2 or STDLIB_LM)

    def encode(text: str) -> Tokens:
        return list(tokenizer(text)["input_ids"])

    model = f"0.6 B, {given.dtype}, tokens forced"
    if "0.6 B" in given.cases:
        for batch in given.batches:
            engine = sized(batch, given.dtype)
            for task in asked(tasks(encode, given.tokens, batch)):
                note({**measure(engine, task, given.rounds), "model": model})
    if "peers" in given.cases:
        for row in peers(next(tasks(encode, given.tokens, 1)), given.rounds, given.threads, given.llama_cpp_python):
            note({**row, "model": model})


if __name__ == "__main__":
    main()
