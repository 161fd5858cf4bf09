"""Every Triton kernel, compiled for NVIDIA and AMD in the configurations its launcher can choose, without a GPU.

    python -m tests.ops.test_triton_compile [--target sm_90] [--few | --full] [--table | --json FILE]

prints registers, spills and shared memory. The launchers run as they are: a stand-in for the driver names the target
(`offline.py`), and a launch stops once its kernel is compiled. That needs a process in which Triton is not in
its interpreter, so the tests run this file as a program.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.ops.offline import TARGETS, Target

ALL = ("window", "softcap", "alibi", "sinks", "tree")
DTYPES = {
    "f32": torch.float32,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "e4m3": torch.float8_e4m3fn,
    "e5m2": torch.float8_e5m2,
    "int8": torch.int8,
}


@dataclass(frozen=True)
class Case:
    """One call of paged_attention and the compilations that it needs."""

    head_dim: int
    head_dim_v: int = 0  # 0: as head_dim
    dtype: str = "bf16"
    cache: str = ""  # "": as dtype
    scale: str = "token"  # of a quantised cache
    heads: tuple[int, int] = (8, 2)
    block_size: int = 16
    features: tuple[str, ...] = ()
    causal: bool = True
    alias: bool = False
    # "deep": split, with a merge of many chunks; "mixed": split for sequences of one token, fold for the others
    modes: tuple[str, ...] = ("split", "fold", "one")

    def __str__(self) -> str:
        names = [f"{self.head_dim}/{self.head_dim_v or self.head_dim}", self.dtype, self.cache, *self.features]
        names.append("h{}/{}".format(*self.heads) if self.heads != (8, 2) else "")
        return "-".join(filter(None, [*names, "mla" * self.alias, f"b{self.block_size}"]))


@dataclass(frozen=True)
class Row:
    """Resources of one kernel."""

    target: str
    case: str
    kernel: str
    registers: int  # of a thread; AMD's vector registers
    spill_bytes: int  # of a thread, to memory
    shared_bytes: int
    num_warps: int
    layouts: tuple[str, ...]  # of NVIDIA's tensor-core operations
    scalar_spills: int = 0  # AMD's, to vector registers


def cases(full: bool) -> Iterator[Case]:
    """Yield the launcher's choices at their extremes; with `full`, every size and type, with and without features."""
    mla: dict[str, Any] = {"head_dim": 576, "head_dim_v": 512, "heads": (16, 1), "alias": True}
    if not full:
        yield Case(128, modes=("split", "fold", "one", "deep", "mixed"))
        yield Case(128, dtype="f16", cache="e4m3", modes=("split",))
        yield Case(64, features=("window", "sinks"), modes=("split", "fold"))
        yield Case(80, block_size=64, features=ALL, modes=("split",))
        yield Case(256, modes=("split", "fold"))
        yield Case(192, head_dim_v=128, heads=(2, 2), modes=("fold",))
        yield Case(**mla, modes=("split",))
        yield Case(128, features=("selected",), modes=("split", "one"))
        yield Case(**mla, features=("selected",), modes=("split",))
        yield Case(96, dtype="f32", features=ALL, modes=("split",))
        yield Case(64, features=("mods",), modes=("fold",))
        return
    sizes = [{"head_dim": d} for d in (32, 64, 80, 96, 128, 256)]
    sizes += [{"head_dim": 192, "head_dim_v": 128}, {"head_dim": 64, "head_dim_v": 128}, mla]
    types = [("f32", ""), ("f16", ""), ("bf16", ""), *(("bf16", cache) for cache in ("e4m3", "e5m2", "int8"))]
    types += [("f16", "e4m3"), ("f32", "e4m3"), ("f32", "int8")]
    for size in sizes:
        for dtype, cache in types:
            for features in ((), ALL):
                yield Case(**size, dtype=dtype, cache=cache, features=features, modes=("split", "fold"))
        for features in ((), ("window", "sinks")):
            for block_size in (24, 32, 64, 256) if size["head_dim"] == 128 else (64,):
                yield Case(**size, features=features, block_size=block_size, modes=("split", "fold", "one", "mixed"))
    for features in (("softcap",), ("alibi",), ("bias",), ("tree",), ("window", "softcap"), ("selected",), ("mods",)):
        for size in sizes:
            yield Case(**size, features=features)
            yield Case(**{**size, "heads": (9, 3)}, features=features, causal=False)
    for heads in ((4, 4), (5, 1), (9, 3), (71, 1)):
        yield Case(64, heads=heads, modes=("fold", "mixed", "deep"))
        yield Case(128, heads=heads, modes=("fold", "mixed", "deep"))


def attend(case: Case, mode: str) -> None:
    """Calls the launcher as an application would; tensors are small, shapes choose the mode."""
    from torchpaged.ops.triton import LAUNCHERS

    tokens, blocks, (heads, kv_heads) = 4, 8, case.heads
    dtype, cache = DTYPES[case.dtype], DTYPES[case.cache or case.dtype]
    dim_v = case.head_dim_v or case.head_dim
    keys = torch.zeros(blocks, case.block_size, kv_heads, case.head_dim, dtype=cache)
    values = keys[..., :dim_v] if case.alias else torch.zeros(*keys.shape[:3], dim_v, dtype=cache)
    context = {"one": 512, "deep": 32768}.get(mode, 4096)
    starts = torch.zeros(tokens + 1, dtype=torch.int32)
    scale = None
    if case.cache:
        scale = {"tensor": torch.ones(()), "head": torch.ones(kv_heads), "token": torch.ones(keys.shape[:3])}[
            case.scale
        ]
    out = torch.zeros(tokens, heads, dim_v, dtype=dtype)
    operator, selected, granularity = "paged_attention", (), {}
    if "selected" in case.features:  # for each KV head, as many keys as the table has
        operator, granularity = "paged_sparse_attention", {"granularity": 8}
        selected = (torch.zeros(tokens, kv_heads, max(1, context // 8), dtype=torch.int32),)
    LAUNCHERS[operator](
        torch.zeros(tokens, heads, case.head_dim, dtype=dtype),
        keys,
        values,
        torch.zeros(tokens, max(1, context // case.block_size), dtype=torch.int32),
        starts[1:],
        starts,
        *selected,
        out,
        torch.zeros(tokens, heads),
        **granularity,
        scale=0.1,
        causal=case.causal,
        sliding_window=100 if "window" in case.features else 0,
        softcap=5.0 if "softcap" in case.features else 0.0,
        alibi_slopes=torch.zeros(heads) if "alibi" in case.features else None,
        sinks=torch.zeros(heads) if "sinks" in case.features else None,
        tree_mask=torch.zeros(tokens, 8, dtype=torch.bool) if "tree" in case.features else None,
        k_scale=scale,
        v_scale=scale,
        max_query_len=1000 if mode == "mixed" else 0,
        num_splits={"fold": 1, "mixed": 0}.get(mode, 4),
        distance_bias=torch.zeros(heads, 128) if "bias" in case.features else None,
        **(mods() if "mods" in case.features else {}),
    )


def mods() -> dict[str, str]:
    """Registers functions of scores and masks with captured tensors, and returns them as options."""
    from torchpaged import ops

    bias, document = torch.zeros(8, 4096), torch.zeros(4096, dtype=torch.int32)

    def biased(score: Any, b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
        slow = torch.sigmoid(score % 7.0) ** 1.5 + score // 3.0  # what libdevice has a part in
        return 20.0 * torch.tanh(score / 20.0) + bias[h % 8, q_idx - kv_idx] + slow

    ops.register_score_mod("biased", biased)
    ops.register_mask_mod("documents", lambda b, h, q, k: (document[q] == document[k]) & (q - k < 1000) & (k % 3 != 1))
    return {"score_mod": "biased", "mask_mod": "documents"}


def move(dtype: torch.dtype, cache: torch.dtype) -> None:
    """Calls the other operators' launchers."""
    from torchpaged.ops.triton import LAUNCHERS

    for heads, dim, dim_v in ((2, 128, 128), (3, 80, 96), (1, 576, 512)):
        keys, values = torch.zeros(5, heads, dim, dtype=dtype), torch.zeros(5, heads, dim_v, dtype=dtype)
        key_cache, value_cache = (torch.zeros(4, 16, heads, d, dtype=cache) for d in (dim, dim_v))
        quantised = dtype != cache
        scales = torch.ones(4, 16, heads) if quantised else None
        none = {"k_scale": None, "v_scale": None}
        slots = torch.zeros(5, dtype=torch.int64)
        LAUNCHERS["write_kv_cache"](
            keys, values, key_cache, value_cache, slots, **none, k_scale_cache=scales, v_scale_cache=scales
        )
        gathered = torch.float32 if quantised else dtype
        LAUNCHERS["gather_kv_cache"](
            key_cache,
            value_cache,
            torch.zeros(2, 4, dtype=torch.int32),
            torch.zeros(2, dtype=torch.int32),
            torch.zeros(2, 50, heads, dim, dtype=gathered),
            torch.zeros(2, 50, heads, dim_v, dtype=gathered),
            k_scale=scales,
            v_scale=scales,
        )
        lse = torch.zeros(5, heads)
        LAUNCHERS["merge_attention_states"](values, lse, values, lse, values, lse)
        LAUNCHERS["copy_blocks"]([key_cache, key_cache], torch.zeros(3, 2, dtype=torch.int64))


def convolve(dtype: torch.dtype, width: int) -> None:
    """Calls causal_conv1d's launcher."""
    from torchpaged.ops.triton import LAUNCHERS

    numbers = torch.zeros(4, dtype=torch.int32)
    for channels, silu in ((1024, False), (72, True)):
        cache = torch.zeros(4, 16, 8, channels // 8, dtype=dtype)
        x, weight = torch.zeros(5, channels, dtype=dtype), torch.zeros(channels, width, dtype=dtype)
        tables, slots = torch.zeros(3, 4, dtype=torch.int32), torch.zeros(5, dtype=torch.int64)
        bias = weight[:, 0] if silu else None
        LAUNCHERS["causal_conv1d"](
            x, weight, bias, [cache], slots, tables, numbers[1:], numbers, torch.zeros_like(x), silu=silu
        )


def adapt(dtype: torch.dtype, rank: int) -> None:
    """Calls lora_linear_add's launcher: joined layers, and outputs that fill no tile."""
    from torchpaged.ops.triton import LAUNCHERS

    slots = torch.zeros(5, dtype=torch.int32)
    for inputs, sizes, ranks in ((4096, [4096, 1024, 1024], torch.ones(2, 3, dtype=torch.int32)), (1000, [100], None)):
        out, x = torch.zeros(5, sum(sizes), dtype=dtype), torch.zeros(5, inputs, dtype=dtype)
        lora_a = torch.zeros(2, rank * len(sizes), inputs, dtype=dtype)
        lora_b = torch.zeros(2, rank, sum(sizes), dtype=dtype)
        LAUNCHERS["lora_linear_add"](out, x, lora_a, lora_b, slots, sizes, ranks=ranks)


def differentiate(dtype: torch.dtype, dim: int, everything: bool, modified: bool = False) -> None:
    """Calls the launchers of attention over packed keys, forward with the options that the cache's lacks, and back."""
    from torchpaged.ops.triton import LAUNCHERS

    query, key = torch.zeros(64, 8, dim, dtype=dtype), torch.zeros(64, 2, dim, dtype=dtype)
    starts, lse = torch.zeros(3, dtype=torch.int32), torch.zeros(64, 8)
    options: dict[str, Any] = {"scale": 0.1, "causal": not everything, "max_seqlen_q": 64, "max_seqlen_k": 64}
    options |= {"sliding_window": 9 * everything, "right_window": 4 if everything else -1, "softcap": 5.0 * everything}
    options |= {"alibi_slopes": torch.zeros(2, 8) if everything else None, "sinks": None}
    options |= mods() if modified else {}
    LAUNCHERS["varlen_attention"](query, key, key, starts, starts, query, lse, **options)
    sums = lse if everything else None
    given = (query, sums, query, key, key, query, lse, starts, starts, query, key, key, torch.zeros(0))
    LAUNCHERS["varlen_attention_backward"](*given, **options)


def multiply(dtype: torch.dtype, rows: int) -> None:
    """Calls the launchers of batch-invariant products and sums: one weight, several, groups, an odd K."""
    from torchpaged.ops.triton import batch_invariant

    for inner, widths in ((2048, [2048]), (2048, [4096]), (2048, [6144]), (2048, [43008]), (2048, [2048, 1024, 1024]),
                          (2048, [6144, 6144]), (1500, [70])):  # fmt: skip
        weights = [torch.zeros(width, inner, dtype=dtype).t() for width in widths]
        outs = [torch.zeros(rows, width, dtype=dtype) for width in widths]
        bias = torch.zeros(widths[0], dtype=dtype) if len(widths) == 1 else None
        batch_invariant.matmuls(torch.zeros(rows, inner, dtype=dtype), weights, outs, bias)
    x, out, ends = torch.zeros(rows, 768, dtype=dtype), torch.zeros(rows, 256, dtype=dtype), torch.zeros(128).int()
    batch_invariant.grouped_matmul(x, torch.zeros(128, 256, 768, dtype=dtype).transpose(1, 2), ends, out)
    batch_invariant.row_sum(torch.zeros(rows, 2048), torch.zeros(rows))


def fuse(dtype: torch.dtype, rows: int, cache: torch.dtype, few: bool = False) -> None:
    """Calls the launchers of a decode step's fused operators at Llama 3 8B's and Qwen3 1.7B's sizes, or one of each."""
    from torchpaged.ops.triton import LAUNCHERS, fused_linear, rotate_and_write

    def numbers(*shape: int) -> torch.Tensor:
        return torch.zeros(shape, dtype=dtype)

    for inner, widths, gate, norm, bias in (
        (4096, (4096, 1024, 1024), "", True, True),
        (4096, (14336, 14336), "silu", True, False),
        (14336, (4096,), "", False, False),
        (2048, (6144, 6144), "gelu_tanh", True, True),
        (1520, (70,), "", True, False),
    )[few : 2 if few else 5]:
        weights = [numbers(width, inner).t() for width in widths]
        x, out = numbers(rows, inner), numbers(rows, widths[0] if gate else sum(widths))
        scale = numbers(inner) if norm and dtype != torch.float16 else None
        biases = [numbers(width) if bias else None for width in widths]
        assert fused_linear.fits(x, weights, biases, scale)
        fused_linear.fused_linear(x, weights, biases, scale, 1e-6, gate, None if norm else out, out)
    for size in () if few else (128, 4096):
        x = numbers(rows, size)
        LAUNCHERS["rms_norm"](x, x[0], 1e-6, x)
        LAUNCHERS["add_rms_norm"](x, x, x[0], 1e-6, x, x)
        LAUNCHERS["silu_and_mul"](x, x, x)
        LAUNCHERS["gelu_tanh_and_mul"](x, x, x)
    scales = torch.ones(4, 16, 8) if dtype != cache else None
    for dim, norm in ((128, True), (64, False))[: 1 if few else 2]:
        key, keys, table = numbers(rows, 8, dim), torch.zeros(4, 16, 8, dim, dtype=cache), numbers(rows, 1, dim)
        query, slots, weight = numbers(rows, 32, dim), torch.zeros(rows, dtype=torch.int64), numbers(dim)
        options: dict[str, Any] = dict.fromkeys(("query_weight", "key_weight"), weight if norm else None)
        rotate_and_write.rotate_and_write_kv_cache(
            query, key, key, table, table, keys, keys, slots, out=query, **options, eps=1e-6,
            k_scale_cache=scales, v_scale_cache=scales,
        )  # fmt: skip


@dataclass(frozen=True)
class Recurrent:
    """One call of an operator with a state, at a model's sizes."""

    op: str
    dims: tuple[int, int]  # of a key, of a value; of channels
    heads: tuple[int, int] = (16, 32)  # of keys, of values
    dtype: str = "bf16"
    channels: bool = False  # a gate for each of a key's numbers
    plain: bool = False  # without what may be left out

    def __str__(self) -> str:
        sizes = f"{self.op}-{self.dims[0]}x{self.dims[1]}-h{self.heads[0]}.{self.heads[1]}-{self.dtype}"
        return sizes + "-channels" * self.channels + "-plain" * self.plain


# Qwen3-Next and 3.5; Nemotron-H and Granite 4; Mamba and Jamba; Qwen3-Next; Kimi Linear; MiniMax.
RECURRENT = (
    Recurrent("gated_delta_rule", (128, 128)),
    Recurrent("mamba2_scan", (128, 64), (8, 128)),
    Recurrent("selective_scan", (8192, 16)),
    Recurrent("chunked_conv1d", (8192, 0)),
    Recurrent("gated_delta_rule", (128, 128), (32, 32), channels=True),
    Recurrent("linear_attention", (128, 128), (64, 64)),
)


# What `make test` compiles: each kernel, attention's in the modes that differ in tiles, and with everything.
FEW = (
    Case(128, modes=("split", "fold", "one", "deep")),
    Case(80, block_size=64, features=ALL, modes=("split",)),
    Case(64, features=("mods",), modes=("fold",)),
)


# What Hopper's decode kernel is compiled for, which nothing chooses by itself, and prefill's with as many keys a tile.
DECODE = (
    Case(128, modes=("split",)),
    Case(64, dtype="f16", features=("window",), modes=("split",)),
    Case(128, cache="e4m3", modes=("split", "fold")),
    Case(64, cache="int8", scale="head", features=("window",), modes=("split", "fold")),
    Case(128, dtype="f16", cache="e5m2", scale="tensor", block_size=64, modes=("split", "fold")),
    Case(192, head_dim_v=128, heads=(2, 2), cache="int8", features=("window", "sinks"), modes=("fold",)),
)

# What is compiled once more so that the last program of a tile merges: rows of one part, of two, and MLA's.
MERGED = (
    Case(128, features=("window", "sinks")),
    Case(96, cache="e4m3"),
    Case(576, head_dim_v=512, heads=(16, 1), alias=True),
)


def recurrent_cases(full: bool) -> Iterator[Recurrent]:
    """Yield models' sizes; with `full`, other sizes, each type, and without optional inputs."""
    if not full:
        yield from RECURRENT[:4]
        return
    for dtype in ("f32", "f16", "bf16"):
        for plain in (False, True):
            for case in RECURRENT:
                yield replace(case, dtype=dtype, plain=plain)
    for dims in ((64, 128), (64, 64), (32, 32), (96, 192), (256, 256), (16, 8)):
        for op in ("gated_delta_rule", "mamba2_scan", "linear_attention"):
            yield Recurrent(op, dims, dtype="f32" if dims[0] == 96 else "bf16")
        if dims[0] < 256:  # more gates than registers hold, and than any model has
            yield Recurrent("gated_delta_rule", dims, channels=True)
    yield Recurrent("mamba2_scan", (256, 64), (1, 24))  # Falcon-H1
    yield Recurrent("selective_scan", (5120, 64))
    yield Recurrent("selective_scan", (40, 3), dtype="f16")


def recur(case: Recurrent) -> None:
    """Calls the launcher as a layer would."""
    from torchpaged.ops.triton import LAUNCHERS

    tokens, dtype, (key_heads, heads), (dim, dim_v) = 5, DTYPES[case.dtype], case.heads, case.dims

    def rows(*shape: int, dtype: torch.dtype = dtype) -> torch.Tensor:
        return torch.zeros(tokens, *shape, dtype=dtype)

    keys, values, column = rows(key_heads, dim), rows(heads, dim_v), torch.zeros(heads)
    chunk, kept, state, width = 64, torch.float32, (heads, dim, dim_v), key_heads * dim + heads * dim_v
    options: dict[str, Any] = {}
    if case.op == "gated_delta_rule":
        gates = (heads, dim) if case.channels else (heads,)
        inputs: tuple[Any, ...] = (keys, keys, values, rows(*gates, dtype=torch.float32), rows(heads))
        width += heads * (dim if case.channels else 1)
        options = {"scale": None, "normalize": not case.plain}
    elif case.op == "linear_attention":
        inputs, options = (keys, keys, values, column), {"scale": None}
    elif case.op == "mamba2_scan":
        inputs, width = (values, rows(heads), column, keys, keys), width + heads
        options = {"dt_min": 0.0, "dt_max": None}
    elif case.op == "selective_scan":
        x, column, chunk = rows(dim), torch.zeros(dim), 16
        inputs, state, width = (x, x, torch.zeros(dim, dim_v), rows(dim_v), rows(dim_v)), (dim, dim_v), 2 * dim + dim_v
    else:
        weight, state, width, kept = torch.zeros(dim, 4, dtype=dtype), (3, dim), dim, dtype
        inputs, options = (rows(dim), weight, None if case.plain else weight[:, 0]), {"silu": not case.plain}
    if case.op in ("mamba2_scan", "selective_scan"):
        beside = None if case.plain else column
        options |= {"d": beside, "dt_bias": beside, "dt_softplus": not case.plain}
    out = values if case.op not in ("selective_scan", "chunked_conv1d") else inputs[0]
    pools = torch.zeros(4, *state, dtype=kept), torch.zeros(4, chunk, width, dtype=kept)
    tables, lengths = torch.zeros(3, 4, dtype=torch.int32), torch.zeros(4, dtype=torch.int32)
    LAUNCHERS[case.op](*inputs, *pools, tables, tables, lengths[1:], lengths, torch.zeros_like(out), **options)


def choose(rule: str, dtype: torch.dtype, cache: torch.dtype) -> None:
    """Calls paged_topk's launcher with the sizes of DeepSeek V3.2 ("relu"), MiniMax-M3 ("dot") and Quest ("bounds")."""
    from torchpaged.ops.triton import LAUNCHERS

    numbers, quest = torch.zeros(5, dtype=torch.int32), rule == "bounds"
    heads, selections = (64, 1) if rule == "relu" else (32, 8)
    index = torch.zeros(8, 1 if quest else 16, 8 if quest else 1, 256 if quest else 128, dtype=cache)
    LAUNCHERS["paged_topk"](
        torch.zeros(4, heads, 128, dtype=dtype),
        torch.zeros(4, heads) if rule == "relu" else None,
        index,
        torch.zeros(4, 16, dtype=torch.int32),
        numbers[1:],
        numbers,
        3,
        torch.zeros(4, selections, 3, dtype=torch.int32),
        rule=rule,
        granularity=1 if rule == "relu" else 16,
        num_selections=selections,
        initial=0,
        local=1,
        tokens_per_row=16 if quest else 1,
        scale=0.1,
        index_scale=torch.ones(index.shape[:3]) if dtype != cache else None,
    )


def sample(dtype: torch.dtype, rows: int, vocab_size: int) -> None:
    """Calls sample_tokens' launcher."""
    from torchpaged.ops.triton import LAUNCHERS

    numbers, counters = torch.ones(rows), torch.zeros(rows, dtype=torch.int64)
    logits = torch.zeros(rows, vocab_size, dtype=dtype)
    LAUNCHERS["sample_tokens"](
        logits, numbers, counters.int(), numbers, numbers, counters, counters, torch.zeros(rows, dtype=torch.int64)
    )


def compile_all(
    target: Target,
    full: bool,
    report: Callable[[Row], None],
    chosen: Sequence[Case] | None = None,
    machine_code: Callable[[bytes], None] = lambda cubin: None,
    few: bool = False,
) -> None:
    """Compile for one kind of device; needs a process without Triton's interpreter.

    Args:
        chosen: instead of the cases of `full`.
        machine_code: gets each kernel's, before `report` its row.
        few: `FEW`, and of the other kernels one type and one size.
    """
    import triton

    name = ""
    launch = triton.JITFunction.run
    seen = set()

    def compile_only(self: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> None:
        log = io.StringIO()
        with contextlib.redirect_stdout(log):
            kernel = launch(self, *args, grid=grid, warmup=True, **kwargs)
        if kernel.hash in seen:
            return
        seen.add(kernel.hash)
        mma = re.findall(r"nvidia_mma<\{.*?(warpsPerCTA = \[.*?\]).*?(instrShape = \[.*?\])", kernel.asm["ttgir"])
        machine_code(kernel.asm["hsaco" if target.amd else "cubin"])
        report(
            Row(
                target.name,
                name,
                self.__name__.strip("_"),
                shared_bytes=kernel.metadata.shared,
                num_warps=kernel.metadata.num_warps,
                layouts=tuple(sorted({", ".join(layout) for layout in mma})),
                **target.report(log.getvalue(), kernel.asm),
            )
        )

    triton.JITFunction.run = compile_only
    try:
        with target.active():
            for case in chosen or (FEW if few else cases(full)):
                for mode in case.modes:
                    name = f"{case}-{mode}"
                    attend(case, mode)
            if target.capability >= (9, 0):  # as launches that begin early
                from torchpaged.ops.triton import common

                with pytest.MonkeyPatch.context() as patch:
                    patch.setattr(common, "_PDL", True)
                    name = "bf16-fused-early"
                    fuse(torch.bfloat16, 8, torch.bfloat16, few=True)
            if target.name == "sm_90" and not few and chosen is None:
                from torchpaged.ops.triton import decode_sm90, paged_attention

                with pytest.MonkeyPatch.context() as patch:
                    patch.setattr(paged_attention, "_decode_sm90", lambda capability: decode_sm90)
                    for case in DECODE:
                        for mode in case.modes:
                            name = f"{case}-{mode}"
                            attend(case, mode)
            if chosen is None:
                from torchpaged.ops.triton import common

                with pytest.MonkeyPatch.context() as patch:
                    patch.setattr(common, "_FUSED_STEP", True)
                    for case in MERGED[:1] if few else MERGED:
                        name = f"{case}-merged"
                        attend(case, "split")
            if chosen is None and not few and not target.amd:
                from torchpaged.ops.triton import paged_attention

                with pytest.MonkeyPatch.context() as patch:
                    patch.setattr(paged_attention, "_CODE_PRODUCTS", "query-twice")
                    for cache in ("e4m3", "int8") if target.capability >= (8, 9) else ("int8",):
                        name = f"{Case(128, cache=cache)}-codes"
                        attend(Case(128, cache=cache), "split")
            types = [("bf16", "bf16"), ("f32", "int8"), ("bf16", "e4m3")]
            if full:
                types += [(a, b) for a in ("f32", "f16", "bf16") for b in (a, "e4m3", "e5m2", "int8")]
            for dtype, cache in types[1:2] if few else types:
                name = f"{dtype}-{cache}"
                move(DTYPES[dtype], DTYPES[cache])
            types = [("bf16", "e4m3"), ("bf16", "bf16")] + [("f32", "f32"), ("f16", "int8")] * full
            for dtype, cache in types[:1] if few else types:
                for rule in ("relu", "dot", "bounds"):
                    name = f"{dtype}-{cache}-{rule}"
                    choose(rule, DTYPES[dtype], DTYPES[cache])
            for recurrent in (RECURRENT[0], *RECURRENT[2:4]) if few else recurrent_cases(full):
                name = str(recurrent)
                recur(recurrent)
            for dtype in ("bf16",) if few else ("f32", "bf16", "f16")[: 3 if full else 2]:
                for width in (3, 4, 7)[: 3 if full else 1]:
                    name = f"{dtype}-width-{width}"
                    convolve(DTYPES[dtype], width)
                for rows in (8,) if few else (8, 200):
                    name = f"{dtype}-{rows}-rows"
                    multiply(DTYPES[dtype], rows)
                for rows, cache in () if few else ((1, dtype), (64, "e4m3"), (64, "int8")):
                    name = f"{dtype}-{cache}-fused-{rows}-rows"
                    fuse(DTYPES[dtype], rows, DTYPES[cache])
                for rank in (16,) if few else (16, 64):
                    name = f"{dtype}-rank-{rank}"
                    adapt(DTYPES[dtype], rank)
                for dim in (64,) if few else (64, 96, 128, 256):
                    name = f"{dtype}-{dim}-training"
                    differentiate(DTYPES[dtype], dim, everything=dim == 64)
                name = f"{dtype}-64-training-mods"
                differentiate(DTYPES[dtype], 64, everything=False, modified=True)
                for rows, vocab_size in ((1, 151_936), (64, 32_000), (4, 100))[: 1 if few else 3]:
                    name = f"{dtype}-{rows}x{vocab_size}"
                    sample(DTYPES[dtype], rows, vocab_size)
    finally:
        triton.JITFunction.run = launch


def run_program(*arguments: str) -> list[Row]:
    """Run this file in a separate process, without the interpreter."""
    environment = {k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"}
    root = Path(__file__).resolve().parents[2]
    program = [sys.executable, "-m", "tests.ops.test_triton_compile", *arguments]
    done = subprocess.run(program, cwd=root, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    return [Row(**{**row, "layouts": tuple(row["layouts"])}) for row in json.loads(done.stdout)]


# On an H100 these tiles were faster than the largest that fit into the registers: evals/results/tune-gpu.json.
# Measured were bfloat16 queries, e4m3 and int8, and blocks of 16; float16, e5m2 and other blocks were taken after them.
FASTER_WITH_SPILLS = re.compile("(128/128-b?f16-(e4m3|e5m2|int8)|256/256-b?f16)")
FEW_BYTES = 1024
# Hopper's own kernels are chosen only where they do not spill.
NEVER_SPILL = ("prefill_kernel", "decode_kernel")
# Latent attention's rows of 512 values do not fit into RDNA's registers by any tile that was tried.
TOO_WIDE_FOR_RDNA = re.compile("576/512-")


def check(rows: list[Row]) -> None:
    """Check that only known kernels spill, and that each fits its device."""
    assert rows
    allowed = {"sm_90": FASTER_WITH_SPILLS, "gfx1100": TOO_WIDE_FOR_RDNA}
    known = [row for row in rows if row.target in allowed and allowed[row.target].match(row.case)]
    known = [row for row in known if row.kernel not in NEVER_SPILL]
    assert [row for row in rows if row.spill_bytes > (FEW_BYTES if row in known else 0)] == []
    assert [row for row in rows if row.shared_bytes > TARGETS[row.target].shared_memory] == []


def check_layouts(rows: list[Row]) -> None:
    """Check that the row tiles of one model on Hopper differ only in the number of warps along rows.

    So a row's scores and weights are held, and its sum over keys is taken, by one warp in the same order: what
    makes a decode step's bits those of a prefill (see ops/triton/paged_attention.py).
    """
    found: dict[str, set[tuple[str, ...]]] = {}
    for row in rows:
        if row.kernel == "attention_kernel" and row.target == "sm_90" and row.layouts:
            layouts = tuple(layout.replace("[8, 1]", "[4, 1]") for layout in row.layouts)
            found.setdefault(row.case.rsplit("-", 1)[0], set()).add(layouts)
    assert any(len(layouts) == 1 for layouts in found.values())
    assert {case: layouts for case, layouts in found.items() if len(layouts) > 1} == {}


@pytest.mark.parametrize(
    "target", [pytest.param(name, marks=[pytest.mark.long] if name != "sm_90" else []) for name in TARGETS]
)
def test_kernels_compile_without_spills(target: str) -> None:
    """sm_90's other kernels are in `test_every_configuration_compiles_without_spills`."""
    rows = run_program("--target", target, *["--few"] * (target == "sm_90"))
    check(rows)
    check_layouts([*rows]) if target == "sm_90" else None


def test_the_page_has_what_was_compiled() -> None:
    """The table of docs/performance.md is that of evals/results/compiled.json."""
    from evals import compiled

    rows = json.loads(compiled.RESULTS.read_text())["rows"]
    assert len(rows) > 1 and list(rows) == [target for target in TARGETS if target in rows]
    assert f"{compiled.BEGIN}{compiled.table(rows)}\n{compiled.END}" in compiled.PAGE.read_text()


def test_instructions_are_counted() -> None:
    """In cuobjdump's format: with predicates, encodings in comments, several widths."""
    from evals import triton_sass

    names = triton_sass.mnemonics("""
        .headerflags @"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_SM90"
        /*0000*/                   LDC R1, c[0x0][0x28] ;                /* 0x00000a00ff017b82 */
                                                                         /* 0x000fe20000000800 */
        /*0010*/              @!P0 LDG.E.128 R4, desc[UR4][R2.64] ;      /* 0x0000000402048981 */
        /*0020*/               @P1 LDG.E.U16 R8, desc[UR4][R2.64+0x2] ;  /* 0x0000000402088981 */
        /*0030*/             @!UP0 LDGSTS.E.BYPASS.128 [R9], desc[UR4][R2.64] ;
        /*1240*/                   HGMMA.64x64x16.F32.BF16 R24, gdesc[UR8], R24 ;
        /*1250*/                   HMMA.16816.F32 R24, R4, R8, R24 ;
        /*1260*/                   STL [R1], R4 ;
        /*1270*/                   STG.E desc[UR4][R2.64], R4 ;
    """)
    found = {kind: count for kind, count in triton_sass.count(names).items() if count}
    assert found.pop("all") == 8
    expected = ("HGMMA", "HMMA", "LDG.128", "LDG, narrower", "LDGSTS.128", "STG, narrower", "local")
    assert found == dict.fromkeys(expected, 1)


@pytest.mark.long
@pytest.mark.parametrize("target", ("sm_80", "sm_90"))
def test_every_configuration_compiles_without_spills(target: str) -> None:
    rows = run_program("--target", target, "--full")
    check(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", choices=TARGETS, action="append", help="all by default")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--few", action="store_true")
    parser.add_argument("--json", type=Path, help="also write the rows to this file")
    parser.add_argument("--table", action="store_true", help="print a table instead of JSON")
    options = parser.parse_args()
    rows: list[Row] = []

    def report(row: Row) -> None:
        rows.append(row)
        if options.table:
            size = f"{row.registers:4d} registers {row.spill_bytes:5d} spilled {row.shared_bytes:7d} shared"
            print(f"{row.target} {row.kernel:22s} {size} {row.num_warps} warps  {row.case}", flush=True)

    for target in options.target or TARGETS:
        compile_all(TARGETS[target], options.full, report, few=options.few)
    text = json.dumps([asdict(row) for row in rows], indent=1)
    if options.json:
        options.json.write_text(text)
    if not options.table:
        print(text)


if __name__ == "__main__":
    main()
