"""`python -m torchpaged.doctor`: what this machine has for torchpaged, a short benchmark, and advice.

Prints facts (instruction set, threads, huge pages, memory, versions, kernels), times a decode step's attention and a
product for some seconds, and names what would make them faster. The exit status is 1 if something keeps torchpaged from
running well.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from importlib import metadata
from pathlib import Path

import torch

from torchpaged.csrc import build
from torchpaged.ops import active_backend, cpu, describe
from torchpaged.utils import environment
from torchpaged.utils.version import __version__

_HUGE_PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")


def facts() -> dict[str, str]:
    """Return what there is, by name."""
    isas = ", ".join(cpu.available_isas()) or "no kernels of the library"
    kernels = sorted({f"{row['backend'].rstrip('*')} ({row['device']})" for row in describe()})
    found = {
        "torchpaged": f"{__version__}, {Path(__file__).parent}",
        "python": f"{platform.python_version()} on {platform.system()} {platform.machine()}",
        **{name: _version(name) for name in ("torch", "triton", "transformers", "safetensors", "fastapi")},
        "instructions": f"{cpu.isa()}; this machine has {isas}",
        "library": str(build.find() or "none was built"),
        "threads": f"{torch.get_num_threads()} of {_cores()} cores",
        "memory": f"{_memory() / 2**30:.1f} GiB free" if _memory() else "unknown",
        "huge pages": _huge_pages(),
        "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else "none that torch sees",
        "kernels": ", ".join(kernels),
        "attention runs": f"{active_backend('paged_attention', 'cpu')} on the CPU, "
        f"{active_backend('paged_attention', 'cuda')} on CUDA",
    }
    return found


def measure(seconds: float) -> dict[str, str]:
    """Time a decode step's attention and a product in bfloat16, each for half the time."""
    tokens, heads, dim = 4096, 8, 128
    cache = torch.zeros(tokens // 16 + 1, 16, heads, dim, dtype=torch.bfloat16)
    query, table = torch.zeros(1, heads, dim, dtype=torch.bfloat16), torch.arange(1, tokens // 16 + 1)[None].int()
    lens, starts = (torch.tensor(each, dtype=torch.int32) for each in ([tokens], [0, 1]))
    weight = torch.zeros(4096, 4096, dtype=torch.bfloat16)
    ops = torch.ops.torchpaged
    with torch.inference_mode():
        packed, rows = ops.pack_linear_weight(weight), torch.zeros(1, 4096, dtype=torch.bfloat16)
        attention = _per_call(lambda: ops.paged_attention(query, cache, cache, table, lens, starts), seconds / 2)
        product = _per_call(lambda: ops.packed_linear(rows, packed, 4096), seconds / 2)
    moved = 2 * tokens * heads * dim * 2
    return {
        "decode attention": f"{attention * 1e6:.0f} us behind {tokens} tokens, {moved / attention / 1e9:.1f} GB/s",
        "decode product": f"{product * 1e6:.0f} us for 4096 x 4096, {weight.nbytes / product / 1e9:.1f} GB/s",
    }


def advice() -> Iterator[tuple[bool, str]]:
    """Yield (whether it is serious, what to do)."""
    if cpu.isa() == "none":
        yield True, "there is no C++ library: install a C++ compiler and run python -m torchpaged.csrc.build"
    elif cpu.isa() == "portable":
        yield False, "the portable kernels run: a CPU with AVX2 or NEON is several times faster"
    elif cpu.isa() != cpu.available_isas()[0]:
        yield False, f"TORCHPAGED_ISA chooses {cpu.isa()}: unset it for {cpu.available_isas()[0]}"
    if torch.get_num_threads() > _cores():
        yield True, f"torch has {torch.get_num_threads()} threads on {_cores()} cores: set OMP_NUM_THREADS={_cores()}"
    if _huge_pages().startswith("never"):
        yield False, f"huge pages are off: echo madvise > {_HUGE_PAGES} speeds up weights and caches"
    if os.environ.get("TORCHPAGED_BACKEND"):
        yield (
            False,
            f"TORCHPAGED_BACKEND={os.environ['TORCHPAGED_BACKEND']} asks for a backend: unset it for the default",
        )
    if environment.switch(environment.CHECK) and torch.cuda.is_available():
        yield False, "TORCHPAGED_CHECK reads values on the host in each call: unset it once all is well"
    if _version("transformers") == "not installed":
        yield False, "LLM and the server need transformers: pip install 'torchpaged[serve]'"
    if torch.cuda.is_available() and active_backend("paged_attention", "cuda") != "triton":
        yield True, "there is a GPU, and no Triton: pip install triton"


def _per_call(call: Callable[[], object], seconds: float) -> float:
    """Return the quickest of the calls that fit into the time."""
    call()
    times: list[float] = []
    end = time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _memory() -> int:
    """Return the bytes that are available; 0 if the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return 0
    return next((int(each.split()[1]) * 1024 for each in lines if each.startswith("MemAvailable")), 0)


def _huge_pages() -> str:
    try:
        text = _HUGE_PAGES.read_text()
    except OSError:
        return "unknown"
    return text[text.index("[") + 1 : text.index("]")] if "[" in text else text.strip()


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m torchpaged.doctor", description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=10.0, help="time of the benchmark; 0 for none (default: 10)")
    given = parser.parse_args(arguments)
    if not given.seconds >= 0:
        parser.error(f"--seconds is {given.seconds}, expected 0 or more")
    for name, value in {**facts(), **(measure(given.seconds) if given.seconds else {})}.items():
        print(f"{name:<18}{value}")
    found = list(advice())
    for is_serious, text in found:
        print(f"{'PROBLEM' if is_serious else 'advice':<18}{text}")
    if not found:
        print(f"{'advice':<18}none: all is as it should be")
    return int(any(is_serious for is_serious, _ in found))


if __name__ == "__main__":
    sys.exit(main())
