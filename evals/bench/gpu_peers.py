"""Attention of other libraries on the inputs of a row of `ops_gpu.py`, by name, if installed and if they support the
row.

FlashInfer (`flashinfer`), FlashAttention 3 from vLLM's wheel (its folder `vllm_flash_attn`, alone on the path), and
torch's `varlen_attn` read our paged cache; SDPA and flex_attention read keys and values that were made contiguous
beforehand.
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from evals.bench.gpu_cases import Case
from evals.bench.gpu_inputs import Inputs
from torchpaged.ops import flashinfer, varlen

WORKSPACE_BYTES = 512 << 20  # shared by all calls: FlashInfer's partial results; calls run one after the other
ATTENTION = ("decode", "prefill", "chunked", "mixed")
ALIKE = ("decode", "prefill")  # kinds of row in which all sequences have one length, by default

Call = Callable[[], Tensor]


@dataclass(frozen=True, slots=True)
class Peer:
    """Factory of a peer's call, the kinds of row and caches that it supports, and the module that it needs."""

    make: Callable[[Inputs], Call]
    kinds: tuple[str, ...]
    caches: tuple[str, ...] = ("bfloat16",)
    module: str = "torch"
    cuda: bool = True

    def fits(self, case: Case, device: torch.device) -> bool:
        """Return whether to try it on a row; it may still fail."""
        if case.kind not in self.kinds or case.cache not in self.caches or (self.cuda and device.type != "cuda"):
            return False
        return importlib.util.find_spec(self.module) is not None


def error(found: Tensor, inputs: Inputs) -> float:
    """Return the relative error to ours of an output, [tokens, heads, head_dim] or [seqs, heads, tokens, head_dim]."""
    rows = found.transpose(1, 2).flatten(0, 1) if found.ndim == 4 else found
    ours = inputs.out.float()
    return float((rows.float() - ours).norm() / ours.norm())


def _stacked(inputs: Inputs) -> tuple[Tensor, Tensor, Tensor]:
    """Return (query, keys, values) of all sequences, which have one length."""
    if len(set(inputs.case.lengths)) > 1:
        raise ValueError("sequences of several lengths")
    parts = [inputs.contiguous(index) for index in range(len(inputs.case.lengths))]
    query, keys, values = (torch.stack(each).contiguous() for each in zip(*parts, strict=True))
    return query, keys, values


def _sdpa(inputs: Inputs) -> Call:
    query, keys, values = _stacked(inputs)
    causal, grouped = inputs.case.kind == "prefill", inputs.case.heads != inputs.case.kv_heads
    return lambda: scaled_dot_product_attention(query, keys, values, is_causal=causal, enable_gqa=grouped)


def _cudnn(inputs: Inputs) -> Call:
    attend = _sdpa(inputs)

    def call() -> Tensor:
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return attend()

    return call


def _flex(inputs: Inputs) -> Call:
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    def visible(b: Tensor, h: Tensor, q: Tensor, k: Tensor) -> Tensor:
        return q >= k

    query, keys, values = _stacked(inputs)
    grouped, size = inputs.case.heads != inputs.case.kv_heads, query.shape[2]
    mask = None
    if inputs.case.kind == "prefill":
        mask = create_block_mask(visible, None, None, size, size, device=str(inputs.device))
    compiled: Callable[..., Any] = torch.compile(flex_attention, dynamic=False, fullgraph=True)
    return lambda: compiled(query, keys, values, block_mask=mask, enable_gqa=grouped)


def _fa3(inputs: Inputs) -> Call:
    from vllm_flash_attn import flash_attn_interface as fa3

    if not fa3.FA3_AVAILABLE:
        raise ImportError(str(fa3.FA3_UNAVAILABLE_REASON))
    longest, out = max(total for _, total in inputs.case.lengths), torch.empty_like(inputs.query)

    def call() -> Tensor:
        result: Tensor = fa3.flash_attn_varlen_func(
            *(inputs.query, inputs.keys, inputs.values),
            max_seqlen_q=inputs.max_query_len,
            cu_seqlens_q=inputs.starts,
            max_seqlen_k=longest,
            seqused_k=inputs.seq_lens,
            block_table=inputs.tables,
            causal=True,
            out=out,
            fa_version=3,
        )
        return result

    return call


@functools.cache
def _workspace(device: torch.device) -> Tensor:
    return torch.zeros(WORKSPACE_BYTES, dtype=torch.uint8, device=device)


def pages(inputs: Inputs) -> tuple[Tensor, Tensor, Tensor]:
    """Return FlashInfer's table: (start of each sequence's pages, the pages, tokens in each last page)."""
    plan = flashinfer.plan(inputs.tables, inputs.seq_lens, inputs.starts, inputs.case.block_size)
    return plan.page_starts, plan.pages, plan.last_page_len


def _varlen(inputs: Inputs) -> Call:
    """Return a call of torch's `varlen_attn`, as our backend makes it."""
    out, options = torch.empty_like(inputs.query), {"scale": inputs.case.head_dim**-0.5, "softcap": 0.0}
    tensors = (inputs.query, inputs.keys, inputs.values, inputs.tables, inputs.seq_lens, inputs.starts)
    absent = ("alibi_slopes", "sinks", "tree_mask", "distance_bias", "k_scale", "v_scale")
    names = ("query", "key_cache", "value_cache")
    missing = varlen.supports(**dict(zip(names, tensors, strict=False)), **dict.fromkeys(absent), **options)
    if missing is not None:
        raise NotImplementedError(f"not supported: {missing}")

    def call() -> Tensor:
        varlen.paged_attention(*tensors, out, None, causal=True, sliding_window=0, num_splits=0, **options)
        return out

    return call


def _flashinfer_decode(inputs: Inputs, *, tensor_cores: bool) -> Call:
    """Return a planned decode call. With tensor cores it is the prefill kernel, as vLLM calls it for grouped heads."""
    from flashinfer import BatchDecodeWithPagedKVCacheWrapper

    case = inputs.case
    wrapper = BatchDecodeWithPagedKVCacheWrapper(
        _workspace(inputs.device), "NHD", use_tensor_cores=tensor_cores, backend="fa2"
    )
    wrapper.plan(
        *pages(inputs),
        *(case.heads, case.kv_heads, case.head_dim, case.block_size),
        q_data_type=inputs.query.dtype,
        kv_data_type=inputs.keys.dtype,
    )
    out = torch.empty_like(inputs.query)
    return lambda: wrapper.run(inputs.query, (inputs.keys, inputs.values), out=out)


def _flashinfer_prefill(inputs: Inputs, *, backend: str) -> Call:
    """Return a planned prefill call; `backend` is "fa2" or "fa3", FlashInfer's own kernels of those designs."""
    from flashinfer import BatchPrefillWithPagedKVCacheWrapper

    case = inputs.case
    wrapper = BatchPrefillWithPagedKVCacheWrapper(_workspace(inputs.device), "NHD", backend=backend)
    wrapper.plan(
        *(inputs.starts, *pages(inputs)),
        *(case.heads, case.kv_heads, case.head_dim, case.block_size),
        causal=True,
        q_data_type=inputs.query.dtype,
        kv_data_type=inputs.keys.dtype,
    )
    out = torch.empty_like(inputs.query)
    return lambda: wrapper.run(inputs.query, (inputs.keys, inputs.values), out=out)


_BOTH = ("bfloat16", "float8_e4m3fn")
_PROMPTS = ("prefill", "chunked", "mixed")
PEERS: dict[str, Peer] = {
    "sdpa": Peer(_sdpa, ALIKE, cuda=False),
    "cudnn": Peer(_cudnn, ALIKE),
    "flex": Peer(_flex, ALIKE),
    "torch-varlen": Peer(_varlen, ATTENTION),
    "fa3": Peer(_fa3, ATTENTION, module="vllm_flash_attn"),
    "flashinfer": Peer(functools.partial(_flashinfer_decode, tensor_cores=False), ("decode",), _BOTH, "flashinfer"),
    "flashinfer-tc": Peer(functools.partial(_flashinfer_decode, tensor_cores=True), ("decode",), _BOTH, "flashinfer"),
    "flashinfer-fa2": Peer(functools.partial(_flashinfer_prefill, backend="fa2"), _PROMPTS, module="flashinfer"),
    "flashinfer-fa3": Peer(functools.partial(_flashinfer_prefill, backend="fa3"), _PROMPTS, module="flashinfer"),
}
