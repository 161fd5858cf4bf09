"""Memory for a checkpoint's packed weights, whose pages are taken while transformers is still being imported."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from torchpaged.ops import active_backend, cpu
from torchpaged.ops.grouped_weights import PANEL
from torchpaged.utils.huge_pages import Region

_ITEM_BYTES = {"BF16": 2, "F16": 2, "F32": 4}
# A header is no longer, as safetensors itself has it.
_LONGEST_HEADER = 100_000_000


def early_region(path: str | Path, dtype: str, quantization: Any, *, float32: bool = False) -> Region | None:
    """A region that pages are being taken for, so many as a folder's linear layers and head take when they are packed.

    Whoever gets it closes it when all is packed: what nobody has cut from it is given back then.

    Args:
        dtype: of the weights: "auto" as the files have them, or a torch dtype's name.
        quantization: as of the engine.
        float32: whether weights of that type are packed, too.

    Returns:
        None where it is not known what will be packed: no folder, experts, other kinds of files, no kernels.
    """
    if active_backend("packed_linear", "cpu") != "cpp" or cpu.isa() == "portable" or quantization not in (None, "int8"):
        return None
    size = head = largest = 0
    try:
        for each in sorted(Path(path).expanduser().glob("*.safetensors")):
            for name, entry in _tensors(each):
                if "experts" in name or entry["dtype"] not in _ITEM_BYTES:
                    return None
                if len(entry["shape"]) == 2:
                    item = _ITEM_BYTES[entry["dtype"]] if dtype == "auto" else getattr(torch, dtype).itemsize
                    if quantization is None and item == 4 and not float32:
                        return None
                    outputs, inputs = entry["shape"]
                    largest = max(largest, outputs * inputs * _ITEM_BYTES[entry["dtype"]])
                    packed = -(-outputs // PANEL) * PANEL * inputs * (1 if quantization == "int8" else item)
                    if any(part.isdigit() for part in name.split(".")):
                        size += packed
                    else:  # an embedding, and a head where it is not tied to that
                        head = max(head, packed)
    except (
        OSError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
    ):  # whoever reads the files says what is wrong with them
        return None
    if not size:
        return None
    region = Region(size + head)
    # Beside int8 weights a float one is read, of twice or four times the size: its memory is spared meanwhile.
    region.populate(cpu.take_pages, spared=largest if quantization == "int8" else 0)
    return region


def _tensors(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """What a file says of its tensors, which lie in it."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > min(_LONGEST_HEADER, path.stat().st_size):
            raise ValueError("its header is longer than the file")
        header = json.loads(file.read(length))
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            item = _ITEM_BYTES.get(entry["dtype"])
            if not 0 <= begin <= end <= path.stat().st_size:
                raise ValueError("a tensor lies outside of the file")
            if item is not None and math.prod(entry["shape"]) * item != end - begin:
                raise ValueError("a tensor has another size than its shape")
            yield name, entry
