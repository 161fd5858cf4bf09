"""Memory for tensors: where its pages lie."""

from __future__ import annotations

import sys

import pytest
import torch

from torchpaged.memory import huge_page_zeros


def test_huge_pages_are_aligned() -> None:
    tensor = huge_page_zeros((3, 5), torch.bfloat16)
    assert tensor.data_ptr() % (2 * 1024 * 1024) == 0 and tensor.storage_offset() == 0
    assert tensor.shape == (3, 5) and tensor.is_contiguous() and not tensor.any()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/self/maps")
def test_huge_pages_are_private_memory() -> None:
    """Shared memory follows shmem_enabled, which is "never" on most systems: it lay on 4 KiB pages."""
    tensor = huge_page_zeros((3, 5), torch.bfloat16)  # alive while the maps are read
    address = tensor.data_ptr()
    with open("/proc/self/maps") as maps:
        fields = [line.split() for line in maps]
    ranges = [([int(end, 16) for end in area.split("-")], permissions) for area, permissions, *_ in fields]
    assert [permissions for (start, end), permissions in ranges if start <= address < end] == ["rw-p"]
