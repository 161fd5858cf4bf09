"""A stand-in for the weight of a packed layer: it has shape and dtype, and raises an error if it is read."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchpaged.errors import ModelError


class AbsentWeight(Tensor):
    """Shape and dtype of a weight that was packed, for model code that asks for no more.

    Raises:
        ModelError: an operator is called with it.
    """

    @staticmethod
    def __new__(cls, shape: tuple[int, ...], dtype: torch.dtype) -> AbsentWeight:
        """Make one on the CPU, where packed layers are."""
        return Tensor._make_wrapper_subclass(cls, tuple(shape), dtype=dtype, device=torch.device("cpu"))

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:  # type: ignore[override]
        """Raise ModelError for any operator: it would read values that do not exist."""
        leaves = torch.utils._pytree.tree_leaves((args, kwargs or {}))
        shape = next(tuple(each.shape) for each in leaves if isinstance(each, cls))
        raise ModelError(
            f"{func} reads the weight of a packed layer, {shape}, which has only a shape and a dtype: the model's own "
            "code uses a weight outside its layer, which needs a checkpoint in floats"
        )

    def __deepcopy__(self, memo: Any) -> AbsentWeight:
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        return AbsentWeight, (tuple(self.shape), self.dtype)

    def __repr__(self, **given: Any) -> str:  # type: ignore[override]
        return f"AbsentWeight({tuple(self.shape)}, {self.dtype})"
