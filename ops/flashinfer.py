"""The backend "flashinfer": FlashInfer's wrappers for paged caches over our blocks.

Its kernels need a plan that is made on the host from the lengths, so every call waits for the device and cannot be part
of a CUDA graph. This backend is for comparisons and prefill rather than for decode steps.
"""

from __future__ import annotations

import importlib.util
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from torchpaged.ops.attention_options import AttentionOptions
from torchpaged.ops.foreign import cannot, window_left

if TYPE_CHECKING:
    from typing_extensions import Unpack

HEAD_DIMS = (64, 128, 256)  # FlashInfer compiles its kernels for these
WORKSPACE_BYTES = 128 << 20  # as FlashInfer recommends
_LN2 = math.log(2.0)


def unavailable() -> str | None:
    """Return why FlashInfer can do no call here, or None."""
    if importlib.util.find_spec("flashinfer") is None:
        return "a machine without flashinfer: pip install flashinfer-python"
    return None


def supports(*, query: Tensor, key_cache: Tensor, value_cache: Tensor, **arguments: Any) -> str | None:
    """Return None, or the part of a call that FlashInfer cannot do, or why it is not available."""
    if (reason := unavailable()) is not None:
        return reason
    if query.is_cuda and torch.cuda.is_current_stream_capturing():
        return "a call inside a CUDA graph: its plan reads lengths on the host"
    if query.shape[2] not in HEAD_DIMS:
        return f"head_dim {query.shape[2]}: it has {', '.join(map(str, HEAD_DIMS))}"
    if key_cache.stride() != value_cache.stride():
        return f"key_cache with strides {key_cache.stride()} beside value_cache with {value_cache.stride()}"
    return cannot(query=query, key_cache=key_cache, value_cache=value_cache, **arguments)


@dataclass(frozen=True, slots=True)
class Plan:
    """A batch as FlashInfer describes it, without idle sequences: int32, on the host but for `pages`.

    Attributes:
        rows: the query's rows that take part, int64 on the host; None for the first `query_starts[-1]`.
        query_starts, page_starts: the first row, and the first entry of `pages`, of each sequence; then the ends.
        pages: the blocks of all sequences, one after the other, on the device.
        last_page_len: tokens in each sequence's last block.
    """

    rows: Tensor | None
    query_starts: Tensor
    page_starts: Tensor
    pages: Tensor
    last_page_len: Tensor

    @property
    def is_decode(self) -> bool:
        """True if each sequence has one row."""
        return int(self.query_starts[-1]) == len(self.last_page_len)


def plan(block_tables: Tensor, seq_lens: Tensor, query_start_loc: Tensor, block_size: int) -> Plan:
    """Return the plan of a batch. Reads the lengths, which waits for the device."""
    columns = block_tables.shape[1]
    lengths, starts = seq_lens.cpu(), query_start_loc.cpu()
    lengths = lengths.clamp(max=columns * block_size)  # never reads beyond a sequence's row of the table
    counts = starts.diff()
    busy = ((lengths > 0) & (counts > 0)).nonzero().flatten()
    lengths, counts, starts = lengths[busy], counts[busy], starts[busy]
    query_starts, num_pages = _starts(counts), (lengths + block_size - 1) // block_size
    rows = None
    if not torch.equal(starts, query_starts[:-1]):  # rows of idle sequences lie between
        shift = (starts - query_starts[:-1]).repeat_interleave(counts)
        rows = torch.arange(len(shift)) + shift
    entries = busy[:, None] * columns + torch.arange(columns)
    entries = entries[torch.arange(columns) < num_pages[:, None]]
    pages = block_tables.reshape(-1)[entries.to(block_tables.device)]
    return Plan(rows, query_starts, _starts(num_pages), pages, (lengths - 1) % block_size + 1)


def _starts(counts: Tensor) -> Tensor:
    return torch.nn.functional.pad(counts.cumsum(0), (1, 0)).to(torch.int32)


def paged_attention(
    query: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    out: Tensor,
    lse: Tensor | None,
    **options: Unpack[AttentionOptions],
) -> None:
    """Run FlashInfer's kernel; see `torchpaged.ops.reference.paged_attention`. `supports` has refused other options."""
    out.zero_()
    if lse is not None:
        lse.fill_(-torch.inf)
    block_size, kv_heads, head_dim = key_cache.shape[1:]
    batch = plan(block_tables, seq_lens, query_start_loc, block_size)
    num_rows = int(batch.query_starts[-1])
    if not num_rows:
        return
    num_heads = query.shape[1]
    stream = torch.cuda.current_stream(query.device).cuda_stream if query.is_cuda else 0
    wrapper = _wrapper(query.device, stream, batch.is_decode, num_heads > kv_heads)
    starts = () if batch.is_decode else (batch.query_starts,)
    wrapper.plan(
        *(*starts, batch.page_starts, batch.pages, batch.last_page_len),
        *(num_heads, kv_heads, head_dim, block_size),
        **({} if batch.is_decode else {"causal": options["causal"]}),  # a last token sees all keys either way
        sm_scale=options["scale"],
        window_left=window_left(options["sliding_window"]),
        logits_soft_cap=options["softcap"] or None,
        q_data_type=query.dtype,
        kv_data_type=key_cache.dtype,
    )
    rows = slice(num_rows) if batch.rows is None else batch.rows.to(query.device)
    # Its kernels write contiguous rows only.
    target = out[rows] if batch.rows is None and out.is_contiguous() else None
    found, totals = wrapper.run(query[rows], (key_cache, value_cache), out=target, return_lse=True)
    if target is None:
        out[rows] = found
    if lse is not None:
        lse[rows] = totals * _LN2  # its logarithms are to base 2


@lru_cache(maxsize=16)
def _wrapper(device: torch.device, stream: int, is_decode: bool, grouped: bool) -> Any:
    """Return FlashInfer's wrapper for one kind of batch on one stream, with a workspace of its own.

    Grouped heads decode on the tensor cores, which are idle otherwise.
    """
    import flashinfer

    workspace = torch.zeros(WORKSPACE_BYTES, dtype=torch.uint8, device=device)
    if is_decode:
        return flashinfer.BatchDecodeWithPagedKVCacheWrapper(workspace, "NHD", use_tensor_cores=grouped)
    return flashinfer.BatchPrefillWithPagedKVCacheWrapper(workspace, "NHD")
