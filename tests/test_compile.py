"""The forward compiled whole: no graph break, no second graph, no copy of a cache, the same tokens."""

from __future__ import annotations

import copy
import random
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from torch._dynamo.utils import counters

from tests import adapters, models
from tests.engine.test_schedules import rowwise
from tests.fakes import engine
from tests.integrations.family_models import SPECIAL
from torchpaged import LLM, EngineConfig, SamplingParams
from torchpaged.errors import ConfigError

# Windows, softcaps, sinks, experts, biases, layer norms, tied weights, partial rotary: one of each kind.
FAMILIES: dict[str, dict[str, Any]] = {
    "llama": {},
    "qwen3": {},
    "mistral": {"sliding_window": 12},
    "gemma2": {"sliding_window": 12, "attn_logit_softcapping": 5.0, "final_logit_softcapping": 30.0},
    "gemma3_text": {"sliding_window": 12},
    "phi3": {},
    "olmo2": {},
    "starcoder2": {"sliding_window": None},
    "glm4": {},
    "gpt_neox": {"rotary_pct": 0.5},
}
NUM_STEPS = 200


@pytest.fixture(autouse=True)
def fresh() -> Any:
    torch._dynamo.reset()
    counters.clear()
    yield
    torch._dynamo.reset()


def serve(llm: LLM, steps: int, seed: int) -> tuple[list[list[int]], int]:
    """Run random prompts in random batches until as many steps are done; return (tokens, steps)."""
    generator = random.Random(seed)
    tokens = []
    while llm.stats().num_steps < steps:
        count = generator.choice([1, 1, 2, 3, 9])
        lengths = [generator.choice([1, 2, 3, 11, 40]) for _ in range(count)]
        prompts = models.prompts(lengths, seed=generator.randrange(10**6))
        params = SamplingParams(
            temperature=0, max_tokens=generator.choice([1, 6, 20]), prompt_logprobs=generator.choice([None, 0])
        )
        outputs = llm.generate(prompts, params, use_tqdm=False)
        tokens += [output.outputs[0].token_ids for output in outputs]
    return tokens, llm.stats().num_steps


@pytest.mark.parametrize("kind", FAMILIES)
def test_one_graph_for_every_step(kind: str) -> None:
    """torch's eager backend: the test counts graphs, and does not need them compiled."""
    model = models.build(kind, num_hidden_layers=2, **FAMILIES[kind])
    settings = {"num_blocks": 60, "block_size": 4, "max_num_batched_tokens": 64}
    expected, _ = serve(LLM(copy.deepcopy(model), **settings), NUM_STEPS, seed=3)
    llm = LLM(model, compile=True, compile_backend="eager", **settings)
    after_warm_up = dict(counters["stats"])
    assert after_warm_up["unique_graphs"] <= 2
    tokens, steps = serve(llm, NUM_STEPS, seed=3)
    assert steps >= NUM_STEPS
    assert tokens == expected
    assert counters["stats"] == after_warm_up, "a step was compiled again"
    assert not counters["graph_break"]


@pytest.mark.parametrize(
    ("kind", "overrides"),
    [
        ("llama", {"num_hidden_layers": 1}),
        ("deepseek_v3", {**SPECIAL["deepseek_v3"], "first_k_dense_replace": 2, "num_hidden_layers": 2}),
    ],
    ids=["llama", "latent"],
)
def test_inductor_copies_no_cache(kind: str, overrides: dict[str, Any]) -> None:
    from torch._inductor.utils import run_and_get_code  # it takes seconds

    num_blocks = 397  # a number that occurs nowhere else
    model = models.build(kind, **overrides)
    expected, _ = serve(LLM(copy.deepcopy(model), num_blocks=num_blocks), 30, seed=5)

    def compiled() -> LLM:
        return LLM(model, num_blocks=num_blocks, compile=True)

    llm, codes = run_and_get_code(compiled)
    code = "\n".join(codes)  # of forward and head
    assert "torchpaged.write_kv_cache" in code and "torchpaged.paged_attention" in code
    for line in code.splitlines():
        if re.search(r"empty_strided|clone|copy_|as_strided", line) and "assert_size_stride" not in line:
            assert str(num_blocks) not in line, f"a buffer as large as a cache: {line.strip()}"
    tokens, _ = serve(llm, 30, seed=5)
    assert tokens == expected


@torch._dynamo.config.patch(recompile_limit=2)
def test_more_models_than_torch_recompiles_a_function() -> None:
    """All models share one function, of which torch refuses the ninth graph by default; here the third."""
    for layers in range(1, 4):
        model = models.build("llama", num_hidden_layers=layers)
        llm = LLM(model, num_blocks=20, block_size=4, compile=True, compile_backend="eager")
        (output,) = llm.generate([[1, 2, 3]], SamplingParams(max_tokens=3), use_tqdm=False)
        assert output.finished
    assert counters["stats"]["unique_graphs"] > 2


def test_padding_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step padded to two of everything: the real rows' logits have the same bits, with matrix products by row."""
    monkeypatch.setattr(torch.nn.Linear, "forward", rowwise)
    model = models.build("gemma2", sliding_window=12, num_hidden_layers=2)
    plain = LLM(copy.deepcopy(model), num_blocks=60, block_size=4).engine.executor.runner
    padded = LLM(model, num_blocks=60, block_size=4, compile=True, compile_backend="eager").engine.executor.runner
    for query_lens in ((1,), (5,), (1, 1), (7, 1, 4)):
        logits = []
        for runner in (plain, padded):
            inputs = runner.batch.blank(query_lens)
            step = (inputs.input_ids, inputs.positions, inputs.metadata, inputs.wanted_rows)
            with torch.inference_mode():
                all_rows = runner.model.logits(runner.model.forward(*step))
            logits.append(all_rows[: len(inputs.plan.rows)])
            assert len(inputs.metadata.groups[0].seq_lens) == max(len(query_lens), runner.batch.least)
        assert torch.equal(*logits)


def test_when_it_compiles() -> None:
    for settings, on_cpu, on_cuda in (
        ({}, False, True),
        ({"enforce_eager": True}, False, False),
        ({"compile": True}, True, True),
        ({"compile": False}, False, False),
    ):
        config = EngineConfig(**settings)
        assert (config.compiles("cpu"), config.compiles("cuda")) == (on_cpu, on_cuda)
    with pytest.raises(ConfigError, match="compile is 'always', expected 'auto', True or False"):
        engine(compile="always")
    with pytest.raises(ConfigError, match="compile and enforce_eager are both True"):
        engine(compile=True, enforce_eager=True)


def test_adapters_are_in_the_one_graph(tmp_path: Path) -> None:
    """No graph more for steps with adapters than for those without."""
    model = models.build("llama", num_hidden_layers=1)
    for number in range(2):
        adapters.save_merged(model, tmp_path / str(number), rank=4, seed=number)
    requests = [None, *(adapters.request(str(n), tmp_path / str(n), 1 + n) for n in range(2)), None]
    batch = models.prompts((9, 4, 17, 5))
    params = SamplingParams(temperature=0, max_tokens=6)
    settings: dict[str, Any] = {"num_blocks": 64, "block_size": 4, "enable_lora": True}

    def tokens(llm: LLM) -> list[list[int]]:
        outputs = llm.generate(batch, params, lora_request=requests, use_tqdm=False)
        outputs += llm.generate(batch[:2], params, use_tqdm=False)
        return [list(output.outputs[0].token_ids) for output in outputs]

    expected = tokens(LLM(copy.deepcopy(model), optimize=False, **settings))
    counters.clear()
    llm = LLM(model, compile=True, **settings)
    assert tokens(llm) == expected
    assert counters["stats"]["unique_graphs"] == 2 and not counters["graph_break"]
