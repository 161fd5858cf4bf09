"""A checkpoint as a source of one rank's weights: of float tensors only the rank's part is read."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from safetensors import safe_open
from torch import Tensor
from transformers import PreTrainedModel
from transformers.pytorch_utils import Conv1D

from torchpaged.errors import ConfigError
from torchpaged.integrations.checkpoints.checkpoint import Checkpoint
from torchpaged.integrations.checkpoints.gguf.loader import GgufWeights, GgufWeightsWithTowers
from torchpaged.integrations.checkpoints.quantized_reader import SafetensorsWeights
from torchpaged.integrations.checkpoints.streaming_load import Filled
from torchpaged.integrations.checkpoints.tensor_parallel import Cut, Division, divide
from torchpaged.ops.collectives import Group
from torchpaged.weights.gguf_blocks import BlockRows
from torchpaged.weights.grouped_weight import GroupedWeight
from torchpaged.weights.packed_experts import PARTS, GroupedExperts

Value: TypeAlias = Tensor | GroupedWeight | BlockRows | GroupedExperts


class DividedWeights:
    """A rank's parts of a checkpoint's tensors as a `WeightSource`.

    Args:
        whole: the checkpoint's own tensors.
        model: without weights; it is divided.
        whole_experts: as of `divide`.

    Attributes:
        division: of the model.

    Raises:
        ConfigError: the model cannot be divided.
    """

    def __init__(
        self,
        whole: SafetensorsWeights | GgufWeights | GgufWeightsWithTowers,
        model: PreTrainedModel,
        group: Group,
        *,
        whole_experts: bool = False,
    ) -> None:
        self._whole, self._model, self._world = whole, model, group.world
        self.division = divide(model, group, whole_experts=whole_experts)
        self._own = {Division.whole_name(name): name for name in model.state_dict()}
        # An unknown name stays, for the error of `fill`.
        self._names = {self._own.get(name, name): name for name in whole.names()}

    @classmethod
    def of(
        cls, checkpoint: Checkpoint, model: PreTrainedModel, group: Group, *, whole_experts: bool = False
    ) -> DividedWeights | None:
        """Open a float checkpoint and divide the model; None if the file's weights are not exactly the model's.

        Raises:
            ModelError: files that cannot be read, or do not fit the config.
            ConfigError: the model cannot be divided.
        """
        floats = SafetensorsWeights(checkpoint, model, None, packs=False)
        if not floats.is_whole():
            return None
        floats.untie()
        return cls(floats, model, group, whole_experts=whole_experts)

    def names(self) -> Collection[str]:
        """Names of the divided model's weights."""
        return self._names.keys()

    def read(self, name: str) -> Value:
        """Read a rank's part of one weight. Quantised weights, and those joined from several tensors, are read whole.

        Raises:
            ConfigError: a rank's inputs do not begin and end with blocks of a quantised weight.
        """
        whole = self._names[name]
        cut = self.division.cuts.get(whole)
        place = self._whole.place(whole) if isinstance(self._whole, SafetensorsWeights) else None
        if cut is None or place is None:
            value = self._whole.read(whole)
            if cut is None:
                return value.clone() if isinstance(value, Tensor) else value
            return self._part(whole, value, cut)
        path, source = place
        with safe_open(path, framework="pt") as file:
            view: Any = file.get_slice(source)
            return cut.of(view)

    @property
    def orders(self) -> Mapping[str, Tensor]:
        """By the name of a linear module, the order of inputs that its weight was read in."""
        return {
            self._own[f"{name}.weight"].removesuffix(".weight"): order for name, order in self._whole.orders.items()
        }

    def finish(self, model: PreTrainedModel, filled: Filled) -> None:
        """Set what no tensor holds, and log what runs differently from how it is stored."""
        self._whole.finish(model, Filled(filled.packed, [self._names[each] for each in filled.expanded]))

    def _part(self, name: str, value: Value, cut: Cut) -> Value:
        if isinstance(value, Tensor):
            return cut.of(value)
        module: Any = self._model.get_submodule(self._own[name].rpartition(".")[0])
        is_transposed = isinstance(module, Conv1D) or getattr(module, "is_transposed", False)
        if isinstance(value, GroupedExperts):
            return self._part_of_experts(name, value, cut, is_transposed)
        of_inputs = (cut.dim == 1) != is_transposed
        if of_inputs and name.removesuffix(".weight") in self._whole.orders:
            raise self._refused(name, "has its inputs in another order than the model")
        return self._of_inputs(name, value, cut) if of_inputs else _of_outputs(value, cut)

    def _part_of_experts(self, name: str, value: GroupedExperts, cut: Cut, is_transposed: bool) -> GroupedExperts:
        ((first, count),) = cut.parts if cut.dim == 0 else ((0, len(value)),)
        if cut.dim == 0:
            return GroupedExperts((count, *value.shape[1:]), lambda number: value.read(first + number))
        of_inputs = (cut.dim == 2) != is_transposed
        _, outputs, inputs = value.shape

        def read(number: int) -> GroupedWeight:
            whole = value.read(number)
            part = self._of_inputs(name, whole, cut) if of_inputs else _of_outputs(whole, cut)
            assert isinstance(part, GroupedWeight)
            return part

        return GroupedExperts((count, outputs, cut.size) if of_inputs else (count, cut.size, inputs), read)

    def _of_inputs(self, name: str, value: GroupedWeight | BlockRows, cut: Cut) -> GroupedWeight | BlockRows:
        """Return a weight's columns. Its blocks, or groups with a common scale, are not divided."""
        if isinstance(value, BlockRows):
            rows = self._blocks(name, cut, value.block.elements, value.block.num_bytes).of(value.rows)
            value.release(0, value.shape[0])
            return BlockRows(value.block, rows, _keep)
        parts: dict[str, Any] = {"codes": replace(cut, dim=1).of(value.codes)}
        for each in PARTS:
            tensor: Tensor | None = getattr(value, each)
            if tensor is None or tensor.shape[1] == 1:  # one scale for all inputs
                continue
            parts[each] = self._blocks(name, cut, value.in_features // tensor.shape[1], 1).of(tensor)
        size = cut.size if value.group_size == value.in_features else value.group_size
        return replace(value, group_size=size, **parts)

    def _blocks(self, name: str, cut: Cut, unit: int, size: int) -> Cut:
        """Return the part of a row whose blocks of `unit` inputs take `size` places each."""
        if any(number % unit for part in cut.parts for number in part):
            raise self._refused(name, f"is quantised in blocks of {unit} inputs, which are not divided among ranks")
        parts = tuple((first // unit * size, count // unit * size) for first, count in cut.parts)
        return Cut(1, parts, cut.size // unit * size)

    def _refused(self, name: str, why: str) -> ConfigError:
        return ConfigError(
            f"LLM: tensor_parallel_size is {self._world}, but {name} {why}; give fewer ranks, or a checkpoint of floats"
        )


def _of_outputs(value: GroupedWeight | BlockRows, cut: Cut) -> GroupedWeight | BlockRows:
    """Return a weight's rows. Those behind its end are zeros, as their scales are."""
    rows = replace(cut, dim=0)
    if isinstance(value, BlockRows):
        part = rows.of(value.rows)
        value.release(0, value.shape[0])
        return BlockRows(value.block, part, _keep)
    names = [name for name in ("codes", *PARTS) if getattr(value, name) is not None]
    parts: dict[str, Any] = {name: rows.of(getattr(value, name)) for name in names}
    return replace(value, **parts)


def _keep(first: int, last: int) -> None:
    """Do nothing: the part is a copy."""
