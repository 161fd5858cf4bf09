"""attn_implementation="torchpaged" used directly, and the models that the adapter accepts."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import AutoModelForCausalLM, PreTrainedModel

from tests import models
from torchpaged import LLM, SamplingParams
from torchpaged.errors import ModelError
from torchpaged.execution.paged_kv_cache import PagedKVCache
from torchpaged.integrations.families import FAMILIES, SUPPORTED
from torchpaged.integrations.transformers import adapter
from torchpaged.integrations.transformers.attention_interface import attention_forward
from torchpaged.models.attention_metadata import AttentionMetadata, StepMetadata
from torchpaged.requests.generation_config import eos_token_ids

BLOCK = 4
GREEDY = SamplingParams(temperature=0, max_tokens=6)
# Multi-head latent attention: keys of 16 + 8, values of 12.
_MLA = {
    "q_lora_rank": 16,
    "kv_lora_rank": 16,
    "qk_nope_head_dim": 16,
    "qk_rope_head_dim": 8,
    "v_head_dim": 12,
    "head_dim": 8,
    "num_key_value_heads": 4,
    "first_k_dense_replace": 4,
}


@pytest.fixture(scope="module")
def original() -> PreTrainedModel:
    return models.build("qwen3", num_hidden_layers=2)


@pytest.fixture
def paged(original: PreTrainedModel) -> PreTrainedModel:
    model = copy.deepcopy(original)
    model.set_attn_implementation("torchpaged")
    return model


class Sequences:
    """Two sequences with tables that interleave, as a user would lay them out."""

    def __init__(self, model: PreTrainedModel) -> None:
        wrapped = adapter.wrap(model)
        self.model = model
        self.cache = PagedKVCache(wrapped.spec.layers, 12, BLOCK, torch.float32, torch.device("cpu"))
        self.tables = torch.tensor([[1, 3, 5, 7], [8, 6, 4, 2]], dtype=torch.int32)
        self.lens = [0, 0]

    @torch.inference_mode()
    def forward(self, *chunks: list[int]) -> Tensor:
        """Return the logits of every token of one chunk per sequence, packed."""
        positions, slots, starts = [], [], [0]
        for i, chunk in enumerate(chunks):
            where = torch.arange(self.lens[i], self.lens[i] + len(chunk))
            positions.append(where)
            slots.append(self.tables[i].long()[where // BLOCK] * BLOCK + where % BLOCK)
            self.lens[i] += len(chunk)
            starts.append(starts[-1] + len(chunk))
        metadata = AttentionMetadata(
            slot_mapping=torch.cat(slots),
            block_tables=self.tables,
            seq_lens=torch.tensor(self.lens, dtype=torch.int32),
            query_start_loc=torch.tensor(starts, dtype=torch.int32),
            max_query_len=max(map(len, chunks)),
        )
        caches = self.cache.by_layer()
        step = StepMetadata([metadata], [0] * len(caches), caches)
        tokens = torch.tensor([token for chunk in chunks for token in chunk])
        result = self.model(
            input_ids=tokens[None], position_ids=torch.cat(positions)[None], use_cache=False, paged_metadata=step
        )
        logits: Tensor = result.logits[0]
        return logits


def test_a_models_own_forward(original: PreTrainedModel, paged: PreTrainedModel) -> None:
    """Prefill, a mixed step and decodes, packed into one row, give the logits of one sequence at a time."""
    first, second = models.prompts((11, 9))
    sequences, got = Sequences(paged), ([], [])  # type: ignore[var-annotated]
    for a, b in ((7, 3), (1, 4), (2, 1), (1, 1)):
        parts = [first[sequences.lens[0] :][:a], second[sequences.lens[1] :][:b]]
        logits = sequences.forward(*parts)
        got[0].append(logits[:a])
        got[1].append(logits[a:])
    for tokens, rows in zip((first, second), got, strict=True):
        with torch.inference_mode():
            expected = original(input_ids=torch.tensor([tokens])).logits[0]
        assert torch.allclose(torch.cat(rows), expected, atol=3e-5 * expected.abs().max().item(), rtol=0)


@pytest.mark.parametrize(
    ("tensors", "options", "says"),
    [
        pytest.param((1, 5), {"attention_mask": torch.ones(1, 1, 5, 5)}, "attention_mask is given", id="mask"),
        pytest.param((1, 5), {"dropout": 0.1}, "dropout is 0.1, expected 0", id="dropout"),
        pytest.param((2, 5), {}, "batch is 2, expected 1", id="batch"),
    ],
)
def test_refused(tensors: tuple[int, int], options: dict[str, Any], says: str) -> None:
    batch, length = tensors
    q = torch.zeros(batch, 4, length, 16)
    with pytest.raises(ValueError, match=f"attn_implementation='torchpaged'.*{says}"):
        attention_forward(
            torch.nn.Module(), q, q, q, options.pop("attention_mask", None), paged_metadata=object(), **options
        )


def test_it_is_a_name_that_from_pretrained_takes() -> None:
    model = AutoModelForCausalLM.from_pretrained(models.STDLIB_LM, attn_implementation="torchpaged")
    assert model.config._attn_implementation == "torchpaged"


def test_what_the_adapter_reads_of_a_model() -> None:
    spec = adapter.wrap(models.build("deepseek_v3", **_MLA)).spec
    shapes = {(layer.num_kv_heads, layer.head_dim, layer.head_dim_v) for layer in spec.layers.values()}
    assert shapes == {(1, 24, 0)}
    assert (spec.vocab_size, spec.max_model_len, list(spec.layers)) == (models.VOCAB, 512, [0, 1, 2, 3])
    assert (spec.name, spec.hidden_size) == ("DeepseekV3ForCausalLM", 64)
    assert (spec.dtype, spec.device.type) == (torch.float32, "cpu")


def test_engines_over_one_model_take_turns() -> None:
    """The first one's metadata still reaches the layers after another one was made."""
    model = models.build("llama", num_hidden_layers=2)
    engines = [LLM(model, num_blocks=20, block_size=4) for _ in range(2)]
    params = SamplingParams(temperature=0, max_tokens=6)
    found = [
        engines[turn].generate([[5, 6, 7]], params, use_tqdm=False)[0].outputs[0].token_ids for turn in (0, 1, 0, 1)
    ]
    assert found[1:] == found[:-1]


def test_dtype_moves_the_instance() -> None:
    assert adapter.wrap(models.build("llama"), "bfloat16").model.dtype == torch.bfloat16


@pytest.mark.parametrize("kind", ["llama", "bloom"])
def test_a_training_model_trains_on(kind: str) -> None:
    """Between steps each part is in its owner's mode; during a step dropout is off."""
    model = models.build(kind, attention_dropout=0.5, hidden_dropout=0.5)
    expected = LLM(copy.deepcopy(model), num_blocks=20).generate([[5, 6, 7]], GREEDY, use_tqdm=False)
    model.train()
    next(model.children()).eval()  # a part that was frozen
    modes = {name: module.training for name, module in model.named_modules()}
    llm = LLM(model, num_blocks=20)
    for _ in range(2):
        assert all(module.training == modes[name] for name, module in model.named_modules())
        output = llm.generate([[5, 6, 7]], GREEDY, use_tqdm=False)[0]
        assert output.outputs[0].token_ids == expected[0].outputs[0].token_ids
    model.train()
    assert llm.generate([[5, 6, 7]], GREEDY, use_tqdm=False)[0].outputs[0].token_ids == output.outputs[0].token_ids
    assert all(module.training for module in model.modules())


@pytest.mark.parametrize(
    ("generation", "tokenizer", "expected"),
    [(5, None, (5,)), ([5, 6], 9, (5, 6)), (None, 9, (9,)), (None, None, ())],
    ids=["one", "several", "the-tokenizers", "none"],
)
def test_end_of_sequence(generation: Any, tokenizer: int | None, expected: tuple[int, ...]) -> None:
    class Tokenizer:
        eos_token_id = tokenizer

    model = models.build("llama", num_hidden_layers=1)
    model.generation_config.eos_token_id = generation
    values = adapter.generation_values(model)
    assert eos_token_ids(values, None if tokenizer is None else Tokenizer(), "a model") == expected


@pytest.mark.parametrize("kind", ["roberta-prelayernorm", "diffllama", "xlstm"])
def test_a_refusal_gives_the_reason_and_what_works(kind: str) -> None:
    reason = FAMILIES[kind].reason
    with pytest.raises(ModelError) as error:
        adapter.wrap(models.build(kind, n_layer=1, num_hidden_layers=1))
    assert reason is not None and reason in str(error.value)
    said = re.search(r"supported are: (.*) and (\d+) others, listed by `torchpaged info --families`", str(error.value))
    assert said is not None
    named = said[1].split(", ")
    assert set(named) < set(SUPPORTED) and len(named) + int(said[2]) == len(SUPPORTED)


def test_a_window_that_a_layer_does_not_hand_on_is_noticed() -> None:
    config = models.build("gemma2", sliding_window=7).config
    assert config.layer_types == ["sliding_attention", "full_attention"] * (config.num_hidden_layers // 2)
    given = {i: 7 if kind == "sliding_attention" else 0 for i, kind in enumerate(config.layer_types)}
    assert adapter.dropped_window(config, given) is None
    reason = adapter.dropped_window(config, {**given, 0: 0})
    assert reason is not None and "layer 0 has a sliding window of 7" in reason
