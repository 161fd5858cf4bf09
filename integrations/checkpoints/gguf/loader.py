"""A GGUF file as a transformers model: made without memory, then filled weight by weight from the file's map."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from transformers import CONFIG_MAPPING, AutoModelForCausalLM, PretrainedConfig, PreTrainedModel

from torchpaged.errors import ModelError, reason_of
from torchpaged.integrations.checkpoints.gguf.config import config_of, rope_factors
from torchpaged.integrations.checkpoints.gguf.tensor_names import Weight
from torchpaged.integrations.checkpoints.streaming_load import expanded, fill, reorder, without_weights
from torchpaged.integrations.families import unsupported_reason
from torchpaged.ops import active_backend, cpu
from torchpaged.utils.huge_pages import Region
from torchpaged.weights.gguf_blocks import BlockRows, bits_of, decode, packed_bytes
from torchpaged.weights.gguf_file import Gguf, TensorInfo
from torchpaged.weights.gguf_tokenizer import end_tokens
from torchpaged.weights.grouped_weight import GroupedWeight
from torchpaged.weights.packed_experts import GroupedExperts, joined

logger = logging.getLogger(__name__)

_PLAIN = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}


class GgufWeights:
    """A file's tensors by the names that a model has for them.

    Args:
        file: that they lie in.
        weights: where each comes from.
        dtype: that weights get which cannot stay as they are.
        packs: whether there are kernels for others.

    Attributes:
        expanded: tensors of few bits that did not.
        orders: by the name of a linear module, the order of inputs that its weight was read in.
    """

    def __init__(self, file: Gguf, weights: Mapping[str, Weight], dtype: torch.dtype, *, packs: bool) -> None:
        self._file, self._weights, self._dtype, self._packs = file, weights, dtype, packs
        self.expanded: set[str] = set()
        self.orders: dict[str, Tensor] = {}

    def names(self) -> Collection[str]:
        """Of the model."""
        return self._weights.keys()

    def read(self, name: str) -> Tensor | GroupedWeight | BlockRows | GroupedExperts:
        """One of them; the pages of the file that it lies in are given back, if need be when it is packed.

        Raises:
            ModelError: tensors of which it cannot be made.
        """
        weight = self._weights[name]
        if weight.value is not None:
            return weight.value
        infos = [self._file.tensors[each] for each in weight.tensors]
        try:
            return self._made(name, weight, infos)
        except (RuntimeError, IndexError, ValueError) as error:  # of shapes, which only who makes it knows
            shapes = ", ".join(f"{info.name} {list(info.shape)}" for info in infos)
            raise self._file.fault("tensors", shapes, f"what makes {name}: {reason_of(error)}") from error

    def _made(
        self, name: str, weight: Weight, infos: Sequence[TensorInfo]
    ) -> Tensor | GroupedWeight | BlockRows | GroupedExperts:
        if weight.part is not None:
            infos = [_matrix(info, weight.part) for info in infos]
        rows = weight.rows
        expected = weight.rows_of or (0 if rows is None else len(rows))
        if rows is not None and len(infos[0].shape) < 3 and expected != infos[0].shape[0]:
            raise ValueError(f"expected {expected} rows")
        if (experts := self._experts(weight, infos)) is not None:
            return experts
        parts = [self._part(info, rows) for info in infos]
        whole = parts[0] if len(parts) == 1 else self._joined(weight, parts)
        if not isinstance(whole, Tensor):
            return whole if weight.columns is None else self._in_order(name, whole, weight.columns)
        whole = whole if weight.columns is None else whole[:, weight.columns]
        return whole if weight.change is None else weight.change(whole)

    def _joined(self, weight: Weight, parts: Sequence[Tensor | GroupedWeight | BlockRows]) -> Tensor | BlockRows:
        """Of several tensors; where their formats are not the same, as floats."""
        if weight.joined is not None:
            return weight.joined([each if isinstance(each, Tensor) else self._floats(each) for each in parts])
        rows = [each for each in parts if isinstance(each, BlockRows)]
        if len(rows) == len(parts) and len({each.block for each in rows}) == 1:
            found = BlockRows(rows[0].block, torch.cat([each.rows for each in rows]), lambda first, last: None)
            for each in rows:
                each.release(0, each.shape[0])
            return found
        if rows:
            self.expanded.update(weight.tensors)
        return torch.cat([each if isinstance(each, Tensor) else self._floats(each) for each in parts], -2)

    def _floats(self, weight: GroupedWeight | BlockRows) -> Tensor:
        decoded = weight.decode() if isinstance(weight, BlockRows) else weight
        assert isinstance(decoded, GroupedWeight)
        return expanded(decoded, self._dtype)

    def _in_order(self, name: str, weight: GroupedWeight | BlockRows, columns: Tensor) -> Tensor | BlockRows:
        """Groups of columns stay as they are: their inputs are put in their order."""
        assert isinstance(weight, BlockRows)
        if self._packs:
            self.orders[name.removesuffix(".weight")] = columns.argsort()
            return weight
        return self._floats(weight)[:, columns]

    def _part(self, info: TensorInfo, rows: Tensor | None) -> Tensor | GroupedWeight | BlockRows:
        data = self._file.data(info)
        if len(info.shape) == 2 and bits_of(info.block) and rows is None:
            return BlockRows(info.block, data, partial(self._file.release, info))
        found: Tensor | BlockRows
        if len(info.shape) == 1:
            values = decode(info.block, data)
            values = values.dequantize() if isinstance(values, GroupedWeight) else values.clone()
            found = values.view(-1) if rows is None else values.view(-1)[rows]
        elif len(info.shape) == 2 and bits_of(info.block):
            found = BlockRows(info.block, data[rows], lambda first, last: None)
        elif len(info.shape) == 2:
            values = decode(info.block, data if rows is None else data[rows])
            assert isinstance(values, Tensor)
            found = values.clone() if rows is None else values
        else:
            found = self._stacked(info, data)
        self._file.release(info)
        return found

    def _experts(self, weight: Weight, infos: Sequence[TensorInfo]) -> GroupedExperts | None:
        """Of tensors of experts in one format of few bits."""
        first = infos[0]
        if len(first.shape) != 3 or not bits_of(first.block) or weight.joined is not None:
            return None
        if any(info.block != first.block for info in infos):
            return None
        outputs = sum(info.shape[1] for info in infos if len(info.shape) == 3)
        if any(info.shape != (first.shape[0], info.shape[1], first.shape[2]) for info in infos):
            raise ValueError("expected as many experts and inputs in each")
        if weight.rows is not None and len(weight.rows) != outputs:
            raise ValueError(f"expected {len(weight.rows)} outputs")

        def read(number: int) -> GroupedWeight:
            rows = (self._file.data(info).unflatten(0, info.shape[:2])[number] for info in infos)
            found = [decode(first.block, each) for each in rows]
            whole = joined([each for each in found if isinstance(each, GroupedWeight)])
            if number == first.shape[0] - 1:
                for info in infos:
                    self._file.release(info)
            return whole if weight.rows is None else whole.rows(weight.rows)

        return GroupedExperts((first.shape[0], outputs, first.shape[2]), read)

    def _stacked(self, info: TensorInfo, data: Tensor) -> Tensor:
        """Weights with more dimensions than two, as floats."""
        if bits_of(info.block):
            self.expanded.add(info.name)
        out = torch.empty(info.shape, dtype=self._dtype)
        rows = out.view(-1, *info.shape[-2:])
        for target, part in zip(rows, data.view(len(rows), -1, data.shape[-1]), strict=True):
            found = decode(info.block, part)
            target.copy_(expanded(found, self._dtype) if isinstance(found, GroupedWeight) else found)
        return out


def _matrix(info: TensorInfo, number: int) -> TensorInfo:
    """One of a tensor's."""
    if len(info.shape) != 3 or number >= info.shape[0]:
        raise ValueError(f"expected at least {number + 1} matrices")
    size = info.num_bytes // info.shape[0]
    return replace(info, shape=info.shape[1:], offset=info.offset + number * size, num_bytes=size)


def config_from(file: Gguf) -> PretrainedConfig:
    """The config of a file's model.

    Raises:
        ModelError: as `config_of`, or a family that is not supported.
    """
    architecture, values = config_of(file)
    return _config(file, values, architecture.model_type)


def _config(file: Gguf, values: Mapping[str, Any], model_type: str) -> PretrainedConfig:
    given = {"model_type": model_type, **values}
    try:
        kind = CONFIG_MAPPING[given.pop("model_type")]
        config: PretrainedConfig = kind(**given)
    except Exception as error:  # of transformers' own checks, and of families that a version has not got
        raise ModelError(f"model {str(file.path)!r}: no config can be made of its keys: {reason_of(error)}") from error
    if reason := unsupported_reason(config):
        raise ModelError(f"model {str(file.path)!r}: {reason}")
    config.dtype = dtype_of(file)
    factors = rope_factors(file, {**values})
    if factors is not None:
        config.rope_factors = factors  # in the config too: its fingerprint tells models apart
    return config


def dtype_of(file: Gguf) -> torch.dtype:
    """What a model computes in if nobody says: as its weights are where they are plain floats, else bfloat16."""
    kinds = bytes_by_format(file)
    most = max(kinds, key=lambda name: kinds[name])
    return _PLAIN.get(most, torch.bfloat16)


def bytes_by_format(file: Gguf) -> Counter[str]:
    """Of the tensors, by the name of their format."""
    found: Counter[str] = Counter()
    for tensor in file.tensors.values():
        found[tensor.block.name] += tensor.num_bytes
    return found


def is_quantised(file: Gguf) -> bool:
    """Whether some of its tensors are no plain floats."""
    return any(bits_of(tensor.block) for tensor in file.tensors.values())


def read_model(
    file: Gguf,
    dtype: str = "auto",
    device: torch.device | str = "cpu",
    config: PretrainedConfig | None = None,
    *,
    packs: bool | None = None,
    region: Region | None = None,
) -> PreTrainedModel:
    """The model of a file, with its weights as the file has them where there are kernels for that.

    Args:
        dtype: of activations and of what is not quantised: "auto" as `dtype_of`, or a torch dtype's name.
        config: instead of the file's own.
        packs: whether quantised weights stay so; None: where there are kernels.
        region: where they lie then; None: in one of their own.

    Raises:
        ModelError: the file cannot be read, or does not fit its own config.
    """
    architecture, values = config_of(file)
    config = _config(file, values, architecture.model_type) if config is None else config
    wanted = dtype_of(file) if dtype == "auto" else getattr(torch, dtype)
    weights = architecture.weights(file, values)
    name = str(file.path)
    try:
        with without_weights():
            model: PreTrainedModel = AutoModelForCausalLM.from_config(config, dtype=wanted)
    except Exception as error:  # of sizes that its modules do not take
        raise ModelError(f"model {name!r}: no model can be made of its keys: {reason_of(error)}") from error
    if packs is None:
        packs = _packs(device)
    source = GgufWeights(file, weights, wanted, packs=packs)
    filled = fill(model, source, name=name, packs=packs, region=region or region_for(file))
    reorder(model, source.orders)
    _divide_frequencies(file, model, getattr(config, "rope_factors", None))
    model.generation_config.eos_token_id = end_tokens(file) or None
    expanded_ones = source.expanded.union(*(weights[each].tensors for each in filled.expanded))
    if said := repacked(file, expanded_ones, wanted):
        logger.warning("%s runs %s", file.path.name, said)
    return model.eval().to(device)


def region_for(file: Gguf, device: torch.device | str | None = None) -> Region:
    """For the quantised weights of a file. With a device that they stay quantised on its pages are being taken."""
    region = Region(sum(packed_bytes(each.block, each.shape) for each in file.tensors.values()))
    if device is not None and _packs(device):
        region.populate(cpu.take_pages)
    return region


def _packs(device: torch.device | str) -> bool:
    """Whether there are kernels for quantised weights."""
    return torch.device(device).type == "cpu" and active_backend("packed_linear", "cpu") == "cpp"


def _divide_frequencies(file: Gguf, model: nn.Module, factors: list[float] | None) -> None:
    if factors is None:
        return
    divisors = torch.tensor(factors)
    found = [dict(module.named_buffers(recurse=False)) for module in model.modules()]
    found = [buffers for buffers in found if "inv_freq" in buffers]
    if not found or any(buffers["inv_freq"].shape != divisors.shape for buffers in found):
        raise file.fault("tensor 'rope_freqs.weight'", "there", "none: the model has not got such frequencies")
    for buffers in found:
        buffers["inv_freq"].div_(divisors)
        if "original_inv_freq" in buffers:
            buffers["original_inv_freq"].copy_(buffers["inv_freq"])


def repacked(file: Gguf, gone: Collection[str] = (), dtype: torch.dtype | None = None) -> str:
    """What runs otherwise than it is stored, in a line; empty where nothing does.

    Args:
        gone: tensors that are expanded.
        dtype: that they become; None: `dtype_of`.
    """
    kept = {each.block for name, each in file.tensors.items() if name not in gone and len(each.shape) >= 2}
    fours = {block.name for block in kept if block.name in ("Q2_K", "Q3_K")}
    eights = {block.name for block in kept if bits_of(block) == 8 and block.name != "Q8_0"}
    floats = str(dtype or dtype_of(file)).removeprefix("torch.")
    said = [
        f"{', '.join(sorted(kinds))} {how}"
        for kinds, how in (
            (fours, "as 4 bits with the same values"),
            (eights, "as 8 bits with the same values"),
            ({file.tensors[name].block.name for name in gone}, f"expanded to {floats} where no kernel reads them"),
        )
        if kinds
    ]
    return "; ".join(said)
