"""JSONSchemaBench against an engine: every text that ends must be valid. Its schemas are not stored here.

    python -m tests.structured.bench_schemas REPOSITORY [--count 1000] [--max-tokens 200] [--thoughts]

REPOSITORY is a checkout, or a git directory, of github.com/guidance-ai/jsonschemabench. A random model writes a text
for each schema, whose end and separators are made likelier. It prints how many are valid, cut at `max_tokens` or
refused, and what compiling took. With `--thoughts` the model thinks first, with a budget of 0 to 8 tokens: half of the
prompts have opened thoughts, and in the others the model opens them or does not.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import time
from collections import Counter
from dataclasses import replace
from typing import Any

import jsonschema
import torch
from transformers import AutoTokenizer

from tests.models import STDLIB_LM, build
from torchpaged import LLM, SamplingParams
from torchpaged.errors import ConfigError, RequestError
from torchpaged.reasoning import PARSERS


def schemas(repository: str, count: int) -> list[tuple[str, Any]]:
    """Return (name, schema) of a sample, drawn evenly from the folders of `data`."""

    def git(*words: str) -> str:
        return subprocess.run(["git", "-C", repository, *words], capture_output=True, text=True, check=True).stdout

    names = [
        name for name in git("ls-tree", "-r", "--name-only", "HEAD", "data").splitlines() if name.endswith(".json")
    ]
    random.Random(0).shuffle(names)
    folders: dict[str, list[str]] = {}
    for name in names:
        folders.setdefault(name.split("/")[1], []).append(name)
    chosen: list[str] = []
    while len(chosen) < min(count, len(names)):
        for each in folders.values():
            if each and len(chosen) < count:
                chosen.append(each.pop())
    found = []
    for name in chosen:
        data = json.loads(git("show", f"HEAD:{name}"))
        found.append((name, data.get("json_schema", data)))
    return found


THOUGHTS = PARSERS["qwen3"]


def thinking(number: int) -> dict[str, Any]:
    """Return the parameters of a request that thinks first. Requests of even numbers have opened thoughts."""
    return {
        "reasoning": replace(THOUGHTS, opened=number % 2 == 0),
        "thinking_token_budget": number // 2 % 9,
        "skip_special_tokens": False,
    }


def answer_of(text: str, *, opened: bool) -> str:
    """Return the text behind the thoughts; a text without them as it is."""
    if not opened and not text.startswith(THOUGHTS.open[0]):
        return text
    thoughts, closed, answer = text.partition(THOUGHTS.close[0])
    assert closed, f"the thoughts have not ended: {thoughts[:80]!r}"
    return answer


def main() -> None:
    """Compile, generate, validate and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repository")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--max-tokens", type=int, default=200)
    parser.add_argument("--thoughts", action="store_true")
    arguments = parser.parse_args()
    torch.set_num_threads(2)
    tokenizer = AutoTokenizer.from_pretrained(STDLIB_LM)
    tokenizer.add_tokens([*THOUGHTS.open, *THOUGHTS.close])
    model = build("llama", vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=1, num_attention_heads=2)
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    engine = LLM(model, tokenizer, num_blocks=2000, block_size=16, max_num_seqs=32).engine
    # Else a text of letters drawn at random seldom comes to its end.
    bias = dict.fromkeys(tokenizer.encode('"}],:{["}"]', add_special_tokens=False), 4.0)
    bias |= dict.fromkeys(tokenizer.encode('"', add_special_tokens=False), 6.0)
    if arguments.thoughts:
        bias |= dict.fromkeys(tokenizer.convert_tokens_to_ids([*THOUGHTS.open, *THOUGHTS.close]), 5.0)
    given, seconds, refused, asked = schemas(arguments.repository, arguments.count), [], Counter[str](), {}
    outputs: dict[str, Any] = {}
    is_opened: dict[str, bool] = {}
    num_thoughts = 0
    for number, (name, schema) in enumerate(given):
        begin = time.perf_counter()
        try:
            params = SamplingParams(
                seed=number, max_tokens=arguments.max_tokens, temperature=0.7, logit_bias=bias,
                structured_outputs={"json": schema, "disable_any_whitespace": True},
                **(thinking(number) if arguments.thoughts else {}),
            )  # fmt: skip
            opened = arguments.thoughts and number % 2 == 0
            engine.add_request(name, f"x{THOUGHTS.open[0]}\n" if opened else "x", params)
            asked[name], is_opened[name] = schema, opened
        except (RequestError, ConfigError) as error:
            refused[str(error).split("not possible: ")[-1].split("expected ")[-1][:60]] += 1
        seconds.append(time.perf_counter() - begin)
        while engine.get_num_unfinished_requests() >= (32 if number + 1 < len(given) else 1):
            outputs |= {output.request_id: output.outputs[0] for output in engine.step() if output.finished}
    reasons = Counter(completion.finish_reason for completion in outputs.values())
    failed = Counter((each.error or "")[:90] for each in outputs.values() if each.finish_reason == "error")
    invalid = []
    for name, completion in outputs.items():
        if completion.finish_reason == "stop":
            kind = jsonschema.validators.validator_for(asked[name], jsonschema.Draft202012Validator)
            try:
                answer = answer_of(completion.text, opened=is_opened[name]) if arguments.thoughts else completion.text
                num_thoughts += answer != completion.text
                kind(asked[name]).validate(json.loads(answer))
            except (AssertionError, ValueError, jsonschema.ValidationError) as error:
                invalid.append((name, str(error).splitlines()[0][:120], completion.text[:200]))
            except Exception as error:  # a schema that the validator cannot read
                reasons[f"not judged: {type(error).__name__}"] += 1
    seconds.sort()
    points = [seconds[int(len(seconds) * share)] for share in (0.5, 0.99)]
    print(f"{len(given)} schemas: {dict(reasons)}, refused {sum(refused.values())}, invalid {len(invalid)}"
          f", behind thoughts {num_thoughts}")  # fmt: skip
    print(f"compiling: p50 {points[0] * 1e3:.1f} ms, p99 {points[1] * 1e3:.1f} ms, max {seconds[-1]:.2f} s, "
          f"mean {statistics.mean(seconds) * 1e3:.1f} ms")  # fmt: skip
    for reason, number in (*refused.most_common(12), *failed.most_common(6), *((each, 1) for each in invalid)):
        print(f"{number:5} {reason}")


if __name__ == "__main__":
    main()
