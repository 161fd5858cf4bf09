"""Quantised experts of mixtures: values from files and from rounding; a forward equal to transformers'."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from tests import models
from tests.integrations.gguf_files import Kind, quantised, read_model, write
from torchpaged import LLM, SamplingParams
from torchpaged.errors import ConfigError
from torchpaged.integrations.checkpoints.expert_modules import (
    ExpertsForward,
    experts_of_layers,
    experts_weight,
    holds_experts,
    projections,
    put_experts,
)
from torchpaged.integrations.checkpoints.int4 import round_layers
from torchpaged.ops.linear_reference import dequantize_grouped
from torchpaged.weights.gguf_file import Gguf
from torchpaged.weights.grouped_weight import GroupedWeight
from torchpaged.weights.packed_experts import GroupedExperts, PackedExperts, alike, joined
from torchpaged.weights.packed_linear import PackedLinear

FEW = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "decoder_sparse_step": 1}
KINDS: dict[str, dict[str, Any]] = {
    "qwen3_moe": FEW,
    "mixtral": {"num_local_experts": 4},
    "qwen2_moe": FEW,
    # Both keep [experts, in, out]; the former with biases, and gates and ups in turn.
    "gpt_oss": {"num_local_experts": 4, "num_experts_per_tok": 2},
    "aria_text": {"moe_num_experts": 4, "moe_topk": 2},
}


def tiny(kind: str = "qwen3_moe", **overrides: Any) -> Any:
    return models.build(kind, **{"num_hidden_layers": 2, **KINDS[kind], **overrides})


def rows_of(*shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(1))


def grouped(seed: int = 0, **parts: Any) -> GroupedWeight:
    g = torch.Generator().manual_seed(seed)
    codes = torch.randint(16, (40, 64), generator=g).to(torch.uint8)
    return GroupedWeight(codes, 4, 32, torch.rand(40, 2, generator=g).half() / 16, **parts)


def values(packed: PackedExperts) -> Tensor:
    assert packed.format is not None
    every = torch.arange(packed.out_features)
    return torch.stack(
        [dequantize_grouped(each, packed.format, packed.in_features, every) for each in packed.packed_weight]
    )


@pytest.mark.parametrize("kind", ["qwen3_moe", "mixtral", "gpt_oss", "aria_text"])
def test_the_forward_is_transformers(kind: str) -> None:
    """With packed floats: only the order of sums differs."""
    model = tiny(kind)
    found = experts_of_layers(model)
    assert len(found) == 2
    path, own = next(iter(found.items()))
    hidden, chosen = rows_of(7, model.config.hidden_size), torch.randint(4, (7, 2))
    if own.has_bias:
        own.gate_up_proj_bias.data.normal_()
        own.down_proj_bias.data.normal_()
        own.limit = 0.5  # some are clamped
    weights = torch.rand(7, 2)
    with torch.inference_mode():
        expected = own(hidden, chosen, weights)
        put_experts(model, path, {})
        packed = model.get_submodule(path)
        assert type(packed) is ExpertsForward and own.gate_up_proj is None and not holds_experts(own)
        torch.testing.assert_close(packed(hidden, chosen, weights), expected)
        one = packed(hidden[3:4], chosen[3:4], weights[3:4])
        assert torch.equal(one, packed(hidden, chosen, weights)[3:4]), "a row's bits are its own"


@pytest.mark.parametrize("normed", [True, None])
def test_biases_and_what_has_no_gate(normed: bool | None) -> None:
    class Own(torch.nn.Module):
        num_experts, has_gate, has_bias, is_transposed = 3, False, True, False
        if normed is not None:  # transformers 5.17 has no word for it
            has_post_expert_norm = normed

        def __init__(self) -> None:
            super().__init__()
            self.up_proj = torch.nn.Parameter(rows_of(3, 8, 6))
            self.down_proj = torch.nn.Parameter(rows_of(3, 6, 8))
            self.up_proj_bias = torch.nn.Parameter(rows_of(3, 8))
            self.down_proj_bias = torch.nn.Parameter(rows_of(3, 6))
            self.act_fn, self.post_expert_norm = torch.nn.ReLU(), torch.nn.Tanh()

    own = Own()
    hidden, chosen, weights = rows_of(5, 6), torch.tensor([[0, 2], [1, 1], [2, 0], [0, 1], [2, 1]]), torch.rand(5, 2)
    expected = torch.zeros(5, 6)
    with torch.inference_mode():
        for i, k in ((i, k) for i in range(5) for k in range(2)):
            e = int(chosen[i, k])
            up = (own.up_proj[e] @ hidden[i] + own.up_proj_bias[e]).relu()
            down = own.down_proj[e] @ up + own.down_proj_bias[e]
            expected[i] += (down.tanh() if normed else down) * weights[i, k]
        model = torch.nn.Sequential(own)
        assert holds_experts(own)
        put_experts(model, "0", {})
        torch.testing.assert_close(model[0](hidden, chosen, weights), expected)
    own.down_proj = None
    assert not holds_experts(own)


@pytest.mark.parametrize("case", ["one form", "some zeros", "large steps"])
def test_packed_experts_have_the_values_of_each(case: str) -> None:
    weights = [grouped(seed) for seed in range(3)]
    if case == "some zeros":
        weights[1] = grouped(1, zero=torch.randint(16, (40, 2)).to(torch.uint8))
    if case == "large steps":
        steps = [torch.full((40, 2), size, dtype=torch.uint8) for size in (3, 200, 5)]
        weights = [
            GroupedWeight(each.codes, 4, 32, each.scale, scale_steps=step)
            for each, step in zip(weights, steps, strict=True)
        ]
    packed = PackedExperts.from_grouped(GroupedExperts((len(weights), 40, 64), weights.__getitem__))
    assert torch.equal(values(packed), torch.stack([each.dequantize() for each in weights]))
    x, experts = rows_of(6, 64), torch.tensor([1, 0, 1, 1, 0, 9])
    out = packed(x, experts)
    if case == "one form":
        for row, expert in enumerate(experts.tolist()[:5]):
            assert torch.equal(out[row], PackedLinear.from_grouped(weights[expert])(x[row]))
    assert not out[5].any() and "3 x (in_features=64" in repr(packed)


def test_experts_of_several_group_sizes_are_refused() -> None:
    other = GroupedWeight(torch.zeros(40, 64, dtype=torch.uint8), 4, 64, torch.ones(40, 1).half())
    weights = [grouped(), other]
    with pytest.raises(ValueError, match=r"PackedExperts: expert 1 is .*, expected .* as those before it"):
        PackedExperts.from_grouped(GroupedExperts((2, 40, 64), weights.__getitem__))


def test_outputs_are_joined_where_parts_are_alike() -> None:
    a, b, zero = grouped(0), grouped(1), grouped(2, zero=torch.zeros(40, 2, dtype=torch.uint8))
    assert alike([a, b]) and not alike([a, zero])
    assert torch.equal(joined([a, b]).dequantize(), torch.cat([a.dequantize(), b.dequantize()]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["int4", pytest.param("int4-hq", marks=pytest.mark.long)])
def test_a_mixture_in_four_bits(name: str, kind: str) -> None:
    """Each expert is close to the original, and closer than with rounding that ignores its inputs."""
    plain, model = tiny(kind), tiny(kind)
    llm = LLM(model, num_blocks=60, block_size=4, max_num_batched_tokens=64)
    done = llm.quantize(name)
    found = experts_of_layers(plain)
    assert found and not experts_of_layers(model) and done.num_skipped == 0
    for path, own in found.items():
        packed: Any = model.get_submodule(path)
        for part, name in zip((packed.up, packed.down), projections(own), strict=True):
            weight = experts_weight(own, name)
            error = (values(part) - weight).flatten(1).norm(dim=1) / weight.flatten(1).norm(dim=1)
            assert (error < 0.16).all() and part.format.bits == 4
    params = SamplingParams(temperature=0, max_tokens=4)
    prompts = models.prompts([5, 9])
    alone = [llm.generate([each], params, use_tqdm=False)[0].outputs[0].token_ids for each in prompts]
    assert [each.outputs[0].token_ids for each in llm.generate(prompts, params, use_tqdm=False)] == alone


def test_experts_are_rounded_for_their_own_tokens() -> None:
    """The model itself is unchanged, also if an expert has no token at all."""
    model = tiny()
    before = {name: each.clone() for name, each in model.state_dict().items()}
    ids = torch.tensor(models.prompts([40, 40]))
    told: list[str] = []
    ours, blind = round_layers(model, "int4", ids, told.append), round_layers(model, "int4", None)
    assert set(told) == set(ours) == set(blind)
    name = "model.layers.0.mlp.experts.2.gate_up_proj"
    assert not torch.equal(ours[name].dequantize(), blind[name].dequantize())
    assert all(torch.equal(each, before[name]) for name, each in model.state_dict().items())
    assert all("forward" not in vars(each) for each in model.modules())


def test_sizes_that_no_group_divides() -> None:
    llm = LLM(tiny(moe_intermediate_size=40), num_blocks=8)
    with pytest.raises(ConfigError, match=r"mlp.experts.down_proj has 40 inputs, expected a multiple of 16"):
        llm.quantize("int4")


@pytest.mark.parametrize(
    ("kind", "model_type"),
    [(Kind.Q8_0, "qwen3_moe"), (Kind.Q4_0, "qwen3_moe"), (Kind.Q4_1, "qwen3_moe"), (Kind.MXFP4, "gpt_oss")],
)
def test_a_file_s_experts_stay_as_they_are(kind: Kind, model_type: str, tmp_path: Path) -> None:
    model = tiny(model_type, initializer_range=0.1)
    file = Gguf(write(model, tmp_path / "m.gguf", kind))
    found, wanted = read_model(file, "float32"), quantised(model, kind)
    for path, own in experts_of_layers(wanted).items():
        packed: Any = found.get_submodule(path)
        for name, part in zip(projections(own), (packed.up, packed.down), strict=True):
            assert torch.equal(values(part), experts_weight(own, name))
    ids = torch.tensor(models.prompts([24])).view(-1, 1)  # a token each: one that goes elsewhere changes no others
    with torch.inference_mode():
        a, b = wanted(ids).logits, found(ids).logits
    assert ((a - b).norm(dim=-1) / a.norm(dim=-1)).median() <= 0.1
