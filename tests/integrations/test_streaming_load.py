"""`streaming_load`: a model built without weights and filled from a source equals the model of the weights."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from transformers import AutoModelForCausalLM, LlamaConfig, PreTrainedModel
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

from tests.models import build
from torchpaged.errors import ModelError
from torchpaged.integrations.checkpoints.streaming_load import (
    BuildsWithoutDynamo,
    ScaledRows,
    expanded,
    fill,
    without_weights,
)
from torchpaged.integrations.transformers import adapter
from torchpaged.weights.grouped_weight import GroupedWeight
from torchpaged.weights.packed_linear import PackedEmbedding, PackedLinear

IDS = torch.arange(1, 20)[None]


class Weights:
    """A state dictionary as a source, which notes what is read."""

    def __init__(self, weights: Mapping[str, Tensor | GroupedWeight]) -> None:
        self.weights, self.read_names = dict(weights), list[str]()

    def names(self) -> Collection[str]:
        return self.weights

    def read(self, name: str) -> Tensor | GroupedWeight:
        self.read_names.append(name)
        return self.weights[name]


def _state(model: PreTrainedModel) -> dict[str, Tensor]:
    """Return the state without tied weights."""
    names: dict[int, str] = {}
    for name, tensor in model.state_dict(keep_vars=True).items():
        names.setdefault(id(tensor), name)
    return {name: model.state_dict()[name] for name in names.values()}


def _made(model: PreTrainedModel, dtype: torch.dtype = torch.float32) -> PreTrainedModel:
    with without_weights():
        return AutoModelForCausalLM.from_config(model.config, dtype=dtype, attn_implementation="eager").eval()


def _eight_bits(weight: Tensor) -> GroupedWeight:
    codes = torch.randint(256, weight.shape, generator=torch.Generator().manual_seed(0)).to(torch.uint8)
    return GroupedWeight(codes, 8, 16, torch.full((weight.shape[0], weight.shape[1] // 16), 0.01))


def test_layers_are_made_without_memory() -> None:
    """Otherwise each would be allocated and freed, and others would wait for the system."""
    with without_weights():
        layers = nn.Linear(1 << 30, 1 << 20), nn.Embedding(1 << 30, 1 << 20)
        there = nn.Linear(2, 2, device="cpu")
    assert all(each.is_meta for layer in (*layers, there) for each in layer.parameters())
    assert not nn.Linear(2, 2).weight.is_meta


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("kind", ["llama", "gemma3_text", "gpt2", "qwen3_moe", "lfm2", "opt"])
def test_a_filled_model_is_the_one_that_its_weights_are_of(kind: str, tied: bool) -> None:
    few = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32} if kind == "qwen3_moe" else {}
    model = build(kind, tie_word_embeddings=tied, **few)
    empty = _made(model)
    assert all(each.is_meta for each in empty.parameters()), "no memory before it is filled"
    source = Weights(_state(model))
    fill(empty, source, name="m", packs=False)
    with torch.inference_mode():
        assert torch.equal(empty(IDS).logits, model(IDS).logits)
    assert len(source.read_names) == len(set(source.read_names)), "each weight is read once"
    assert empty.get_output_embeddings().weight.data_ptr() != 0
    assert (empty.get_input_embeddings().weight is empty.get_output_embeddings().weight) is tied


def test_weights_get_the_dtype_of_the_model() -> None:
    model = build("llama")
    filled = _made(model, torch.bfloat16)
    fill(filled, Weights(_state(model)), name="m", packs=False)
    assert {each.dtype for each in filled.parameters()} == {torch.bfloat16}
    assert filled.model.rotary_emb.inv_freq.dtype == torch.float32


def test_grouped_weights_without_kernels_are_expanded() -> None:
    model = build("llama")
    state: dict[str, Tensor | GroupedWeight] = dict(_state(model))
    names = ["model.layers.1.mlp.up_proj.weight", "model.embed_tokens.weight"]
    for name in names:
        state[name] = _eight_bits(model.state_dict()[name])
        model.get_submodule(name.removesuffix(".weight")).weight.data = state[name].dequantize()
    filled = _made(model)
    done = fill(filled, Weights(state), name="m", packs=False)
    assert sorted(done.expanded) == sorted(names) and done.packed == []
    with torch.inference_mode():
        assert torch.equal(filled(IDS).logits, model(IDS).logits)


@pytest.mark.parametrize("kind", ["llama", "gemma3_text", "gpt2"])
def test_grouped_weights_run_as_they_are(kind: str) -> None:
    """Activations are rounded to 8 bits: a few percent of the logits at most."""
    model = build(kind, tie_word_embeddings=True, initializer_range=0.05)
    state: dict[str, Tensor | GroupedWeight] = dict(_state(model))
    grouped = [
        name for name, each in state.items() if isinstance(each, Tensor) and each.dim() == 2 and "wpe" not in name
    ]
    for name in grouped:
        weight = model.state_dict()[name]
        columns = ".c_" in name
        state[name] = found = _rounded(weight.T if columns else weight)
        weight.copy_(found.dequantize().T if columns else found.dequantize())
    filled = _made(model)
    done = fill(filled, Weights(state), name="m", packs=True)
    assert done.expanded == [] and len(done.packed) == len(grouped) + 1, "the head too"
    modules = dict(filled.named_modules())
    assert all(isinstance(modules[name], (PackedLinear, PackedEmbedding, ScaledRows)) for name in done.packed)
    head, rows = filled.get_output_embeddings(), filled.get_input_embeddings()
    rows = rows.rows if isinstance(rows, ScaledRows) else rows
    assert head.packed_weight.data_ptr() == rows.packed_weight.data_ptr(), "one copy"
    with torch.inference_mode():
        expected = model(IDS).logits
        assert (filled(IDS).logits - expected).norm() < 0.05 * expected.norm()


def _rounded(weight: Tensor) -> GroupedWeight:
    """Return a weight in 8 bits, by groups of 16."""
    groups = weight.unflatten(1, (-1, 16))
    scale = (groups.abs().amax(-1) / 127).clamp(min=1e-6)
    codes = (groups / scale.unsqueeze(-1)).round().add(128).to(torch.uint8)
    return GroupedWeight(codes.flatten(1), 8, 16, scale)


def test_expanding_by_rows_is_expanding_at_once() -> None:
    weight = _eight_bits(torch.empty(8192 * 2 + 5, 16))
    assert torch.equal(expanded(weight, torch.float32), weight.dequantize())
    assert torch.equal(expanded(weight, torch.bfloat16), weight.dequantize().bfloat16())


FAULTS: dict[str, tuple[Callable[[dict[str, Tensor]], object], str]] = {
    "missing": (lambda state: state.pop("model.norm.weight"), "1 weights are missing in it, model.norm.weight"),
    "unknown": (
        lambda state: state.update({"model.layers.0.self_attn.q_proj.bias": torch.zeros(64)}),
        "1 of its weights are unknown to LlamaForCausalLM, model.layers.0.self_attn.q_proj.bias",
    ),
    "shape": (
        lambda state: state.update({"lm_head.weight": torch.zeros(128, 63)}),
        r"lm_head.weight has shape \(128, 63\), expected \(128, 64\)",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_does_not_fit_is_an_error(fault: str) -> None:
    model = build("llama")
    state = _state(model)
    change, message = FAULTS[fault]
    change(state)
    with pytest.raises(ModelError, match=message):
        fill(_made(model), Weights(state), name="m", packs=False)


def test_other_threads_make_modules_as_ever() -> None:
    made: list[nn.Linear] = []
    with without_weights():
        thread = threading.Thread(target=lambda: made.append(nn.Linear(2, 2)))
        thread.start()
        thread.join()
        assert nn.Linear(2, 2).weight.is_meta
    assert not made[0].weight.is_meta and not nn.Linear(2, 2).weight.is_meta


def test_two_threads_leave_what_they_have_found() -> None:
    """The second thread waits: otherwise it would restore the first one's patches."""
    found = nn.Module.register_parameter, PreTrainedModel._initialize_weights
    inside, left = threading.Event(), threading.Event()

    def second() -> None:
        inside.wait()
        with without_weights():
            left.wait()

    thread = threading.Thread(target=second)
    thread.start()
    with without_weights():
        inside.set()
        thread.join(0.05)
    left.set()
    thread.join()
    assert (nn.Module.register_parameter, PreTrainedModel._initialize_weights) == found


def test_models_on_meta_are_built_without_dynamo() -> None:
    """Shapes and dtypes are those of torch; a range and what is made of it have values, until they meet meta."""
    with BuildsWithoutDynamo(), torch.device("meta"):
        rows = nn.Embedding(7, 4)
        steps = torch.arange(0, 8, 2, dtype=torch.float) / 8
        met = steps * rows.weight
        other = torch.cat([rows.weight[0], steps])
        plain = torch.ones(3)
    assert rows.weight.is_meta and plain.is_meta and not steps.is_meta and steps.tolist() == [0, 0.25, 0.5, 0.75]
    assert met.is_meta and met.shape == (7, 4) and other.is_meta and other.shape == (8,)
    with BuildsWithoutDynamo():
        assert torch.arange(3).tolist() == [0, 1, 2] and nn.init.normal_(torch.zeros(4)).any()
        with pytest.raises(NotImplementedError, match="meta"):
            torch.zeros(4).copy_(met[0])
        with pytest.raises(RuntimeError, match="size"):
            torch.ones(3) + torch.ones(4)


def test_a_model_that_needs_dynamo_is_built_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build("llama").save_pretrained(tmp_path)
    own = LlamaRotaryEmbedding.__init__

    def initialize(module: LlamaRotaryEmbedding, config: LlamaConfig) -> None:
        own(module, config)
        if torch.ones(4).is_meta and not torch.arange(4).is_meta:
            raise RuntimeError("Tensor on device meta is not on the expected device cpu!")

    monkeypatch.setattr(LlamaRotaryEmbedding, "__init__", initialize)
    model = adapter.load(str(tmp_path))
    assert model.model.model.rotary_emb.inv_freq[0] == 1
