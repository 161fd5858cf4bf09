"""Quantises the engine's models with torchao's `quantize_`, and explains what it cannot quantise.

Only linear modules of layers are quantised (`nn.Linear` in a numbered list of modules). Other weights stay as they are,
such as the experts of a mixture, and embedding and head, which are often one tensor.

On the CPU, if the C++ library runs, torchao's "int8" and "int8-dynamic" weights are packed for the library's kernels,
which quantise activations too; and so is the head, whose rows a tied embedding then reads: it is much of what a decode
step of a small model reads. A config of torchao's own keeps torchao's kernels, and the float head.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

import torch
from torch import nn

from torchpaged.config import QUANTIZATIONS
from torchpaged.errors import ConfigError, reason_of
from torchpaged.integrations.checkpoints.fingerprint import plain_tensors
from torchpaged.integrations.checkpoints.tensor_parallel import Gathered
from torchpaged.integrations.families import EMBEDDER_TYPES, MEDIA
from torchpaged.ops import active_backend
from torchpaged.utils import quiet
from torchpaged.weights.grouped_weight import GROUP_SIZES
from torchpaged.weights.packed_linear import PackedEmbedding, PackedLinear

# Group sizes of torch's int4 kernels, largest first. A group size must divide every row.
_INT4_GROUPS = (128, 64, 32)
# Modules whose weight is used without calling them: by `mla`, half by half, by Mamba's selective scan, and by LongCat's
# router.
READ_ELSEWHERE = ("kv_b_proj", "dt_proj", "classifier")
# Subclasses of nn.Linear whose own forward is the same product. Others do more, such as routers that choose experts.
_SAME_PRODUCT = ("FalconLinear",)


@dataclass(frozen=True, slots=True)
class QuantizedWeights:
    """The result of `quantize`: numbers of linear modules, and bytes of all the model's parameters and buffers."""

    num_modules: int
    num_skipped: int  # modules that torchao leaves as they are because of their shape
    bytes_before: int
    bytes_after: int


def quantize(module: nn.Module, config: Any) -> QuantizedWeights:
    """Quantise a model's weights in place. One module of each kind is tried first, so that it succeeds or does nothing.

    Args:
        module: a transformers model, or another with numbered layers.
        config: one of `QUANTIZATIONS`, or any config of torchao.

    Raises:
        ConfigError: torchao is missing, an unknown name, a model without linear modules or one that is quantised
            already, or what torchao cannot do on this device, data type or shape.
    """
    try:
        with quiet.importing_torchao():
            from torchao.core.config import AOBaseConfig
            from torchao.quantization import FqnToConfig, quantize_
    except ImportError as error:
        raise ConfigError(
            f"quantization is {_name(config)}, which needs torchao ({error}): pip install 'torchao>=0.18'"
        ) from error
    if not isinstance(config, (str, AOBaseConfig)):
        raise ConfigError(
            f"quantize: config is {config!r:.80}, expected one of {', '.join(QUANTIZATIONS)} or a config of torchao"
        )
    linears = linears_of_layers(module)
    if isinstance(config, FqnToConfig):  # it names its modules itself
        linears = {name: each for name, each in module.named_modules() if isinstance(each, nn.Linear)}
    require_plain(linears, module, config)
    ao_config = _config(config, linears) if isinstance(config, str) else config

    def run(root: nn.Module) -> None:
        if isinstance(ao_config, FqnToConfig):
            quantize_(root, ao_config, filter_fn=None)
        else:
            quantize_(root, ao_config, filter_fn=lambda _, name: name in linears)

    with torch.no_grad():
        _try(run, linears, config)
        before = num_bytes(module)
        for name, each in linears.items():
            linears[name] = _plain(each)
            module.set_submodule(name, linears[name])
        try:
            run(module)
        except Exception as error:  # a config that names modules which it cannot quantise
            raise ConfigError(
                f"quantization is {_name(config)}: torchao failed part of the way ({reason_of(error)}); "
                "load the model anew"
            ) from error
        if isinstance(config, str) and config.startswith("int8") and _has_kernels(linears):
            _pack(module, linears)
            linears |= pack_head(module)
    changed = sum(_is_changed(each, module.get_submodule(name)) for name, each in linears.items())
    return QuantizedWeights(changed, len(linears) - changed, before, num_bytes(module))


def int8_of(linear: nn.Linear) -> tuple[torch.Tensor, torch.Tensor]:
    """Quantise a copy of a layer with "int8".

    Returns:
        (int8 [out, in], scale [out]).

    Raises:
        ConfigError: torchao is missing.
    """
    try:
        with quiet.importing_torchao():
            from torchao.quantization import quantize_
    except ImportError as error:
        raise ConfigError(
            f"quantization is 'int8', which needs torchao ({error}): pip install 'torchao>=0.18'"
        ) from error
    copied = nn.Sequential(copy.deepcopy(linear))
    quantize_(copied, _config("int8", {"": linear}))
    weight: Any = copied[0].weight.data
    return weight.qdata, weight.scale.flatten()


def _has_kernels(linears: Mapping[str, nn.Linear]) -> bool:
    """Tell if the C++ library has int8 kernels for the device of these modules."""
    device = next(iter(linears.values())).weight.device.type
    return device == "cpu" and active_backend("packed_linear", "cpu") == "cpp"


def _pack(module: nn.Module, linears: Mapping[str, nn.Linear]) -> None:
    """Replace torchao's int8 layers by the library's."""
    for name, linear in linears.items():
        weight: Any = linear.weight.data
        module.set_submodule(name, PackedLinear(weight.qdata, linear.bias, weight.scale.flatten(), weight.dtype))


def pack_head(module: nn.Module) -> dict[str, nn.Linear]:
    """Pack the head in int8, and let embeddings that are tied to it read its rows.

    An embedding that does more than look rows up, as Gemma's does, keeps the float table.

    Returns:
        the original head by each of its names.
    """
    head: Any = getattr(module, "get_output_embeddings", lambda: None)()
    head = head.inner if isinstance(head, Gathered) else head
    if type(head) is not nn.Linear or _is_quantised(head):
        return {}
    packed, weight = PackedLinear.from_linear(head, torch.int8), head.weight
    found: dict[str, nn.Linear] = {}
    for name, each in list(module.named_modules(remove_duplicate=False)):
        if each is head:
            found[name] = head
            module.set_submodule(name, packed)
        elif type(each) is nn.Embedding and each.weight is weight:
            module.set_submodule(name, PackedEmbedding(packed, weight.dtype))
    return found


def linears_of_layers(module: nn.Module) -> dict[str, nn.Linear]:
    """Find the linear modules of the layers that are quantised, by name.

    Left out are towers that read images or sounds, `READ_ELSEWHERE`, subclasses that do more, modules with so few
    inputs that the scales would be most of the weight (Gemma 3n mixes its streams by 4 x 4 weights), and those with one
    output, which gate shared experts (Qwen2-MoE): vLLM keeps them float.
    """
    decoder = _decoder_of(module)
    return {
        name: each
        for name, each in module.named_modules()
        if is_product(each)
        and name.startswith(decoder)
        and each.in_features >= GROUP_SIZES[0]
        and each.out_features > 1
        and any(part.isdigit() for part in name.split("."))
        and name.rpartition(".")[2] not in READ_ELSEWHERE
    }


def _decoder_of(module: nn.Module) -> str:
    """Return the beginning of the names of the text part's modules in a model that reads images or sounds, else ""."""
    kind = getattr(getattr(module, "config", None), "model_type", None)
    if kind not in MEDIA and kind not in EMBEDDER_TYPES:
        return ""
    decoder = module.get_decoder()  # type: ignore[operator]
    return next(f"{name}." for name, each in module.named_modules() if each is decoder)


def is_product(module: nn.Module) -> TypeGuard[nn.Linear]:
    """Tell if a module is a plain linear layer, which a packed one can replace."""
    own = type(module)
    return isinstance(module, nn.Linear) and (own.forward is nn.Linear.forward or own.__name__ in _SAME_PRODUCT)


def _plain(linear: nn.Linear) -> nn.Linear:
    """Return a layer as an nn.Linear that shares its weights: torchao's weights support that class only."""
    if type(linear).__name__ not in _SAME_PRODUCT:
        return linear
    plain = nn.Linear(linear.in_features, linear.out_features, linear.bias is not None, device="meta")
    plain.weight, plain.bias = linear.weight, linear.bias
    return plain.train(linear.training)


def require_plain(linears: Mapping[str, nn.Linear], module: nn.Module, config: Any) -> None:
    """Raise ConfigError if there are no linear modules, or one is quantised already."""
    for name, each in module.named_modules():
        if isinstance(each, PackedLinear):
            raise ConfigError(
                f"quantization is {_name(config)}, but {name} is quantised already; load a model of floats"
            )
    if not linears:
        raise ConfigError(
            f"quantization is {_name(config)}, but the layers of {type(module).__name__} have no nn.Linear modules"
        )
    for name, linear in linears.items():
        if _is_quantised(linear):
            kind = type(linear.weight.data).__name__
            raise ConfigError(
                f"quantization is {_name(config)}, but {name} is quantised already ({kind}); load a model of floats"
            )


def _is_quantised(linear: nn.Module) -> bool:
    return hasattr(linear.weight.data, "__tensor_flatten__")


def _is_changed(before: nn.Linear, after: nn.Module) -> bool:
    """Tell if torchao has replaced a linear module or its weight."""
    return after is not before or _is_quantised(after)


def _config(name: str, linears: Mapping[str, nn.Linear]) -> Any:
    """Make torchao's config for a name, without inductor's options: these would hold for the whole process."""
    from torchao.quantization import Int4WeightOnlyConfig, Int8DynamicActivationInt8WeightConfig, Int8WeightOnlyConfig

    if name == "int8":
        return Int8WeightOnlyConfig(set_inductor_config=False)
    if name == "int8-dynamic":
        return Int8DynamicActivationInt8WeightConfig(set_inductor_config=False)
    if name in QUANTIZATIONS and name != "int4":
        raise ConfigError(f"quantization is {name!r}, which is for the CPU; expected 'int4' on a GPU")
    if name != "int4":
        raise ConfigError(f"quantization is {name!r}, expected one of {', '.join(QUANTIZATIONS)}")
    group = next((g for g in _INT4_GROUPS if all(each.in_features % g == 0 for each in linears.values())), None)
    if group is None:
        odd, each = next((n, each) for n, each in linears.items() if each.in_features % _INT4_GROUPS[-1])
        raise ConfigError(
            f"quantization is 'int4', but {odd} has {each.in_features} inputs, expected a multiple of "
            f"{_INT4_GROUPS[-1]}: so many weights share a scale; use 'int8'"
        )
    from torchao.quantization.quantize_.workflows import Int4PackingFormat

    return Int4WeightOnlyConfig(
        group_size=group, int4_packing_format=Int4PackingFormat.TILE_PACKED_TO_4D, set_inductor_config=False
    )


def _try(run: Any, linears: Mapping[str, nn.Linear], config: Any) -> None:
    """Quantise and run a copy of one linear module of each kind, under its name.

    Raises:
        ConfigError: it fails, or changes none of them.
    """
    kinds: dict[tuple[str, torch.Size], str] = {}
    for name, each in linears.items():
        kinds.setdefault((re.sub(r"\d+", "#", name), each.weight.shape), name)
    changed = False
    for name in kinds.values():
        linear = copy.deepcopy(_plain(linears[name]))
        weight = linear.weight
        root = _alone(name, linear)
        try:
            run(root)
            root.get_submodule(name)(torch.ones(2, linear.in_features, dtype=weight.dtype, device=weight.device))
        except Exception as error:  # torchao's own are many: AssertionError, ImportError, NotImplementedError, ...
            raise ConfigError(
                f"quantization is {_name(config)}: torchao cannot do this to {name} (a {linear.out_features} x "
                f"{linear.in_features} weight, {weight.dtype}) on {weight.device}: {reason_of(error)}"
            ) from error
        changed |= _is_changed(linear, root.get_submodule(name))
    if not changed:
        raise ConfigError(
            f"quantization is {_name(config)}, but torchao leaves every linear module as it is: their shapes (such as "
            f"{tuple(linear.weight.shape)}) do not suit the scheme"
        )


def _alone(name: str, module: nn.Module) -> nn.Module:
    """Build a tree of modules with only this one, under the name that it has in its model."""
    *parents, own = name.split(".")
    root = node = nn.Module()
    for parent in parents:
        node.add_module(parent, nn.Module())
        node = node.get_submodule(parent)
    node.add_module(own, module)
    return root


def num_bytes(module: nn.Module) -> int:
    """Sum up the bytes of all parameters and buffers."""
    tensors = (*module.parameters(), *module.buffers())
    return sum(part.nbytes for tensor in tensors for _, part in plain_tensors("", tensor))


def _name(config: Any) -> str:
    return repr(config) if isinstance(config, str) else type(config).__name__
