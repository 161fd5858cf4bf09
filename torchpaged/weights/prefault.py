"""Memory for a checkpoint's packed weights, whose pages are faulted in while transformers is still being imported."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import torch

from torchpaged.ops import active_backend, cpu
from torchpaged.ops.checks import FLOAT_DTYPES
from torchpaged.ops.grouped_weights import PANEL
from torchpaged.utils.huge_pages import Region
from torchpaged.utils.paths import expanded
from torchpaged.weights.safetensors_file import SafetensorsFile


def early_region(path: str | Path, dtype: str, quantization: Any, *, float32: bool = False) -> Region | None:
    """Reserve memory for the packed linear layers and head of a folder, and begin to fault its pages in.

    The caller closes the region when everything is packed, which gives back the pages that were not used.

    Args:
        dtype: of the weights: "auto" as the files have them, or a torch dtype's name.
        quantization: the engine's.
        float32: whether weights of that type are packed, too.

    Returns:
        None if it is not known what will be packed: no folder, experts, other kinds of files, no kernels.
    """
    if active_backend("packed_linear", "cpu") != "cpp" or cpu.isa() == "portable" or quantization not in (None, "int8"):
        return None
    size = largest = 0
    # Errors in the files are reported when they are read.
    with suppress(OSError, ValueError, LookupError, TypeError, AttributeError):
        size, largest = _packed_bytes(path, dtype, quantization, float32)
    if not size:
        return None
    region = Region(size)
    # int8: one float weight at a time is read besides, of two to four times the size, so its memory is spared.
    region.populate(cpu.take_pages, spared=largest if quantization == "int8" else 0)
    return region


def _packed_bytes(path: str | Path, dtype: str, quantization: Any, float32: bool) -> tuple[int, int]:
    """Sum up the headers of a folder's safetensors. ValueError and others for a broken file.

    Returns:
        (bytes of all packed weights, bytes of the largest one as it is stored); zeros if it is not known for some
        weights whether they will be packed.
    """
    size = head = largest = 0
    for each in sorted(Path(expanded(path)).glob("*.safetensors")):
        with SafetensorsFile(each) as file:
            entries = file.entries
        for name, entry in entries.items():
            if "experts" in name or entry.dtype not in FLOAT_DTYPES:
                return 0, 0
            if len(entry.shape) == 2:
                item = (entry.dtype if dtype == "auto" else getattr(torch, dtype)).itemsize
                if quantization is None and item == 4 and not float32:
                    return 0, 0
                outputs, inputs = entry.shape
                largest = max(largest, entry.nbytes)
                packed = -(-outputs // PANEL) * PANEL * inputs * (1 if quantization == "int8" else item)
                if any(part.isdigit() for part in name.split(".")):
                    size += packed
                else:  # an embedding, and a head unless it is tied to the embedding
                    head = max(head, packed)
    return (size + head if size else 0), largest
