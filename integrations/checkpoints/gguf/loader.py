"""A GGUF file as a source of weights for a transformers model, read one by one from the mapped file."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from transformers import CONFIG_MAPPING, PretrainedConfig, PreTrainedModel

from torchpaged.errors import ModelError, reason_of
from torchpaged.integrations.checkpoints.gguf.config import config_of, rope_factors
from torchpaged.integrations.checkpoints.gguf.metadata import Config
from torchpaged.integrations.checkpoints.gguf.mmproj import Mmproj
from torchpaged.integrations.checkpoints.gguf.tensor_names import Architecture, Weight
from torchpaged.integrations.checkpoints.streaming_load import Filled, expanded
from torchpaged.ops import active_backend, cpu
from torchpaged.utils.huge_pages import Region
from torchpaged.weights.gguf_blocks import BlockRows, bits_of, decode, packed_bytes
from torchpaged.weights.gguf_file import Gguf, TensorInfo
from torchpaged.weights.gguf_tokenizer import end_tokens
from torchpaged.weights.grouped_weight import GroupedWeight
from torchpaged.weights.packed_experts import GroupedExperts, joined

logger = logging.getLogger(__name__)

_PLAIN = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}


class GgufModel(NamedTuple):
    """An opened file and the config of its model.

    Args:
        config: of transformers.
        architecture: how the file names its weights.
        values: the arguments that `config`, or its text part, was made with.
        mmproj: a second file with towers; None: the model reads texts alone.
    """

    file: Gguf
    config: PretrainedConfig
    architecture: Architecture
    values: Config
    mmproj: Mmproj | None = None

    @classmethod
    def read(cls, file: Gguf, towers: Gguf | None = None) -> GgufModel:
        """Make the config of a file's keys.

        Args:
            towers: an mmproj file.

        Raises:
            ModelError: as `config_of` and `Mmproj.read`, or keys that transformers' config class refuses.
        """
        architecture, values = config_of(file)
        mmproj, given = None, {"model_type": architecture.model_type, **values}
        if towers is not None:
            mmproj, whole = Mmproj.read(towers, file, values)
            given = {
                **whole,
                "model_type": mmproj.projector.model_type,
                "text_config": {**given, **values},
                "tie_word_embeddings": values["tie_word_embeddings"],
            }
        try:
            kind = CONFIG_MAPPING[given.pop("model_type")]
            config: PretrainedConfig = kind(**given)
        except Exception as error:  # transformers' own checks, and model types that this version does not have
            raise ModelError(
                f"model {str(file.path)!r}: no config can be made of its keys: {reason_of(error)}"
            ) from error
        text: Any = config.get_text_config(decoder=True)
        config.dtype = text.dtype = _dtype_of(file)
        factors = rope_factors(file, values)
        if factors is not None:
            text.rope_factors = factors  # in the config, so that its fingerprint covers them
        return cls(file, config, architecture, values, mmproj)


class GgufWeights:
    """The tensors of a file as a `WeightSource`, by the names that the model has for them.

    Args:
        gguf: the file and its config.
        dtype: that weights get which cannot stay as they are.
        packs: if quantised weights stay quantised.

    Attributes:
        expanded: names of quantised tensors that became floats.
        orders: by the name of a linear module, the order of inputs that its weight was read in.
    """

    def __init__(self, gguf: GgufModel, dtype: torch.dtype, *, packs: bool) -> None:
        self._file, self._dtype, self._packs = gguf.file, dtype, packs
        self._weights: Mapping[str, Weight] = gguf.architecture.weights(gguf.file, gguf.values)
        self.expanded: set[str] = set()
        self.orders: dict[str, Tensor] = {}

    def names(self) -> Collection[str]:
        """Names of the model's weights that the file has."""
        return self._weights.keys()

    def read(self, name: str) -> Tensor | GroupedWeight | BlockRows | GroupedExperts:
        """Read one weight. Its pages of the file are given back, at once or when it is packed.

        Raises:
            ModelError: tensors that it cannot be made of.
        """
        weight = self._weights[name]
        if weight.value is not None:
            return weight.value
        infos = [self._file.tensors[each] for each in weight.tensors]
        try:
            return self._made(name, weight, infos)
        except (RuntimeError, IndexError, ValueError) as error:  # shapes are checked where they are used
            shapes = ", ".join(f"{info.name} {list(info.shape)}" for info in infos)
            raise self._file.fault("tensors", shapes, f"tensors that make {name}: {reason_of(error)}") from error

    def finish(self, model: PreTrainedModel, filled: Filled) -> None:
        """Set what no tensor holds: the divisors of rotary frequencies, and the tokens that end a text."""
        config: Any = model.config.get_text_config(decoder=True)
        text = model if config is model.config else model.get_decoder()
        _divide_frequencies(self._file, text, getattr(config, "rope_factors", None))
        model.generation_config.eos_token_id = end_tokens(self._file) or None
        gone = self.expanded.union(*(self._weights[each].tensors for each in filled.expanded))
        if said := repacked(self._file, gone, self._dtype):
            logger.warning("%s runs %s", self._file.path.name, said)

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
        """Join several tensors into one weight: as they are if their formats are the same, else as floats."""
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
        floats = [each if isinstance(each, Tensor) else self._floats(each) for each in parts]
        return torch.cat(floats, max(-2, -floats[0].dim()))

    def _floats(self, weight: GroupedWeight | BlockRows) -> Tensor:
        decoded = weight.decode() if isinstance(weight, BlockRows) else weight
        assert isinstance(decoded, GroupedWeight)
        return expanded(decoded, self._dtype)

    def _in_order(self, name: str, weight: GroupedWeight | BlockRows, columns: Tensor) -> Tensor | BlockRows:
        """Leave groups of columns as they are, and note the order that their inputs are to be put in."""
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
        """Read tensors of experts as quantised weights; None if they are not of one quantised format."""
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
        """Read a weight of three or more dimensions as floats."""
        if bits_of(info.block):
            self.expanded.add(info.name)
        out = torch.empty(info.shape, dtype=self._dtype)
        rows = out.view(-1, *info.shape[-2:])
        for target, part in zip(rows, data.view(len(rows), -1, data.shape[-1]), strict=True):
            found = decode(info.block, part)
            target.copy_(expanded(found, self._dtype) if isinstance(found, GroupedWeight) else found)
        return out


class GgufWeightsWithTowers:
    """The tensors of a file and of an mmproj file as a `WeightSource`. Towers get floats of the model's dtype.

    Args:
        gguf, dtype, packs: as of `GgufWeights`.
        mmproj: the file with the towers.
    """

    def __init__(self, gguf: GgufModel, mmproj: Mmproj, dtype: torch.dtype, *, packs: bool) -> None:
        self._text = GgufWeights(gguf, dtype, packs=packs)
        self._towers = TowerWeights(mmproj, dtype)
        # The text part is `model` where it is a model of its own.
        self._own = {_in_whole(name, mmproj.projector.text): name for name in self._text.names()}

    def names(self) -> Collection[str]:
        """Names of the model's weights that the files have."""
        return [*self._own, *self._towers.names()]

    def read(self, name: str) -> Tensor | GroupedWeight | BlockRows | GroupedExperts:
        """Read one weight, as `GgufWeights.read`."""
        own = self._own.get(name)
        return self._towers.read(name) if own is None else self._text.read(own)

    @property
    def orders(self) -> dict[str, Tensor]:
        """By the name of a linear module, the order of inputs that its weight was read in."""
        whole = {own.removesuffix(".weight"): name.removesuffix(".weight") for name, own in self._own.items()}
        return {whole[name]: order for name, order in self._text.orders.items()}

    def finish(self, model: PreTrainedModel, filled: Filled) -> None:
        """Set what no tensor of the text part holds: `GgufWeights.finish`."""
        self._text.finish(model, Filled(expanded=[self._own[each] for each in filled.expanded if each in self._own]))


class TowerWeights(GgufWeights):
    """The tensors of an mmproj file, all of them as floats.

    Args:
        mmproj: the file, and how it is read.
        dtype: of the model.
    """

    def __init__(self, mmproj: Mmproj, dtype: torch.dtype) -> None:
        self._file, self._dtype, self._packs = mmproj.file, dtype, False
        self._weights = mmproj.weights(mmproj.file, {})
        self.expanded, self.orders = set(), {}

    def read(self, name: str) -> Tensor:
        """Read one weight."""
        found = super().read(name)
        assert not isinstance(found, GroupedExperts)
        return found if isinstance(found, Tensor) else self._floats(found)


def _in_whole(name: str, text: str) -> str:
    """Return the name of a text part's weight in the whole model."""
    return f"{text}.{name.removeprefix('model.')}" if name.startswith("model.") else name


def _matrix(info: TensorInfo, number: int) -> TensorInfo:
    """Describe one matrix of a tensor with three dimensions."""
    if len(info.shape) != 3 or number >= info.shape[0]:
        raise ValueError(f"expected at least {number + 1} matrices")
    size = info.num_bytes // info.shape[0]
    return replace(info, shape=info.shape[1:], offset=info.offset + number * size, num_bytes=size)


def describe(file: Gguf) -> str:
    """Say in a few words what a file holds, for `torchpaged info`."""
    return f"{file.text('general.architecture')}, {len(file.tensors)} tensors"


def bytes_by_format(file: Gguf) -> Counter[str]:
    """Count the bytes of a file's tensors by the name of their format."""
    found: Counter[str] = Counter()
    for tensor in file.tensors.values():
        found[tensor.block.name] += tensor.num_bytes
    return found


def is_quantised(file: Gguf) -> bool:
    """Tell if any tensor of a file is quantised."""
    return any(bits_of(tensor.block) for tensor in file.tensors.values())


def _dtype_of(file: Gguf) -> torch.dtype:
    """Choose a model's dtype: that of most of its weights if they are floats, else bfloat16."""
    kinds = bytes_by_format(file)
    most = max(kinds, key=lambda name: kinds[name])
    return _PLAIN.get(most, torch.bfloat16)


def region_for(file: Gguf, device: torch.device | str | None = None) -> Region:
    """Reserve memory for the packed weights of a file.

    Args:
        device: of the model; if weights stay quantised there, another thread begins to fault the pages in. None: pages
            are faulted in as they are written.
    """
    region = Region(sum(packed_bytes(each.block, each.shape) for each in file.tensors.values()))
    on_cpu = device is not None and torch.device(device).type == "cpu"
    if on_cpu and active_backend("packed_linear", "cpu") == "cpp":
        region.populate(cpu.take_pages)
    return region


def _divide_frequencies(file: Gguf, model: nn.Module, factors: list[float] | None) -> None:
    """Divide a model's rotary frequencies by the factors that the file has for them, if any."""
    if factors is None:
        return
    divisors = torch.tensor(factors)
    found = [dict(module.named_buffers(recurse=False)) for module in model.modules()]
    found = [buffers for buffers in found if "inv_freq" in buffers]
    if not found or any(buffers["inv_freq"].shape != divisors.shape for buffers in found):
        raise file.fault("tensor 'rope_freqs.weight'", "there", "none: the model has no such frequencies")
    for buffers in found:
        buffers["inv_freq"].div_(divisors)
        if "original_inv_freq" in buffers:
            buffers["original_inv_freq"].copy_(buffers["inv_freq"])


def repacked(file: Gguf, gone: Collection[str] = (), dtype: torch.dtype | None = None) -> str:
    """List in one line the formats that run differently from how they are stored; empty if there are none.

    Args:
        gone: tensors that are expanded.
        dtype: that they become; None: the default of the file.
    """
    kept = {each.block for name, each in file.tensors.items() if name not in gone and len(each.shape) >= 2}
    fours = {block.name for block in kept if block.name in ("Q2_K", "Q3_K")}
    eights = {block.name for block in kept if bits_of(block) == 8 and block.name != "Q8_0"}
    floats = str(dtype or _dtype_of(file)).removeprefix("torch.")
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
