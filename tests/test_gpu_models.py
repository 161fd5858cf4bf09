"""Models of many kinds on a GPU, in graphs: the tokens that the same engine samples on the CPU, in float32.

The kernels are compared one by one in tests/ops; here it is what stands around them: uploads, slots of states, swaps.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import torch

from tests import models
from tests.execution.test_cuda_graphs import mixed, prompts, tokens_of
from tests.integrations.family_models import SPECIAL
from torchpaged import LLM, BeamSearchParams, PagedCache, SamplingParams

pytestmark = pytest.mark.gpu
SETTINGS: dict[str, Any] = {"num_blocks": 200, "block_size": 16, "max_num_seqs": 6, "max_num_batched_tokens": 48}
FAMILIES = (
    *("bloom", "gemma3_text", "gpt_neo", "gpt_oss", "mixtral", "deepseek_v3", "mpt", "qwen3_moe", "phi3"),
    *("lfm2", "qwen3_next", "qwen3_5_text", "falcon_h1", "mamba2", "jamba", "falcon_mamba", "kimi_linear", "minimax"),
    *("zamba2", "nemotron_h", "granitemoehybrid", "olmo_hybrid", "bailing_hybrid"),
)
LENGTHS = (19, 70, 1, 129)


@pytest.fixture(autouse=True)
def exact_products() -> None:
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False


def built(kind: str) -> Any:
    return models.build(kind, seed=3, **SPECIAL.get(kind, {}))


def greedy(llm: LLM, count: int = 20) -> list[list[int]]:
    """Complete prompts that cross borders of blocks, chunks and states, greedily."""
    params = SamplingParams(temperature=0.0, max_tokens=count, ignore_eos=True)
    outputs = llm.generate(models.prompts(LENGTHS), params, use_tqdm=False)
    llm.engine.check()
    return [output.outputs[0].token_ids for output in outputs]


@pytest.mark.parametrize("kind", FAMILIES)
def test_tokens_are_those_of_the_cpu(kind: str) -> None:
    model = built(kind)
    expected = greedy(LLM(copy.deepcopy(model), device="cpu", max_model_len=256, **SETTINGS))
    llm = LLM(model, device="cuda", compile=False, max_model_len=256, **SETTINGS)
    assert greedy(llm) == expected
    assert greedy(llm) == expected  # after a cached prefix


@pytest.mark.parametrize("kind", ["mixtral", "qwen3_moe", "gpt_oss", "falcon_h1", "qwen3_next", "deepseek_v3"])
def test_bfloat16(kind: str) -> None:
    """Experts' grouped products and latents in the type that models have there; logprobs are near the CPU's."""
    model, found = built(kind), []
    texts = models.prompts(LENGTHS)
    for device, dtype in (("cpu", "float32"), ("cuda", "bfloat16")):
        settings = {**SETTINGS, "device": device, "dtype": dtype, "max_model_len": 256, "compile": False}
        llm = LLM(copy.deepcopy(model), **settings)
        assert all(len(each) == 20 for each in greedy(llm))
        found.append([row[0].logprob / 3 for row in llm.score(texts, [[[3, 4, 5]]] * 4, use_tqdm=False)])
    assert found[1] == pytest.approx(found[0], abs=1.5)


@pytest.mark.parametrize("kind", ["falcon_h1", "qwen3_next"])
def test_states_of_swapped_sequences(kind: str) -> None:
    model = built(kind)
    settings = {**SETTINGS, "num_blocks": 24, "max_model_len": 256}
    expected = greedy(LLM(copy.deepcopy(model), device="cpu", max_model_len=256, **SETTINGS), 60)
    llm = LLM(model, device="cuda", compile=False, preemption_mode="swap", swap_space=0.05, **settings)
    assert greedy(llm, 60) == expected
    assert llm.stats().num_preemptions > 0


def test_every_kind_of_draw() -> None:
    """Seeds, penalties, filters and logprobs, in float32: both devices sample with the same hash."""
    model = models.build("llama", num_hidden_layers=2)
    expected = tokens_of(LLM(copy.deepcopy(model), device="cpu", **SETTINGS))
    assert tokens_of(LLM(model, device="cuda", **SETTINGS)) == expected


def test_scores_vectors_and_beams() -> None:
    model = models.build("qwen3", num_hidden_layers=2)
    found = []
    for device in ("cpu", "cuda"):
        llm = LLM(copy.deepcopy(model), device=device, compile=False, **SETTINGS)
        texts = prompts(5)
        scores = llm.score(texts, [[[3, 4, 5], [9]]] * 5, use_tqdm=False)
        vectors = [output.outputs.data for output in llm.encode(texts, use_tqdm=False)]
        first = [{"prompt_token_ids": text} for text in texts[:2]]
        beams = llm.beam_search(first, BeamSearchParams(beam_width=3, max_tokens=6))
        chosen = [[each.token_ids for each in output.outputs] for output in beams]
        found.append(([[each.logprob for each in row] for row in scores], vectors, chosen))
    assert found[1][0] == [pytest.approx(row, abs=1e-3) for row in found[0][0]]
    for ours, expected in zip(found[1][1], found[0][1], strict=True):
        torch.testing.assert_close(torch.as_tensor(ours), torch.as_tensor(expected), rtol=1e-3, atol=1e-3)
    assert found[1][2] == found[0][2]


@pytest.mark.parametrize("kind", ["qwen3", "gemma2", "gpt2"])
def test_transformers_own_generate(kind: str) -> None:
    """attn_implementation="torchpaged" on a padded batch, compared with eager attention on the same device."""
    eager = built(kind).cuda()
    ours = copy.deepcopy(eager)
    ours.set_attn_implementation("torchpaged")
    long, short = models.prompts((19, 8))
    padded = torch.tensor([long, [0] * 11 + short], device="cuda")
    mask = torch.tensor([[1] * 19, [0] * 11 + [1] * 8], device="cuda")
    options: dict[str, Any] = {"max_new_tokens": 16, "do_sample": False, "pad_token_id": 0, "attention_mask": mask}
    found = ours.generate(padded, return_dict_in_generate=True, **options)
    assert found.sequences.tolist() == eager.generate(padded, **options).tolist()
    assert isinstance(found.past_key_values, PagedCache)


@pytest.mark.parametrize("quantization", ["int8", "int4"])
def test_torchao_weights(quantization: str) -> None:
    """Logprobs of given tokens are close to the float model's."""
    pytest.importorskip("torchao")
    model = models.build("qwen3", num_hidden_layers=2, hidden_size=256, intermediate_size=512, initializer_range=0.05)
    texts, found = prompts(4), []
    for quantized in (None, quantization):
        llm = LLM(copy.deepcopy(model), device="cuda", dtype="bfloat16", quantization=quantized, **SETTINGS)
        assert all(output.finished for output in llm.generate(texts, mixed(4), use_tqdm=False))
        scores = llm.score(texts, [[[3, 4, 5]]] * 4, use_tqdm=False)
        found.append([row[0].logprob / 3 for row in scores])
    assert found[1] == pytest.approx(found[0], abs=0.3)


def test_a_gguf_file_is_expanded(tmp_path: Path) -> None:
    """Its weights have no CUDA kernel: they are dequantised, and tokens are those of the dequantised model."""
    gguf = pytest.importorskip("gguf")
    from tests.integrations.gguf_files import read_model, write
    from tests.test_gguf_llm import SMALL, TOKENIZER, tiny
    from torchpaged.weights.gguf_file import Gguf

    path = write(tiny(), tmp_path / "q.gguf", gguf.GGMLQuantizationType.Q8_0, **TOKENIZER)
    llm = LLM(path, dtype="float32", device="cuda", compile=False, **SMALL)
    params = SamplingParams(temperature=0.0, max_tokens=8)
    (output,) = llm.generate([[1, 2, 3]], params, use_tqdm=False)
    near = models.greedy(read_model(Gguf(path), "float32"), [[1, 2, 3]], 8)[0]
    assert output.outputs[0].token_ids[:2] == near[:2]
