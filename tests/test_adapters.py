"""Requests with adapters: peft's texts, and the same bits alone as among requests with others and with none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from tests import adapters, models
from tests.compiler.test_optimize import build
from tests.models import STDLIB_LM
from torchpaged import LLM, LoRARequest, RequestOutput, SamplingParams
from torchpaged.ops import cpu

KERNELS = cpu.isa() not in ("none", "portable")
# Query, key and value apart and fused, with biases, norms, softcaps, experts, latents, convolutions and states.
FAMILIES = {
    "llama": "all-linear",
    "qwen2": "all-linear",
    "qwen3": "all-linear",
    "gemma2": "all-linear",
    "gemma3_text": "all-linear",
    "phi3": "all-linear",
    "gpt_neox": "all-linear",
    "gpt2": "all-linear",
    "olmo2": "all-linear",
    "cohere2": "all-linear",
    "granite": "all-linear",
    "qwen3_moe": ["q_proj", "k_proj", "v_proj", "o_proj"],
    "deepseek_v3": ["q_a_proj", "q_b_proj", "kv_a_proj_with_mqa", "o_proj"],
    "lfm2": ["in_proj", "out_proj", "q_proj", "w1"],
}
GREEDY = SamplingParams(max_tokens=8, temperature=0, logprobs=2)
SMALL: dict[str, Any] = {"num_blocks": 128, "block_size": 4, "enable_lora": True, "max_lora_rank": 64}
ALL = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def bits(output: RequestOutput) -> tuple[list[int], list[list[float]]]:
    """Return an output's tokens and logprobs."""
    (completion,) = output.outputs
    assert completion.logprobs is not None
    return list(completion.token_ids), [[each.logprob for each in row.values()] for row in completion.logprobs]


@pytest.mark.parametrize(
    "optimize", [pytest.param(True, marks=pytest.mark.skipif(not KERNELS, reason="cpu.isa()")), False]
)
@pytest.mark.parametrize("kind", FAMILIES)
def test_families_give_the_texts_of_merged_models(kind: str, optimize: bool, tmp_path: Path) -> None:
    model = build(kind, initializer_range=0.3)
    model.generation_config.eos_token_id = None
    merged = [
        adapters.save_merged(model, tmp_path / "0", rank=4, targets=FAMILIES[kind], seed=1),
        adapters.save_merged(model, tmp_path / "1", rank=16, targets=FAMILIES[kind], seed=2),
    ]
    batch = models.prompts((11, 5, 7, 3, 9, 6))
    places = [-1, 0, 1, 0, -1, 1]
    expected = [
        models.greedy(model if place < 0 else merged[place], [prompt], 8)[0]
        for prompt, place in zip(batch, places, strict=True)
    ]
    llm = LLM(model, optimize=optimize, **SMALL)
    requests = [
        None if place < 0 else adapters.request(str(place), tmp_path / str(place), 1 + place) for place in places
    ]
    outputs = llm.generate(batch, GREEDY, lora_request=requests, use_tqdm=False)
    found = [list(output.outputs[0].token_ids) for output in outputs]
    assert found == expected
    assert len({tuple(models.greedy(each, [batch[0]], 8)[0]) for each in (model, *merged)}) == 3  # they matter
    llm.engine.check()


@pytest.fixture(scope="module")
def eight(tmp_path_factory: pytest.TempPathFactory) -> list[LoRARequest]:
    """Return adapters of the project's own model, of various ranks and targets."""
    from transformers import AutoModelForCausalLM

    folder = tmp_path_factory.mktemp("adapters")
    model = AutoModelForCausalLM.from_pretrained(STDLIB_LM, dtype=torch.float32)
    targets: list[Any] = [
        ALL,
        ["q_proj", "v_proj"],
        ["gate_proj", "down_proj"],
        "all-linear",
        ["o_proj"],
        ALL[:3],
        ALL,
        ["k_proj"],
    ]
    for number, (rank, names) in enumerate(zip((4, 8, 16, 64, 32, 5, 48, 12), targets, strict=True)):
        adapters.save_merged(model, folder / str(number), rank=rank, targets=names, seed=number, use_rslora=number == 3)
    return [adapters.request(f"adapter {number}", folder / str(number), 1 + number) for number in range(8)]


@pytest.mark.skipif(not KERNELS, reason="no fast kernels here: ops.cpu.isa()")
@pytest.mark.parametrize("quantization", [None, "int8", "int4"])
def test_a_row_has_the_same_bits_alone_and_in_a_crowd(quantization: str | None, eight: list[LoRARequest]) -> None:
    """36 requests over eight adapters and none, against engines that have one adapter, or none, and one request."""
    texts = ["def main(", "import os\nimport sys\n", "class Queue:\n    def put(self, item):\n", "for i in "]
    jobs = [(text, adapter) for text in texts for adapter in (*eight, None)]
    settings: dict[str, Any] = {"dtype": "bfloat16", "quantization": quantization, "max_model_len": 128}
    llm = LLM(STDLIB_LM, **SMALL, **settings)
    outputs = llm.generate([text for text, _ in jobs], GREEDY, lora_request=[each for _, each in jobs], use_tqdm=False)
    assert llm.engine.exact
    plain = LLM(STDLIB_LM, num_blocks=128, block_size=4, **settings)
    others = [LLM(STDLIB_LM, **{**SMALL, "max_loras": 1, "max_lora_rank": 64}, **settings)]
    for (text, adapter), output in zip(jobs, outputs, strict=True):
        alone = (plain if adapter is None else others[0]).generate([text], GREEDY, lora_request=adapter, use_tqdm=False)
        assert bits(alone[0]) == bits(output)
        assert output.lora_request == adapter
    assert len({repr(bits(output)) for output in outputs[:9]}) == 9
    llm.engine.check()


def test_prefixes_are_shared_by_content(tmp_path: Path) -> None:
    """Not between adapters, but between two names of one content; a replaced file is another adapter."""
    model = models.build("llama")
    adapters.save_merged(model, tmp_path / "a", seed=1)
    adapters.save_merged(model, tmp_path / "b", seed=1)
    adapters.save_merged(model, tmp_path / "c", seed=2)
    llm = LLM(model, **SMALL)
    (prompt,) = models.prompts((33,))

    def cached(name: str, number: int) -> int | None:
        lora = None if not name else adapters.request(name, tmp_path / name, number)
        return llm.generate([prompt], GREEDY, lora_request=lora, use_tqdm=False)[0].num_cached_tokens

    assert [cached("a", 1), cached("", 0), cached("c", 3), cached("b", 2), cached("a", 1), cached("", 0)] == [
        *(0, 0, 0),
        *(32, 32, 32),
    ]
    adapters.save_merged(model, tmp_path / "a", seed=3)
    assert cached("a", 1) == 0 and cached("b", 2) == 32


@pytest.mark.skipif(not KERNELS, reason="no fast kernels here: ops.cpu.isa()")
def test_steps_without_an_adapter_run_the_base_program(eight: list[LoRARequest]) -> None:
    llm = LLM(STDLIB_LM, **SMALL, dtype="bfloat16", max_model_len=128)
    seen = []
    forward = llm.engine.model.weights.optimized.forward  # type: ignore[union-attr]
    find = forward.find_program

    def finding(input_ids: Any, metadata: Any) -> Any:
        seen.append(metadata.adapters is not None)
        return find(input_ids, metadata)

    forward.find_program = finding
    llm.generate(["def f("], GREEDY, use_tqdm=False)
    assert seen and not any(seen)
    seen.clear()
    llm.generate(["def f("], GREEDY, lora_request=eight[0], use_tqdm=False)
    assert seen and all(seen) and forward.reason is None
