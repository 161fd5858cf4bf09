"""Reads a checkpoint's `quantization_config`: which tensors are the parts of a weight, and how to decode them.

`scheme_of` checks the config, and `sizes` checks a layer by its tensors' shapes and dtypes before any of them is read.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor

from torchpaged.errors import ModelError, reason_of
from torchpaged.weights import formats
from torchpaged.weights.formats import Stored
from torchpaged.weights.grouped_weight import GroupedWeight
from torchpaged.weights.packed_experts import GroupedExperts

# Last names of scales of activations and caches, which the kernels and the engine choose themselves.
_NOT_WEIGHTS = (
    *("input_scale", "input_zero_point", "input_global_scale", "activation_scale", "output_scale"),
    *("k_scale", "v_scale"),
)
_FLOAT8 = (torch.float8_e4m3fn, torch.float8_e5m2)

# The parts of one layer, by their last names.
Parts = Mapping[str, Stored]
Read = Callable[[str], Tensor]


class Scheme(Protocol):
    """How the linear layers of a checkpoint are stored."""

    @property
    def name(self) -> str:
        """The name shown to users."""
        ...

    @property
    def parts(self) -> tuple[str, ...]:
        """Last names of the tensors of one weight; the first one marks a quantised weight."""
        ...

    @property
    def whole(self) -> str:
        """Last name of a float weight, in the place of its parts'."""
        ...

    @property
    def runs_as(self) -> str | None:
        """How the values are changed for the kernels; None if they are the file's own."""
        ...

    def sizes(self, parts: Parts, read: Read) -> tuple[int, ...]:
        """Return (out_features, in_features), or (experts, out_features, in_features). Reads at most a shape tensor.

        Raises:
            ModelError: parts that do not fit together.
        """
        ...

    def read(self, parts: Parts, read: Read) -> tuple[GroupedWeight | GroupedExperts, Tensor | None]:
        """Read the weight, and the order of its inputs if they are permuted."""
        ...


def scheme_of(config: Mapping[str, Any]) -> Scheme | None:
    """Make the scheme of a `quantization_config`; None for a method that is left to transformers.

    Raises:
        ModelError: a form of the method that no kernel runs.
    """
    method = str(config.get("quant_method", "")).replace("_", "-")
    known: dict[str, Callable[[Mapping[str, Any]], Scheme | None]] = {
        "gptq": _gptq,
        "awq": _awq,
        "compressed-tensors": _compressed_tensors,
        "fp8": _fp8,
        "fbgemm-fp8": _fp8,
        "bitsandbytes": _bitsandbytes,
        "modelopt": _modelopt,
        "modelopt-fp4": _modelopt,
        "mxfp4": lambda config: None if config.get("dequantize") else Mxfp4(),
    }
    return known[method](config) if method in known else None


@dataclass(frozen=True)
class Gptq:
    """GPTQ: 4 or 8 bits, with groups of inputs in order or scattered (`desc_act`)."""

    bits: int
    group_size: int
    is_v1: bool
    is_scattered: bool
    parts = ("qweight", "qzeros", "scales", "g_idx")
    whole, runs_as = "weight", None

    @property
    def name(self) -> str:
        return f"GPTQ, {self.bits} bits"

    def sizes(self, parts: Parts, read: Read) -> tuple[int, int]:
        if self.is_scattered:
            _part(parts, "g_idx")
        given = (_part(parts, each) for each in self.parts[:3])
        return formats.gptq_sizes(*given, bits=self.bits, group_size=self.group_size)[0]

    def read(self, parts: Parts, read: Read) -> tuple[GroupedWeight, Tensor | None]:
        g_idx = read("g_idx") if "g_idx" in parts else None
        qweight, qzeros, scales = (read(each) for each in self.parts[:3])
        options = {"bits": self.bits, "group_size": self.group_size}
        return formats.gptq(qweight, qzeros, scales, g_idx, **options, is_v1=self.is_v1)


@dataclass(frozen=True)
class Awq:
    """AWQ in its gemm format."""

    group_size: int
    name = "AWQ, 4 bits"
    parts = ("qweight", "qzeros", "scales")
    whole, runs_as = "weight", None

    def sizes(self, parts: Parts, read: Read) -> tuple[int, int]:
        return formats.awq_sizes(*(_part(parts, each) for each in self.parts), group_size=self.group_size)[0]

    def read(self, parts: Parts, read: Read) -> tuple[GroupedWeight, Tensor | None]:
        return formats.awq(*(read(each) for each in self.parts), group_size=self.group_size), None


@dataclass(frozen=True)
class PackQuantized:
    """compressed-tensors' packed weights; `has_zeros`: each layer has zero points."""

    bits: int
    has_zeros: bool
    parts = ("weight_packed", "weight_scale", "weight_shape", "weight_zero_point", "weight_g_idx")
    whole, runs_as = "weight", None

    @property
    def name(self) -> str:
        return f"compressed-tensors, {self.bits} bits"

    def sizes(self, parts: Parts, read: Read) -> tuple[int, int]:
        if len(_part(parts, "weight_packed").shape) != 2:
            raise ModelError(f"weight_packed is {list(parts['weight_packed'].shape)}, expected [outputs, words]")
        outputs, words = parts["weight_packed"].shape
        inputs = words * 32 // self.bits
        formats.groups_of(_part(parts, "weight_scale"), inputs)
        if tuple(_part(parts, "weight_shape").shape) != (2,):
            raise ModelError(f"weight_shape is {list(parts['weight_shape'].shape)}, expected two numbers")
        if self.has_zeros:
            _part(parts, "weight_zero_point")
        return outputs, inputs

    def read(self, parts: Parts, read: Read) -> tuple[GroupedWeight, Tensor | None]:
        outputs, inputs = read("weight_shape").tolist()
        more = (read(each) if each in parts else None for each in self.parts[3:])
        return formats.pack_quantized(
            read("weight_packed"), read("weight_scale"), (outputs, inputs), *more, bits=self.bits
        )


@dataclass(frozen=True)
class IntQuantized:
    """compressed-tensors' weights in int8; `has_zeros`: each layer has zero points."""

    has_zeros: bool
    name = "compressed-tensors, int8"
    parts = ("weight", "weight_scale", "weight_zero_point")
    whole, runs_as = "weight", None

    def sizes(self, parts: Parts, read: Read) -> tuple[int, int]:
        weight = _part(parts, "weight")
        if weight.dtype != torch.int8:
            raise ModelError(f"weight is {weight.dtype}, expected int8")
        if self.has_zeros:
            _part(parts, "weight_zero_point")
        formats.groups_of(_part(parts, "weight_scale"), weight.shape[1])
        return weight.shape[0], weight.shape[1]

    def read(self, parts: Parts, read: Read) -> tuple[GroupedWeight, Tensor | None]:
        zero = read("weight_zero_point") if "weight_zero_point" in parts else None
        return formats.int_quantized(read("weight"), read("weight_scale"), zero), None


@dataclass(frozen=True)
class Fp8:
    """FP8 with scales of blocks, groups, outputs or the whole weight, which becomes 8 bits in groups.

    The scales' tensor has one of two names. Both are factors, `weight_scale_inv` too.
    """

    block: tuple[int, int] | None
    parts = ("weight", "weight_scale", "weight_scale_inv")
    whole, runs_as = "weight", "as 8 bits in groups of 32"

    @property
    def name(self) -> str:
        return "FP8" if self.block is None else f"FP8 in blocks of {self.block[0]} x {self.block[1]}"

    def sizes(self, parts: Parts, read: Read) -> tuple[int, int]:
        name = self._scale(parts)
        weight, scale = _part(parts, "weight"), _part(parts, name)
        if weight.dtype not in _FLOAT8:
            raise ModelError(f"weight is {weight.dtype}, expected a float8 dtype")
        if self.block is not None:
            blocks = [-(-size // each) for size, each in zip(weight.shape, self.block, strict=True)]
            if list(scale.shape) != blocks:
                raise ModelError(f"{name} is {list(scale.shape)}, expected {blocks}, one for each block")
        return weight.shape[0], weight.shape[1]

    def read(self, parts: Parts, read: Read) -> tuple[GroupedWeight, Tensor | None]:
        return formats.eight_bits(formats.fp8_values(read("weight"), read(self._scale(parts)), self.block)), None

    def _scale(self, parts: Parts) -> str:
        return next((name for name in self.parts[1:] if name in parts), self.parts[1])


@dataclass(frozen=True)
class Mxfp4:
    """MXFP4 experts of gpt-oss, with one tensor of codes and one of scales for all experts of a projection."""

    name = "MXFP4"
    parts = ("_blocks", "_scales")
    whole, runs_as = "", None

    def sizes(self, parts: Parts, read: Read) -> tuple[int, ...]:
        return formats.mxfp4_sizes(*(_part(parts, each) for each in self.parts))

    def read(self, parts: Parts, read: Read) -> tuple[GroupedExperts, Tensor | None]:
        sizes = formats.mxfp4_sizes(*(_part(parts, each) for each in self.parts))
        blocks, scales = (read(each) for each in self.parts)
        formats.require_finite(scales)
        return GroupedExperts(sizes, lambda i: formats.mxfp4(blocks[i], scales[i])), None


@dataclass(frozen=True)
class PackedMxfp4:
    """MXFP4 of compressed-tensors, with tensors for each layer."""

    name = "MXFP4"
    parts = ("weight_packed", "weight_scale")
    whole, runs_as = "weight", None

    def sizes(self, parts: Parts, read: Read) -> tuple[int, int]:
        packed, scale = (_part(parts, each) for each in self.parts)
        return formats.fp4_sizes(packed, scale, group_size=32)

    def read(self, parts: Parts, read: Read) -> tuple[GroupedWeight, Tensor | None]:
        packed, scale = (read(each) for each in self.parts)
        return formats.mxfp4(packed.unflatten(1, (-1, 16)), scale), None


@dataclass(frozen=True)
class Nvfp4:
    """NVFP4: four bits, FP8 scales of 16 inputs, and a global scale.

    Args:
        parts: names of codes, scales and global scale.
        divides: whether scales are divided by the global scale.
    """

    parts: tuple[str, str, str]
    divides: bool
    name = "NVFP4"
    whole, runs_as = "weight", None

    def sizes(self, parts: Parts, read: Read) -> tuple[int, int]:
        packed, scale, whole = (_part(parts, each) for each in self.parts)
        if math.prod(whole.shape) != 1:
            raise ModelError(f"{self.parts[2]} is {list(whole.shape)}, expected one number")
        return formats.fp4_sizes(packed, scale, group_size=16)

    def read(self, parts: Parts, read: Read) -> tuple[GroupedWeight, Tensor | None]:
        packed, scale, whole = (read(each) for each in self.parts)
        formats.require_finite(whole)
        return formats.nvfp4(packed, scale, 1 / whole.float() if self.divides else whole), None


@dataclass(frozen=True)
class Nf4:
    """bitsandbytes' NF4, with the largest magnitudes of blocks as floats or quantised themselves."""

    name = "NF4"
    parts = (
        "weight",
        "weight.absmax",
        "weight.quant_map",
        "weight.quant_state.bitsandbytes__nf4",
        "weight.nested_absmax",
        "weight.nested_quant_map",
    )
    whole, runs_as = "weight", "with its 16 values rounded to 8 bits"

    def sizes(self, parts: Parts, read: Read) -> tuple[int, int]:
        for name in self.parts[:4]:
            _part(parts, name)
        quant_map, state = read("weight.quant_map"), self._state(read)
        return formats.nf4_sizes(parts["weight"], parts["weight.absmax"], quant_map, state)

    def read(self, parts: Parts, read: Read) -> tuple[GroupedWeight, Tensor | None]:
        shape, state, absmax = self.sizes(parts, read), self._state(read), read("weight.absmax")
        if absmax.dtype == torch.uint8:
            for name in self.parts[4:]:
                _part(parts, name)
            top, numbers = read("weight.nested_absmax"), read("weight.nested_quant_map")
            absmax = formats.nested_absmax(absmax, top, numbers, state)
        return formats.nf4(read("weight"), absmax, shape, state["blocksize"]), None

    def _state(self, read: Read) -> Mapping[str, Any]:
        try:
            found = json.loads(bytes(read(self.parts[3]).tolist()))
        except (ValueError, TypeError) as error:
            raise ModelError(f"quant_state is not JSON: {reason_of(error)}") from error
        if not isinstance(found, dict):
            raise ModelError(f"quant_state is {found!r:.80}, expected names and values")
        return found


def is_left_out(name: str) -> bool:
    """Tell if a tensor is a scale of activations or caches, which is not read."""
    return name.rpartition(".")[2] in _NOT_WEIGHTS


def _part(parts: Parts, name: str) -> Stored:
    if name not in parts:
        raise ModelError(f"there is no {name}")
    return parts[name]


def _gptq(config: Mapping[str, Any]) -> Scheme:
    form = str(config.get("checkpoint_format") or "gptq")
    if form not in ("gptq", "gptq_v2") or config.get("is_marlin_format"):
        raise _refusal("gptq", "checkpoint_format", form if form != "gptq" else "marlin", "'gptq' or 'gptq_v2'")
    if config.get("dynamic"):
        raise _refusal("gptq", "dynamic", config["dynamic"], "the same bits and groups in all layers")
    bits, size = config.get("bits"), config.get("group_size", 128)
    scattered = bool(config.get("desc_act")) and not config.get("static_groups")
    return Gptq(_bits("gptq", "bits", bits), _size("gptq", "group_size", size), form == "gptq", scattered)


def _awq(config: Mapping[str, Any]) -> Scheme:
    version = str(config.get("version") or "gemm").lower()
    if version != "gemm":
        raise _refusal("awq", "version", version, "'gemm'")
    bits = config.get("bits", config.get("w_bit", 4))
    if bits != 4:
        raise _refusal("awq", "bits", bits, "4")
    return Awq(_size("awq", "group_size", config.get("group_size", config.get("q_group_size", 128))))


def _bitsandbytes(config: Mapping[str, Any]) -> Scheme | None:
    """Make the scheme of NF4; None for other types, which bitsandbytes itself reads."""
    four = config.get("load_in_4bit") or config.get("_load_in_4bit")
    return Nf4() if four and config.get("bnb_4bit_quant_type") == "nf4" else None


def _modelopt(config: Mapping[str, Any]) -> Scheme:
    found = config.get("quant_algo")
    if found == "NVFP4":
        return Nvfp4(("weight", "weight_scale", "weight_scale_2"), divides=False)
    if found == "FP8":
        return Fp8(None)
    raise _refusal("modelopt", "quant_algo", found, "'NVFP4' or 'FP8'")


def _compressed_tensors(config: Mapping[str, Any]) -> Scheme:
    method = "compressed-tensors"
    for name in ("transform_config", "sparsity_config"):
        value = config.get(name)
        if value and not (isinstance(value, Mapping) and value.get("format") == "dense"):
            raise _refusal(method, name, value, "none")
    groups = config.get("config_groups")
    zeros = isinstance(groups, Mapping) and all(map(_has_zeros, groups.values()))
    found: list[Scheme] = []
    for group in groups.values() if isinstance(groups, Mapping) else ():
        weights = group.get("weights") if isinstance(group, Mapping) else None
        if not isinstance(weights, Mapping):
            raise _refusal(method, "config_groups", group, "weights in each group")
        form = group.get("format") or config.get("format")
        if form == "pack-quantized":
            found.append(PackQuantized(_bits(method, "num_bits", weights.get("num_bits")), zeros))
        elif form in ("int-quantized", "naive-quantized") and weights.get("type") == "int":
            if weights.get("num_bits") != 8:
                raise _refusal(method, "num_bits", weights.get("num_bits"), f"8 in format {form!r}")
            found.append(IntQuantized(zeros))
        elif form in ("float-quantized", "naive-quantized") and weights.get("type") == "float":
            block = weights.get("block_structure") if weights.get("strategy") == "block" else None
            found.append(Fp8(None if block is None else _block(method, block)))
        elif form == "nvfp4-pack-quantized":
            found.append(Nvfp4(("weight_packed", "weight_scale", "weight_global_scale"), divides=True))
        elif form == "mxfp4-pack-quantized":
            found.append(PackedMxfp4())
        else:
            known = "pack-quantized, int-quantized, float-quantized, nvfp4-pack-quantized or mxfp4-pack-quantized"
            raise _refusal(method, "format", form, known)
    if not found or any(each != found[0] for each in found):
        raise _refusal(method, "config_groups", [each.name for each in found], "one format in all layers")
    return found[0]


def _has_zeros(group: object) -> bool:
    """Tell if a group of a config has asymmetric weights."""
    weights = group.get("weights") if isinstance(group, Mapping) else None
    return isinstance(weights, Mapping) and weights.get("symmetric") is False


def _fp8(config: Mapping[str, Any]) -> Scheme:
    block = config.get("weight_block_size")
    return Fp8(None if block is None else _block("fp8", block))


def _block(method: str, block: Any) -> tuple[int, int]:
    if not isinstance(block, (list, tuple)) or len(block) != 2 or not all(type(n) is int and n > 0 for n in block):
        raise _refusal(method, "weight_block_size", block, "two sizes")
    return block[0], block[1]


def _bits(method: str, name: str, bits: Any) -> int:
    if bits not in (4, 8):
        raise _refusal(method, name, bits, "4 or 8")
    return int(bits)


def _size(method: str, name: str, size: Any) -> int:
    if type(size) is not int or not (size == -1 or size > 0):
        raise _refusal(method, name, size, "a number of inputs, or -1")
    return size


def _refusal(method: str, name: str, found: object, expected: str) -> ModelError:
    return ModelError(
        f"its weights are quantised ({method}): quantization_config has {name} {found!r:.80}, expected {expected}"
    )
