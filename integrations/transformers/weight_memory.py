"""WeightMemory: the memory of a module's weights, which is given back while an engine sleeps."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from torchpaged.integrations.checkpoints.fingerprint import plain_tensors


class WeightMemory:
    """Gives back the memory of weights, and takes it again.

    On a GPU the tensors keep their identity and lose their storage's memory. On the host they become views of one zero,
    which `make_room` replaces.

    Args:
        module: whose parameters and persistent buffers are meant, quantised ones by their parts.
    """

    def __init__(self, module: nn.Module) -> None:
        self._module = module
        self._sizes: list[tuple[torch.UntypedStorage, int]] = []
        self._copies: list[Tensor] = []  # of these storages, on the host; empty if the numbers were dropped
        self.is_empty = False  # True while the weights have no numbers

    def release(self, *, keep: bool) -> None:
        """Give the memory back.

        Args:
            keep: copy the numbers to the host before; weights that are there already stay as they are.
        """
        gone: dict[int, torch.UntypedStorage] = {}
        for tensor in self._tensors():
            if tensor.device.type == "cpu":
                if not keep:
                    tensor.data = torch.zeros((), dtype=tensor.dtype).expand(tensor.shape)
            elif tensor.untyped_storage().size():
                gone[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage()
        copies = []
        for storage in gone.values() if keep else ():
            whole = torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage)
            copies.append(torch.empty(storage.size(), dtype=torch.uint8, pin_memory=True).copy_(whole))
        self._sizes, self._copies = [(storage, storage.size()) for storage in gone.values()], copies
        for storage in gone.values():
            storage.resize_(0)
        self.is_empty = not keep

    def restore(self) -> None:
        """Take the memory again, with the numbers that were kept; on the host `make_room` does it."""
        for place, (storage, size) in enumerate(self._sizes):
            storage.resize_(size)
            whole = torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage)
            if self._copies:
                whole.copy_(self._copies[place])
            else:
                whole.zero_()
        self._sizes, self._copies = [], []

    def make_room(self) -> None:
        """Give each weight on the host memory of its own again, before numbers are copied into it."""
        for tensor in self._tensors():
            if tensor.device.type == "cpu" and tensor.dim() and not any(tensor.stride()):
                tensor.data = torch.empty(tensor.shape, dtype=tensor.dtype)
        self.is_empty = False

    def _tensors(self) -> Iterator[Tensor]:
        seen: set[int] = set()
        for name, tensor in self._module.state_dict(keep_vars=True).items():
            for _, part in plain_tensors(name, tensor) if isinstance(tensor, Tensor) else ():
                if id(part) not in seen:
                    seen.add(id(part))
                    yield part
