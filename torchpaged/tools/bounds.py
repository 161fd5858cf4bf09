"""What a machine could do at best: its read bandwidth and its matrix-product rate, and a workload's time under them."""

from __future__ import annotations

import ctypes
import math
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from torchpaged.csrc import build
from torchpaged.models.model import LayerShape, StateShape
from torchpaged.tools.workloads import Measure, Workload
from torchpaged.utils.huge_pages import huge_page_zeros

_READER = r"""
// Every cache line of a buffer once, by `threads` threads, as fast as the machine gives it.
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>
typedef uint64_t Line __attribute__((vector_size(64)));
extern "C" uint64_t read_all(const char* data, size_t size, int threads) {
  std::vector<std::thread> workers;
  std::vector<uint64_t> sums(threads * 16);
  size_t share = size / threads / 256 * 256;
  for (int t = 0; t < threads; ++t)
    workers.emplace_back([=, &sums] {
      Line a = {}, b = {}, c = {}, d = {};
      const char* p = data + t * share;
      for (size_t i = 0; i < share; i += 256) {
        __builtin_prefetch(p + i + 4096); __builtin_prefetch(p + i + 4160);
        __builtin_prefetch(p + i + 4224); __builtin_prefetch(p + i + 4288);
        a ^= *(const Line*)(p + i); b ^= *(const Line*)(p + i + 64);
        c ^= *(const Line*)(p + i + 128); d ^= *(const Line*)(p + i + 192);
      }
      a ^= b ^ c ^ d;
      sums[t * 16] = a[0] ^ a[3];
    });
  for (auto& worker : workers) worker.join();
  uint64_t total = 0;
  for (int t = 0; t < threads; ++t) total ^= sums[t * 16];
  return total;
}
"""
_FLOAT32 = 4
_READER_FLAGS = ("-O3", "-march=native", "-shared", "-fPIC", "-pthread")


@dataclass(frozen=True, slots=True)
class Limits:
    """Measured: bytes a second read from memory, and floating-point operations a second of a large product."""

    read: float
    gemm: float

    def __str__(self) -> str:
        return f"reads {self.read / 1e9:.1f} GB/s, multiplies matrices at {self.gemm / 1e9:.0f} GFLOP/s"


@dataclass(frozen=True, slots=True)
class Costs:
    """What a token costs in a model.

    Args:
        body: weights that every token is multiplied with, in elements.
        head: those that make logits of a sampled row.
        weight_bytes: of both, as a decode step reads them.
        layers: what they keep of a token.
        num_heads: of queries, in each layer.
        kv_itemsize: bytes of an element of the cache.
        states: what recurrent layers keep of a sequence.
        state_chunk: as of `ModelSpec`.
        gemm_factor: how many times `Limits.gemm` its products reach at most: 2 for weights of 8 bits, since an
            instruction multiplies twice as many of them (AVX-512 VNNI beside AVX-512 BF16).
    """

    body: int
    head: int
    weight_bytes: int
    layers: Sequence[LayerShape]
    num_heads: int
    kv_itemsize: int
    gemm_factor: float = 1.0
    states: Sequence[StateShape] = ()
    state_chunk: int = 64

    def kv_bytes(self, context: int) -> int:
        """Read for a token that sees this many, its own included: keys and values, states and what came since."""
        read = sum(layer.elements * _visible(layer, context) for layer in self.layers) * self.kv_itemsize
        behind = context - 1
        for shape in self.states:
            kept = math.prod(shape.state) if behind >= self.state_chunk else 0
            read += _FLOAT32 * (kept + behind % self.state_chunk * shape.tail)
        return read

    def flops(self, tokens: int, behind: int = 0) -> int:
        """Of consecutive tokens of one sequence, without their logits.

        Args:
            behind: tokens before them.
        """
        pairs = 0
        for layer in self.layers:
            if layer.convolution:  # its products are weights', which are in the body
                continue
            limit = layer.sliding_window or layer.attention_chunk_size
            seen = sum(min(limit, behind + i + 1) for i in range(tokens)) if limit else _triangle(behind, tokens)
            pairs += seen * (layer.head_dim + layer.head_dim_v)
        states = sum(math.prod(shape.state) for shape in self.states)  # read once and written once by each token
        return 2 * (self.body + 2 * states) * tokens + 2 * self.num_heads * pairs


def _visible(layer: LayerShape, context: int) -> int:
    limit = layer.sliding_window or layer.attention_chunk_size
    return min(limit, context) if limit else context


def _triangle(behind: int, tokens: int) -> int:
    return tokens * behind + tokens * (tokens + 1) // 2


def bound(workload: Workload, costs: Costs, limits: Limits) -> tuple[float, str]:
    """The highest rate, in `workload.unit`, that the limits allow, and which of them it is: "read" or "gemm".

    A step takes at least as long as reading its weights, keys and values once, and as its products do; requests
    take at least the longest of them's number of steps.
    """
    steps = list(_steps(workload, costs))
    if workload.measure is Measure.REQUESTS:  # how prompts are spread over the steps is the engine's choice
        steps = [(sum(read for read, _ in steps), sum(flops for _, flops in steps))]
    gemm = limits.gemm * costs.gemm_factor
    by_limit = [(read / limits.read, flops / gemm) for read, flops in steps]
    seconds = sum(max(pair) for pair in by_limit)
    reads = sum(pair[0] for pair in by_limit) >= sum(pair[1] for pair in by_limit)
    if workload.measure is Measure.PREFILL:
        done = sum(map(len, workload.prompts))
    elif workload.measure is Measure.REQUESTS:
        done = sum(workload.max_tokens)
    else:
        done = len(workload.prompts) * workload.counted_steps
    return done / seconds, "read" if reads else "gemm"


def _steps(workload: Workload, costs: Costs) -> list[tuple[int, int]]:
    """(bytes, floating-point operations) of each step that is timed: one for all prompts, then the decode steps."""
    rows, lengths = len(workload.prompts), [len(prompt) for prompt in workload.prompts]
    once = workload.shared
    prefill = costs.flops(once) + sum(costs.flops(length - once, once) for length in lengths) + 2 * costs.head * rows
    steps = [(costs.weight_bytes, prefill)]
    for step in range(1, max(workload.max_tokens)):
        contexts = [n + step for n, count in zip(lengths, workload.max_tokens, strict=True) if step < count]
        read = costs.weight_bytes + sum(costs.kv_bytes(n) for n in contexts)
        read -= costs.kv_bytes(once) * (len(contexts) - 1) if once else 0
        steps.append((read, sum(costs.flops(1, n - 1) + 2 * costs.head for n in contexts)))
    return steps[-workload.counted_steps :] if workload.measure is Measure.DECODE else steps


def costs_of(
    config: Any,
    layers: Mapping[int, LayerShape],
    itemsize: int,
    kv_itemsize: int,
    *,
    quantised: Mapping[str, int] | None = None,
    trust_remote_code: bool = False,
    states: Sequence[StateShape] = (),
    state_chunk: int = 64,
) -> Costs | None:
    """Of a transformers model; None for a mixture of experts, whose steps read the experts that its tokens chose.

    Counted on a model without memory, so that it holds however the loaded one keeps its weights.

    Args:
        config: of the decoder.
        layers: by index.
        itemsize: bytes of a weight.
        kv_itemsize: bytes of an element of the cache.
        quantised: bytes of the linear modules whose weights have 8 or 4 bits, scales included, by name.
        trust_remote_code: whether the model is one of code that its checkpoint brought.
        states, state_chunk: of recurrent layers.
    """
    from transformers import AutoModelForCausalLM

    if any("expert" in name and isinstance(n, int) and n > 1 for name, n in config.to_dict().items()):
        return None
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config, trust_remote_code=trust_remote_code)
    embedding, head = model.get_input_embeddings().weight, model.get_output_embeddings().weight
    total = sum(parameter.numel() for parameter in model.parameters())
    body = total - head.numel() - (0 if head is embedding else embedding.numel())
    read = itemsize * (body + head.numel())
    for name, nbytes in (quantised or {}).items():
        read += nbytes - itemsize * model.get_submodule(name).weight.numel()
    shapes = tuple(layers.values())
    heads = getattr(config, "num_attention_heads", 0)  # Mamba has none
    factor = 2.0 if quantised else 1.0
    return Costs(body, head.numel(), read, shapes, heads, kv_itemsize, factor, states, state_chunk)


@cache
def reader() -> Callable[[Tensor], None]:
    """A function that reads a whole CPU tensor with all threads: compiled here, or torch's sum without a compiler."""
    threads = torch.get_num_threads()
    try:
        compiler = build.compiler()
    except build.BuildError:
        return lambda tensor: tensor.view(-1).view(torch.float32).sum() and None  # type: ignore[return-value]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "read.cpp"
        source.write_text(_READER)
        wide = ["-mprefer-vector-width=512"] if os.uname().machine == "x86_64" else []
        subprocess.run([*compiler, *_READER_FLAGS, *wide, str(source), "-o", f"{folder}/read.so"], check=True)
        library = ctypes.CDLL(f"{folder}/read.so")  # stays mapped when its file is gone
    library.read_all.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    library.read_all.restype = ctypes.c_uint64

    def read(tensor: Tensor) -> None:
        library.read_all(tensor.data_ptr(), tensor.nbytes, threads)

    return read


def _fast_ones(dtypes: set[torch.dtype]) -> set[torch.dtype]:
    """Return the types in which a small product on the CPU takes less than eight times the fastest one's time."""
    seconds = {}
    for dtype in dtypes:
        square = torch.randn(256, 256).to(dtype)
        torch.mm(square, square)
        start = time.perf_counter()
        torch.mm(square, square)
        seconds[dtype] = time.perf_counter() - start
    return {dtype for dtype, took in seconds.items() if took < 8 * min(seconds.values())}


class Gauge:
    """Measures a device's limits, again and again over a benchmark: a shared machine swings within minutes.

    Args:
        device: CPU or CUDA.
        dtype: of the products; on the CPU of float32 too, and the faster counts.
        nbytes: of the buffer that is read; on the CPU it lies on huge pages.
    """

    def __init__(self, device: torch.device, dtype: torch.dtype, nbytes: int = 512 << 20) -> None:
        self.device = device
        self.samples: list[Limits] = []
        size = 2048 if device.type == "cpu" else 8192
        self._flops = 2 * size**3
        # A CPU without instructions for bfloat16 multiplies it no faster than float32, and torch fifty times slower.
        dtypes = _fast_ones({dtype, torch.float32}) if device.type == "cpu" else {dtype}
        self._pairs = [[torch.randn(size, size, device=device).to(each) for _ in range(2)] for each in dtypes]
        if device.type == "cpu":
            self._buffer, self._read = huge_page_zeros((nbytes,), torch.uint8), reader()
        else:
            self._buffer = torch.empty(nbytes, dtype=torch.uint8, device=device)
            self._read = lambda tensor: tensor.view(torch.float32).sum() and None  # type: ignore[assignment]
        self._buffer.fill_(0)

    def sample(self, repeats: int = 3) -> Limits:
        """The best of a few calls: a limit is what the machine gives when nobody disturbs it."""
        read = min(self._seconds(lambda: self._read(self._buffer)) for _ in range(repeats))
        gemm = min(self._seconds(partial(torch.mm, *pair)) for pair in self._pairs for _ in range(repeats))
        self.samples.append(Limits(self._buffer.nbytes / read, self._flops / gemm))
        return self.samples[-1]

    @property
    def median(self) -> Limits:
        """Of all samples."""
        return Limits(*(statistics.median(getattr(s, name) for s in self.samples) for name in ("read", "gemm")))

    def _seconds(self, function: Callable[[], object]) -> float:
        self._wait()
        start = time.perf_counter()
        function()
        self._wait()
        return time.perf_counter() - start

    def _wait(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
