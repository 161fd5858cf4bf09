"""What a packed layer shows where its weight was: the weight's shape and dtype, and an error to whoever reads it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchpaged.errors import ModelError


class AbsentWeight(Tensor):
    """Shape and dtype of a weight that lies packed elsewhere, for a model's own code that asks for no more.

    Raises:
        ModelError: an operator is called with it.
    """

    @staticmethod
    def __new__(cls, shape: tuple[int, ...], dtype: torch.dtype) -> AbsentWeight:
        """On the CPU, where packed layers are."""
        return Tensor._make_wrapper_subclass(cls, tuple(shape), dtype=dtype, device=torch.device("cpu"))

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:  # type: ignore[override]
        """Of whatever operator: it would read numbers that are not there."""
        leaves = torch.utils._pytree.tree_leaves((args, kwargs or {}))
        shape = next(tuple(each.shape) for each in leaves if isinstance(each, cls))
        raise ModelError(
            f"{func} reads the weight of a packed layer, {shape}, of which only shape and dtype are there: the model's "
            "own code uses a weight outside its layer, which takes a checkpoint in floats"
        )

    def __deepcopy__(self, memo: Any) -> AbsentWeight:
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        return AbsentWeight, (tuple(self.shape), self.dtype)

    def __repr__(self, **given: Any) -> str:  # type: ignore[override]
        return f"AbsentWeight({tuple(self.shape)}, {self.dtype})"
