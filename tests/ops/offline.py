"""Devices to compile kernels for without having one: the answers to Triton and our launchers, and each one's limits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Target:
    """One kind of device.

    Attributes:
        shared_memory: bytes that one program may use.
        wave: threads of a warp.
    """

    name: str  # as its maker calls it: "sm_90", "gfx942"
    shared_memory: int
    wave: int = 32

    @property
    def amd(self) -> str:
        """Return the value of `common.amd`."""
        return self.name if self.name.startswith("gfx") else ""

    @property
    def capability(self) -> tuple[int, int]:
        """Return the value of `common.capability`."""
        return (0, 0) if self.amd else divmod(int(self.name.removeprefix("sm_")), 10)  # type: ignore[return-value]

    @contextmanager
    def active(self) -> Iterator[None]:
        """Make launches compile for it without running; needs a process without Triton's interpreter."""
        import triton
        from triton.backends.compiler import GPUTarget

        from torchpaged.ops.triton import common

        kind: tuple[Any, ...] = ("hip", self.amd) if self.amd else ("cuda", int(self.name.removeprefix("sm_")))

        class Driver:
            """A driver that answers a launch's queries before the compilation."""

            def get_current_target(self) -> GPUTarget:
                return target

            def get_current_device(self) -> int:
                return 0

            def get_current_stream(self, device: int) -> int:
                return 0

        target = GPUTarget(*kind, self.wave)
        triton.runtime.driver.set_active(Driver())
        triton.knobs.compilation.always_compile = True  # a cached kernel has no report
        triton.knobs.nvidia.dump_ptxas_log = True
        kept = common.amd, common.capability
        common.amd, common.capability = (lambda device: self.amd), (lambda device: self.capability)  # type: ignore
        try:
            yield
        finally:
            common.amd, common.capability = kept

    def report(self, log: str, assembly: dict[str, Any]) -> dict[str, int]:
        """Return a thread's registers, bytes spilled to memory, and scalars spilled to vector registers.

        Args:
            log: what the assembler said (NVIDIA).
            assembly: the kernel's, whose metadata says it (AMD).
        """
        if not self.amd:
            (registers,) = re.findall(r"Used (\d+) registers", log)
            return {"registers": int(registers), "spill_bytes": sum(map(int, re.findall(r"(\d+) bytes spill", log)))}
        names = {"registers": "vgpr_count", "spill_bytes": "private_segment_fixed_size"}
        names["scalar_spills"] = "sgpr_spill_count"
        text = assembly["amdgcn"]
        return {name: int(re.search(rf"\.{key}:\s+(\d+)", text)[1]) for name, key in names.items()}  # type: ignore[index]


# A100; L40 and RTX 40; H100 and H200; B200; RTX 50; MI300; RX 7900.
TARGETS = {
    target.name: target
    for target in (
        Target("sm_80", 166_912),
        Target("sm_89", 101_376),
        Target("sm_90", 232_448),
        Target("sm_100", 232_448),
        Target("sm_120", 101_376),
        Target("gfx942", 65_536, wave=64),
        Target("gfx1100", 65_536),
    )
}
