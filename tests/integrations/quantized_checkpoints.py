"""Tiny quantised checkpoints, packed here by their formats' definitions, with the float values that they encode."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor
from transformers import PreTrainedModel

from tests.weights.test_formats import words
from torchpaged.integrations.checkpoints.torchao import linears_of_layers
from torchpaged.weights.formats import NF4_VALUES

# The parts of a layer, and the float32 weight that they encode.
Packed = tuple[dict[str, Tensor], Tensor]


def _codes(weight: Tensor, size: int, bits: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return (codes, zeros, float16 scales) of groups of neighbours, by rounding."""
    values = weight.unflatten(1, (-1, size))
    low, high = values.amin(-1).clamp(max=0), values.amax(-1).clamp(min=0)
    scale = ((high - low) / (2**bits - 1)).half()
    zero = (-low / scale.float()).round().clamp(1, 2**bits - 1)
    codes = (values / scale.float().unsqueeze(-1) + zero.unsqueeze(-1)).round().clamp(0, 2**bits - 1)
    return codes.flatten(1).long(), zero.long(), scale


def _values(codes: Tensor, zero: Tensor, scale: Tensor) -> Tensor:
    size = codes.shape[1] // zero.shape[1]
    return (codes - zero.repeat_interleave(size, 1)).float() * scale.float().repeat_interleave(size, 1)


def gptq(weight: Tensor, *, bits: int = 4, size: int = 32, scattered: bool = False) -> Packed:
    """Pack as GPTQ v1, which stores zeros less 1. Scattered: groups are of a random order of inputs."""
    inputs = weight.shape[1]
    order = (
        torch.randperm(inputs, generator=torch.Generator().manual_seed(inputs)) if scattered else torch.arange(inputs)
    )
    codes, zero, scale = _codes(weight[:, order], size, bits)
    place = order.argsort()
    parts = {
        "qweight": words(codes[:, place], bits).T,
        "qzeros": words(zero.T - 1, bits),
        "scales": scale.T,
        "g_idx": (place // size).int(),
    }
    return parts, _values(codes, zero, scale)[:, place]


def awq(weight: Tensor) -> Packed:
    codes, zero, scale = _codes(weight, 32, 4)

    def packed(numbers: Tensor) -> Tensor:
        return words(numbers.unflatten(-1, (-1, 8))[..., [0, 2, 4, 6, 1, 3, 5, 7]].flatten(-2), 4)

    return {"qweight": packed(codes.T), "qzeros": packed(zero.T), "scales": scale.T}, _values(codes, zero, scale)


def pack_quantized(weight: Tensor) -> Packed:
    codes, zero, scale = _codes(weight, 32, 4)
    parts = {
        "weight_packed": words(codes, 4),
        "weight_scale": scale,
        "weight_zero_point": words(zero.T, 4).T,
        "weight_shape": torch.tensor(weight.shape),
    }
    return parts, _values(codes, zero, scale)


def int_quantized(weight: Tensor) -> Packed:
    scale = (weight.abs().amax(1, keepdim=True) / 127).bfloat16()
    codes = (weight / scale.float()).round().clamp(-127, 127)
    return {"weight": codes.to(torch.int8), "weight_scale": scale, "input_scale": torch.ones(1)}, codes * scale.float()


def fp8(weight: Tensor) -> Packed:
    """Pack in blocks of 32 x 48."""
    blocks = (-(-weight.shape[0] // 32), -(-weight.shape[1] // 48))
    scale = torch.full(blocks, weight.abs().max().item() / 448) * torch.linspace(1, 2, blocks[0])[:, None]
    wide = scale.repeat_interleave(32, 0)[: weight.shape[0]].repeat_interleave(48, 1)[:, : weight.shape[1]]
    small = (weight / wide).to(torch.float8_e4m3fn)
    return {"weight": small, "weight_scale_inv": scale}, small.float() * wide


def nf4(weight: Tensor, nested: bool = False) -> Packed:
    """Pack by bitsandbytes' formulas, in blocks of 64; nested: largest magnitudes in 8 bits, in blocks of 256."""
    blocks = weight.reshape(-1, 64)
    absmax, state = blocks.abs().amax(1), {"quant_type": "nf4", "blocksize": 64, "shape": list(weight.shape)}
    parts = {"weight.quant_map": torch.tensor(NF4_VALUES)}
    if nested:
        offset, eight = float(absmax.mean()), torch.linspace(-1, 1, 256)
        filled = torch.nn.functional.pad(absmax - offset, (0, -len(absmax) % 256)).view(-1, 256)
        top = filled.abs().amax(1)
        codes = (filled / top[:, None]).unsqueeze(-1).sub(eight).abs().argmin(-1)
        absmax = (eight[codes] * top[:, None]).flatten()[: len(absmax)] + offset
        state |= {"nested_blocksize": 256, "nested_dtype": "float32", "nested_offset": offset}
        parts |= {"weight.absmax": codes.flatten()[: len(absmax)].to(torch.uint8), "weight.nested_absmax": top}
        parts["weight.nested_quant_map"] = eight
    else:
        parts["weight.absmax"] = absmax
    table = torch.tensor(NF4_VALUES)
    codes = (blocks / absmax[:, None]).unsqueeze(-1).sub(table).abs().argmin(-1)
    bytes_ = codes.flatten().to(torch.uint8).view(-1, 2)
    parts["weight"] = (bytes_[:, 0] << 4 | bytes_[:, 1]).unsqueeze(1)
    said = json.dumps(state).encode()
    parts["weight.quant_state.bitsandbytes__nf4"] = torch.tensor(list(said), dtype=torch.uint8)
    return parts, (table[codes] * absmax[:, None]).view(weight.shape)


def _e2m1(weight: Tensor, scale: Tensor) -> tuple[Tensor, Tensor]:
    """Return (two codes in a byte, values) of groups with these scales."""
    table = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    table = torch.cat((table, -table))
    wide = scale.repeat_interleave(weight.shape[1] // scale.shape[1], 1)
    codes = (weight / wide).unsqueeze(-1).sub(table).abs().argmin(-1)
    return (codes[:, 0::2] | codes[:, 1::2] << 4).to(torch.uint8), table[codes] * wide


def nvfp4(weight: Tensor, modelopt: bool = False) -> Packed:
    largest = weight.unflatten(1, (-1, 16)).abs().amax(-1)
    whole = 6 * 448 / largest.max()
    scale = (largest / 6 * whole).clamp(min=2**-9).to(torch.float8_e4m3fn)
    packed, values = _e2m1(weight, scale.float() / whole)
    if modelopt:
        named = {"weight": packed, "weight_scale_2": 1 / whole, "input_scale": torch.ones(())}
    else:
        named = {"weight_packed": packed, "weight_global_scale": whole.reshape(1), "input_global_scale": torch.ones(1)}
    return {**named, "weight_scale": scale}, values


def mxfp4(weight: Tensor) -> Packed:
    exponent = weight.unflatten(1, (-1, 32)).abs().amax(-1).log2().floor() - 2
    packed, values = _e2m1(weight, exponent.exp2())
    return {"weight_packed": packed, "weight_scale": (exponent + 127).to(torch.uint8)}, values


def fp8_whole(weight: Tensor) -> Packed:
    scale = weight.abs().max() / 448
    small = (weight / scale).to(torch.float8_e4m3fn)
    return {"weight": small, "weight_scale": scale, "input_scale": torch.ones(())}, small.float() * scale


def _compressed(form: str, weights: dict[str, Any]) -> dict[str, Any]:
    groups = {"group_0": {"targets": ["Linear"], "weights": weights}}
    return {"quant_method": "compressed-tensors", "format": form, "config_groups": groups, "ignore": ["lm_head"]}


FORMATS: dict[str, tuple[Callable[[Tensor], Packed], dict[str, Any]]] = {
    "gptq": (gptq, {"quant_method": "gptq", "bits": 4, "group_size": 32, "desc_act": False}),
    "gptq-8": (lambda w: gptq(w, bits=8), {"quant_method": "gptq", "bits": 8, "group_size": 32}),
    "gptq-desc_act": (
        lambda w: gptq(w, scattered=True),
        {"quant_method": "gptq", "bits": 4, "group_size": 32, "desc_act": True},
    ),
    "awq": (awq, {"quant_method": "awq", "bits": 4, "group_size": 32, "version": "gemm", "zero_point": True}),
    "pack-quantized": (pack_quantized, _compressed("pack-quantized", {"num_bits": 4, "type": "int"})),
    "int-quantized": (int_quantized, _compressed("int-quantized", {"num_bits": 8, "type": "int"})),
    "nf4": (nf4, {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}),
    "nf4-nested": (
        lambda w: nf4(w, nested=True),
        {"quant_method": "bitsandbytes", "_load_in_4bit": True, "bnb_4bit_quant_type": "nf4"},
    ),
    "fp8": (fp8, {"quant_method": "fp8", "weight_block_size": [32, 48]}),
    "fp8-modelopt": (fp8_whole, {"quant_method": "modelopt", "quant_algo": "FP8"}),
    "mxfp4-pack-quantized": (
        mxfp4,
        _compressed("mxfp4-pack-quantized", {"num_bits": 4, "type": "float", "group_size": 32}),
    ),
    "nvfp4-pack-quantized": (
        nvfp4,
        _compressed("nvfp4-pack-quantized", {"num_bits": 4, "type": "float", "group_size": 16}),
    ),
    "nvfp4-modelopt": (lambda w: nvfp4(w, modelopt=True), {"quant_method": "modelopt", "quant_algo": "NVFP4"}),
    "nvfp4-modelopt-fp4": (lambda w: nvfp4(w, modelopt=True), {"quant_method": "modelopt_fp4", "quant_algo": "NVFP4"}),
}


def save(model: PreTrainedModel, folder: Path, kind: str, **changes: Any) -> PreTrainedModel:
    """Writes the model as a checkpoint of a kind, and gives its weights the values that are in it."""
    pack, said = FORMATS[kind]
    return save_as(model, folder, pack, {**said, **changes})


def save_as(
    model: PreTrainedModel, folder: Path, pack: Callable[[Tensor], Packed], said: dict[str, Any]
) -> PreTrainedModel:
    """Save like `save`, with layers that a function packs and a separate config."""
    state = {name: value.clone() for name, value in model.state_dict().items()}
    if model.config.tie_word_embeddings:
        del state["lm_head.weight"]
    for path, linear in linears_of_layers(model).items():
        del state[f"{path}.weight"]
        parts, values = pack(linear.weight.data)
        state |= {f"{path}.{name}": part.contiguous() for name, part in parts.items()}
        linear.weight.data = values
    write(model, state, said, folder)
    return model


def write(model: PreTrainedModel, state: dict[str, Tensor], said: dict[str, Any], folder: Path) -> None:
    """Write tensors, and the model's config with its quantisation settings."""
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    config = {**json.loads(model.config.to_json_string(use_diff=False)), "quantization_config": said}
    config["architectures"] = [type(model).__name__]
    (folder / "config.json").write_text(json.dumps(config))
