"""Parts that kernels share: quantised codes, the search for a token's sequence, and properties of the device.

The codes of the 8-bit floats are made and read with integer arithmetic where the hardware has no conversion,
so that one kernel serves sm_80 (no e4m3 conversions), sm_90 and Triton's interpreter with the same bits.
"""

from __future__ import annotations

from functools import lru_cache

import torch
import triton
import triton.language as tl
from torch import Tensor
from triton import knobs
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from torchpaged.ops import checks
from torchpaged.utils import environment

# How the elements of a cache are stored.
PLAIN = tl.constexpr(0)
FLOAT8_E4M3 = tl.constexpr(1)
FLOAT8_E5M2 = tl.constexpr(2)
INT8 = tl.constexpr(3)

# The kinds of scales: none, one value, one for each KV head, one for each token and head.
NO_SCALE = tl.constexpr(0)
SCALE_PER_TENSOR = tl.constexpr(1)
SCALE_PER_HEAD = tl.constexpr(2)
SCALE_PER_TOKEN = tl.constexpr(3)

_KINDS = {
    torch.float8_e4m3fn: FLOAT8_E4M3.value,
    torch.float8_e5m2: FLOAT8_E5M2.value,
    torch.int8: INT8.value,
}

# A step in few launches: the last program of split results merges them. No device has run it yet.
_FUSED_STEP = environment.switch(environment.FUSED_STEP)
_PDL = environment.switch(environment.PDL)  # no device has run it yet

# Streams of a device that have counters, and how many each has.
MOST_STREAMS = 16
MOST_COUNTERS = 16384
_streams: dict[tuple[torch.device, int], int] = {}
_counters: dict[torch.device, Tensor] = {}

# Entries of query_start_loc that one search step looks at: a batch of 255 sequences takes one.
SEARCH_WIDTH = tl.constexpr(256)


def kind(cache: Tensor) -> int:
    """Return how a cache's elements are stored; every type that is not quantised is PLAIN."""
    return _KINDS.get(cache.dtype, PLAIN.value)


def raw(cache: Tensor) -> Tensor:
    """Return the cache as a kernel takes it: 8-bit floats as their codes."""
    return cache.view(torch.uint8) if kind(cache) in (FLOAT8_E4M3.value, FLOAT8_E5M2.value) else cache


def scale_arguments(scale: Tensor | None, placeholder: Tensor) -> tuple[Tensor, int, tuple[int, int, int]]:
    """Return a scale as a kernel takes it: the tensor, its kind, its strides (block, token, head)."""
    if scale is None:
        return placeholder, NO_SCALE.value, (0, 0, 0)
    if scale.dim() == 0:
        return scale, SCALE_PER_TENSOR.value, (0, 0, 0)
    if scale.dim() == 1:
        return scale, SCALE_PER_HEAD.value, (0, 0, scale.stride(0))
    block, token, head = scale.stride()
    return scale, SCALE_PER_TOKEN.value, (block, token, head)


@lru_cache(maxsize=64)
def amd(device: torch.device) -> str:
    """Return the architecture of an AMD device, such as "gfx942", and "" for others. torch calls both "cuda"."""
    if torch.version.hip is None or device.type != "cuda":
        return ""
    name: str = torch.cuda.get_device_properties(device).gcnArchName
    return name.split(":")[0]  # "gfx942:sramecc+:xnack-"


def is_rdna(amd: str) -> bool:
    """Return whether an AMD architecture has waves of 32 threads with 256 registers each, half as many as CDNA."""
    return bool(amd) and not amd.startswith("gfx9")


@lru_cache(maxsize=64)
def capability(device: torch.device) -> tuple[int, int]:
    """Return (major, minor) of a CUDA device, (0, 0) of AMD's, and an H200's in Triton's interpreter."""
    if amd(device):  # torch reports (9, 4) for a gfx942, which is not a Hopper
        return 0, 0
    return torch.cuda.get_device_capability(device) if device.type == "cuda" else (9, 0)


def at_most_registers(device: torch.device, count: int) -> dict[str, int]:
    """Return the launch option that bounds a thread's registers; AMD's compiler has none, and Triton refuses it."""
    return {} if amd(device) else {"maxnreg": count}


def dependent_launch(device: torch.device) -> dict[str, bool]:
    """Return the arguments and the option of a launch that may begin before the one in front of it has ended.

    Programmatic dependent launch, on Hopper and later where TORCHPAGED_PDL=1 asks for it. What is in front is waited
    for by `wait_for_inputs`, with which every kernel that gets these begins.
    """
    wanted = _PDL and not knobs.runtime.interpret and capability(device) >= (9, 0)
    return {"PDL": True, "launch_pdl": True} if wanted else {"PDL": False}


def _all_counters(device: torch.device) -> Tensor:
    if device not in _counters:
        _counters[device] = torch.zeros((MOST_STREAMS, MOST_COUNTERS), dtype=torch.int32, device=device)
        if device.type == "cuda":  # other streams do not wait for this one
            torch.cuda.current_stream(device).synchronize()
    return _counters[device]


def counters(device: torch.device, count: int) -> Tensor | None:
    """Return counters that are zero between launches on the current stream; None where there are too few.

    The kernel that counts with them sets them back to zero, so that a graph can be replayed. A graph uses those of the
    stream that captured it: two graphs that one stream has captured must not run at the same time. They are made
    outside a capture, because a capture would record that they are cleared.
    """
    if not _FUSED_STEP or count > MOST_COUNTERS:
        return None
    stream = 0
    if device.type == "cuda":
        if device not in _counters and torch.cuda.is_current_stream_capturing():
            return None
        stream = torch.cuda.current_stream(device).cuda_stream
    place = _streams.setdefault((device, stream), sum(known == device for known, _ in _streams))
    return _all_counters(device)[place] if place < MOST_STREAMS else None


def checked() -> dict[str, bool]:
    """Return launch options that compile `tl.device_assert` in with `TORCHPAGED_CHECK=1`, but no overflow checks."""
    return {"debug": True, "sanitize_overflow": False} if checks.ENABLED and not knobs.runtime.interpret else {}


@lru_cache(maxsize=64)
def multiprocessors(device: torch.device) -> int:
    """Return the number of streaming multiprocessors; a small number in Triton's interpreter."""
    return torch.cuda.get_device_properties(device).multi_processor_count if device.type == "cuda" else 4


def native_float8(device: torch.device) -> bool:
    """Return whether e4m3 codes convert in hardware: compute capability 8.9 and later, never in the interpreter.

    AMD's devices do not: a gfx942 converts e4m3fnuz, whose codes have other values, and a gfx1100 has no conversion.
    """
    return not knobs.runtime.interpret and capability(device) >= (8, 9)


def power_of_two(size: int) -> int:
    """Round `size` up to a power of two, at least 16: the smallest side that `tl.dot` takes."""
    return max(16, triton.next_power_of_2(size))


@triton.jit
def wait_for_inputs(PDL: tl.constexpr):
    """Wait for the launches in front, and let the next one begin to wait for this one."""
    if PDL:
        gdc_launch_dependents()
        gdc_wait()


@triton.jit
def find_sequence(starts_ptr, num_seqs, position, TOKENS: tl.constexpr):
    """Return the sequence whose tile or token is `position`; `num_seqs` for padding rows, -1 before the first.

    A tile holds TOKENS query tokens of one sequence. Sequence i's tiles begin at `starts[i] // TOKENS + i`:
    that leaves room for each one's last, partial tile, and needs only query_start_loc. One vector load
    counts the beginnings at or before `position`; a binary search would be a chain of dependent loads.
    """
    count = 0
    for first in range(0, num_seqs + 1, SEARCH_WIDTH):
        i = first + tl.arange(0, SEARCH_WIDTH)
        start = tl.load(starts_ptr + i, mask=i <= num_seqs, other=0)
        begin = start if TOKENS == 0 else start // TOKENS + i
        count += tl.sum(((begin <= position) & (i <= num_seqs)).to(tl.int32), axis=0)
    return count - 1


@triton.jit
def decode(codes, KIND: tl.constexpr, NATIVE: tl.constexpr, DTYPE: tl.constexpr):
    """Convert a cache's elements to DTYPE, exactly: float16, bfloat16 and float32 have all values of 8-bit codes.

    The way leads through float16, which takes one conversion at most: conversions, not memory, were the bottleneck of
    8-bit caches.
    """
    if KIND == PLAIN:
        values = codes
    elif KIND == INT8:  # as the low bits of a float16 from 1024 on, where its steps are 1
        bits = (codes.to(tl.uint8, bitcast=True) ^ 0x80).to(tl.uint16) | 0x6400
        values = (bits.to(tl.float16, bitcast=True) - 1152.0).to(DTYPE)
    elif KIND == FLOAT8_E5M2:  # the upper byte of a float16
        values = (codes.to(tl.uint16) << 8).to(tl.float16, bitcast=True).to(DTYPE)
    elif NATIVE:
        values = codes.to(tl.float8e4nv, bitcast=True).to(tl.float16).to(DTYPE)
    else:
        # e4m3's four exponent bits in float16's five: 2^8 too small, subnormals too. 0x7F is the NaN.
        wide = codes.to(tl.uint16)
        magnitude = wide & 0x7F
        bits = ((wide & 0x80) << 8) | (magnitude << 7)
        finite = bits.to(tl.float16, bitcast=True) * 256.0
        values = tl.where(magnitude == 0x7F, float("nan"), finite).to(DTYPE)
    return values


@triton.jit
def tanh(x, DTYPE: tl.constexpr):
    """Compute tanh of a float32, to float32's precision if DTYPE, the query's type, is float32.

    Near 0, where 1 - exp(-2x) cancels, it takes Cephes' polynomial (tanhf.c).
    """
    e = tl.exp2(tl.abs(x) * -2.8853900817779268)
    result = (1.0 - e) / (1.0 + e)
    result = tl.where(x < 0.0, -result, result)
    if tl.float32 == DTYPE:
        z = x * x
        near = -5.70498872745e-3 * z + 2.06390887954e-2
        near = near * z - 5.37397155531e-2
        near = near * z + 1.33314422036e-1
        near = near * z - 3.33332819422e-1
        result = tl.where(tl.abs(x) < 0.625, near * z * x + x, result)
    return result


@triton.jit
def encode(x, KIND: tl.constexpr):
    """Convert float32 to a cache's codes: the nearest value, ties to even, saturated at the type's largest."""
    if KIND == INT8:
        # Numbers from 1.5 * 2^23 on have no fraction: adding that rounds.
        codes = ((tl.minimum(tl.maximum(x, -127.0), 127.0) + 12582912.0) - 12582912.0).to(tl.int8)
    else:
        # Below the smallest normal number, codes count multiples of the smallest subnormal: adding 2^23 of those
        # leaves the count in the low bits. Above it, the exponent's bias changes and low bits round away.
        LARGEST: tl.constexpr = 448.0 if KIND == FLOAT8_E4M3 else 57344.0
        SMALLEST_NORMAL: tl.constexpr = 0.015625 if KIND == FLOAT8_E4M3 else 0.00006103515625
        COUNTER: tl.constexpr = 16384.0 if KIND == FLOAT8_E4M3 else 128.0
        COUNTER_BITS: tl.constexpr = (127 + 14) << 23 if KIND == FLOAT8_E4M3 else (127 + 7) << 23
        DROPPED: tl.constexpr = 20 if KIND == FLOAT8_E4M3 else 21
        BIAS: tl.constexpr = (127 - 7) << 3 if KIND == FLOAT8_E4M3 else (127 - 15) << 2
        sign = (x.to(tl.int32, bitcast=True) >> 24) & 0x80
        magnitude = tl.minimum(tl.abs(x), LARGEST)
        bits = magnitude.to(tl.int32, bitcast=True)
        half = (1 << (DROPPED - 1)) - 1
        normal = ((bits + half + ((bits >> DROPPED) & 1)) >> DROPPED) - BIAS
        subnormal = (magnitude + COUNTER).to(tl.int32, bitcast=True) - COUNTER_BITS
        code = tl.where(magnitude < SMALLEST_NORMAL, subnormal, normal)
        codes = (tl.where(x != x, 0x7F, code) | sign).to(tl.uint8)
    return codes


def largest(dtype: torch.dtype) -> float:
    """Return the largest magnitude that a quantised type stores."""
    return 127.0 if dtype == torch.int8 else torch.finfo(dtype).max
