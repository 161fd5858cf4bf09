"""A float checkpoint as a source of one rank's weights: of each tensor only the rank's part is read."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from safetensors import safe_open
from torch import Tensor
from transformers import PreTrainedModel

from torchpaged.integrations.checkpoints.checkpoint import Checkpoint
from torchpaged.integrations.checkpoints.quantized_reader import SafetensorsWeights
from torchpaged.integrations.checkpoints.tensor_parallel import Division, divide
from torchpaged.ops.collectives import Group


class DividedWeights:
    """A rank's parts of a checkpoint's tensors as a `WeightSource`.

    Args:
        floats: the checkpoint's own tensors.
        model: without weights; it is divided.
        whole_experts: as of `divide`.

    Attributes:
        division: of the model.
    """

    def __init__(
        self, floats: SafetensorsWeights, model: PreTrainedModel, group: Group, *, whole_experts: bool = False
    ) -> None:
        self._floats, self.orders = floats, floats.orders
        self.division = divide(model, group, whole_experts=whole_experts)
        own = {Division.whole_name(name): name for name in model.state_dict()}
        self._names = {own[name]: name for name in floats.names()}

    @classmethod
    def of(
        cls, checkpoint: Checkpoint, model: PreTrainedModel, group: Group, *, whole_experts: bool = False
    ) -> DividedWeights | None:
        """Open a checkpoint and divide the model; None if the file's weights are not exactly the model's.

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

    def read(self, name: str) -> Tensor:
        """Read a rank's part of one weight. Weights that are joined from several tensors are joined first."""
        whole = self._names[name]
        cut, place = self.division.cuts.get(whole), self._floats.place(whole)
        if cut is None or place is None:
            value = self._floats.read(whole)
            assert isinstance(value, Tensor), "the checkpoint's weights are floats"
            return value.clone() if cut is None else cut.of(value)
        path, source = place
        with safe_open(path, framework="pt") as file:
            view: Any = file.get_slice(source)
            return cut.of(view)
