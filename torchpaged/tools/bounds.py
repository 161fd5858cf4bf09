"""Limits of a machine, its memory bandwidth and matrix-product rate, and the upper bounds for workloads under them."""

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
    """Measured limits: bytes per second read from memory, and operations per second of a large matrix product."""

    read: float
    gemm: float

    def __str__(self) -> str:
        return f"reads {self.read / 1e9:.1f} GB/s, multiplies matrices at {self.gemm / 1e9:.0f} GFLOP/s"


@dataclass(frozen=True, slots=True)
class Costs:
    """Costs of a token in a model.

    Args:
        body: number of weights that every token is multiplied with.
        head: number of weights that compute the logits of a sampled row.
        weight_bytes: bytes of both, as a decode step reads them.
        layers: shapes of the layers' KV cache.
        num_heads: query heads per layer.
        kv_itemsize: bytes of a number of the cache.
        states: shapes of the states of recurrent layers.
        state_chunk: as in `ModelSpec`.
        gemm_factor: maximum rate of its products relative to `Limits.gemm`: 2 for weights of 8 bits, because an
            instruction multiplies twice as many (AVX-512 VNNI against AVX-512 BF16).
    """

    body: int
    head: int
    weight_bytes: int
    layers: Sequence[LayerShape]
    num_heads: int
    kv_itemsize: float
    gemm_factor: float = 1.0
    states: Sequence[StateShape] = ()
    state_chunk: int = 64

    def kv_bytes(self, context: int) -> int:
        """Return the cache bytes read for a token that attends to this many, itself included, with states."""
        numbers = sum(layer.elements * _visible(layer, context) for layer in self.layers)
        rows = [each for layer in self.layers for each in layer.index]
        numbers += sum(-(-context // each.tokens_per_row) * each.heads * each.dim for each in rows)
        read = round(numbers * self.kv_itemsize)
        behind = context - 1
        for shape in self.states:
            kept = math.prod(shape.state) if behind >= self.state_chunk else 0
            read += _FLOAT32 * (kept + behind % self.state_chunk * shape.tail)
        return read

    def flops(self, tokens: int, behind: int = 0) -> int:
        """Return the operations for consecutive tokens of one sequence, without their logits.

        Args:
            behind: number of tokens before them.
        """
        pairs = 0
        for layer in self.layers:
            if layer.convolution:  # only has products with weights, which `body` counts
                continue
            limit = _most_seen(layer)
            seen = sum(min(limit, behind + i + 1) for i in range(tokens)) if limit else _triangle(behind, tokens)
            pairs += seen * (layer.head_dim + layer.head_dim_v)
        states = sum(math.prod(shape.state) for shape in self.states)  # a token reads and writes each state once
        return 2 * (self.body + 2 * states) * tokens + 2 * self.num_heads * pairs


def _most_seen(layer: LayerShape) -> int:
    """Return the most tokens that a query attends to; 0 for all."""
    limits = (layer.sliding_window, layer.attention_chunk_size, layer.num_selected)
    return min((limit for limit in limits if limit), default=0)


def _visible(layer: LayerShape, context: int) -> int:
    limit = _most_seen(layer)
    return min(limit, context) if limit else context


def _triangle(behind: int, tokens: int) -> int:
    return tokens * behind + tokens * (tokens + 1) // 2


def bound(workload: Workload, costs: Costs, limits: Limits) -> tuple[float, str]:
    """Return the highest rate, in `workload.unit`, that the limits allow, and the limit: "read" or "gemm".

    A step takes at least the time of reading its weights, keys and values once, and of its products; a workload takes
    at least as many steps as its longest request.
    """
    steps = list(_steps(workload, costs))
    if workload.measure is Measure.REQUESTS:  # the engine may distribute prompts over the steps in any way
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
    """Yield (bytes, floating-point operations) of each timed step: one for all prompts, then the decode steps."""
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
    kv_itemsize: float,
    *,
    quantised: Mapping[str, int] | None = None,
    trust_remote_code: bool = False,
    states: Sequence[StateShape] = (),
    state_chunk: int = 64,
) -> Costs | None:
    """Return the costs of a transformers model; None for a mixture of experts, which reads only the chosen experts.

    Weights are counted on a model on the meta device, whatever format the loaded model has.

    Args:
        config: the decoder's config.
        layers: shapes by layer index.
        itemsize: bytes of a weight.
        kv_itemsize: bytes of a number of the cache.
        quantised: bytes of linear modules with weights of 8 or 4 bits, scales included, by name.
        trust_remote_code: the model's code comes from its checkpoint.
        states, state_chunk: as in `ModelSpec`.
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
    """Return a function that reads a whole CPU tensor with all threads: compiled here, or torch's sum."""
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
        library = ctypes.CDLL(f"{folder}/read.so")  # stays mapped after the file is deleted
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
    """Repeated measurement of a device's limits, which vary within minutes on a shared machine.

    Args:
        device: CPU or CUDA.
        dtype: dtype of the products; on the CPU float32 is measured too, and the faster one counts.
        nbytes: size of the buffer to read; on the CPU it is on huge pages.
    """

    def __init__(self, device: torch.device, dtype: torch.dtype, nbytes: int = 512 << 20) -> None:
        self.device = device
        self.samples: list[Limits] = []
        size = 2048 if device.type == "cpu" else 8192
        self._flops = 2 * size**3
        # Without bfloat16 instructions it is no faster than float32 at best, and fifty times slower in torch.
        dtypes = _fast_ones({dtype, torch.float32}) if device.type == "cpu" else {dtype}
        self._pairs = [[torch.randn(size, size, device=device).to(each) for _ in range(2)] for each in dtypes]
        if device.type == "cpu":
            self._buffer, self._read = huge_page_zeros((nbytes,), torch.uint8), reader()
        else:
            self._buffer = torch.empty(nbytes, dtype=torch.uint8, device=device)
            self._read = lambda tensor: tensor.view(torch.float32).sum() and None  # type: ignore[assignment]
        self._buffer.fill_(0)

    def sample(self, repeats: int = 3) -> Limits:
        """Take the best of a few calls, because a limit is the speed without disturbance."""
        read = min(self._seconds(lambda: self._read(self._buffer)) for _ in range(repeats))
        gemm = min(self._seconds(partial(torch.mm, *pair)) for pair in self._pairs for _ in range(repeats))
        self.samples.append(Limits(self._buffer.nbytes / read, self._flops / gemm))
        return self.samples[-1]

    @property
    def median(self) -> Limits:
        """Median of all samples."""
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
