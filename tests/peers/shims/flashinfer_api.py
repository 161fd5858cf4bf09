"""Shim for FlashInfer's tests: torchpaged's operators under FlashInfer's names, on a CPU.

`single_*` calls run as a batch of one over pages of 16 tokens and are compared with plain float32 attention, since
FlashInfer's tests compare batches with them. Its logsumexp has base 2.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import math
import sys
from types import ModuleType
from typing import Any

import torch
from torch import Tensor

import torchpaged.ops  # noqa: F401  defines the operators

ours = torch.ops.torchpaged
_LOG2_E = math.log2(math.e)
_seeds = itertools.count(1)


class NotThereError(Exception):
    """A function or an argument of FlashInfer that torchpaged does not have."""


def _attend(
    query: Tensor,
    caches: tuple[Tensor, Tensor],
    tables: Tensor,
    lengths: Tensor,
    starts: Tensor,
    *,
    causal: bool,
    window_left: int = -1,
    logits_soft_cap: float | None = None,
    sm_scale: float | None = None,
    slopes: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    out, lse = ours.paged_attention_with_lse(
        query,
        *caches,
        tables.to(torch.int32),
        lengths.to(torch.int32),
        starts.to(torch.int32),
        scale=sm_scale,
        causal=causal,
        sliding_window=window_left + 1,
        softcap=logits_soft_cap or 0.0,
        alibi_slopes=slopes,
    )
    return out, lse * _LOG2_E


def _slopes(heads: int) -> Tensor:
    """Return ALiBi's slopes for a power of two of heads."""
    return 2.0 ** (-8.0 / heads * torch.arange(1, heads + 1))


def _plain(query: Tensor, key: Tensor, value: Tensor, *, causal: bool, **options: Any) -> Tensor:
    """Compute attention of one sequence in float32."""
    count, heads, head_dim = query.shape
    repeats = heads // key.shape[1]
    key, value = key.float().repeat_interleave(repeats, 1), value.float().repeat_interleave(repeats, 1)
    scores = torch.einsum("qhd,khd->hqk", query.float(), key) * (options.get("sm_scale") or head_dim**-0.5)
    if cap := options.get("logits_soft_cap"):
        scores = cap * torch.tanh(scores / cap)
    distance = torch.arange(key.shape[0])[None] - torch.arange(key.shape[0] - count, key.shape[0])[:, None]
    if (slopes := options.get("slopes")) is not None:
        scores += slopes[:, None, None] * distance
    window = options.get("window_left", -1)
    hidden = (distance > 0 if causal else torch.zeros_like(distance, dtype=torch.bool)) | (
        (distance < -window) if window >= 0 else torch.zeros_like(distance, dtype=torch.bool)
    )
    if (mask := options.get("mask")) is not None:
        hidden = ~mask
    weights = scores.masked_fill(hidden, -torch.inf).softmax(-1).nan_to_num()
    return torch.einsum("hqk,khd->qhd", weights, value)


def single_prefill(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    custom_mask: Tensor | None = None,
    packed_custom_mask: Tensor | None = None,
    causal: bool = False,
    kv_layout: str = "NHD",
    pos_encoding_mode: str = "NONE",
    window_left: int = -1,
    logits_soft_cap: float | None = None,
    sm_scale: float | None = None,
    return_lse: bool = False,
    backend: str = "auto",
) -> Any:
    if packed_custom_mask is not None or pos_encoding_mode == "ROPE_LLAMA":
        raise NotThereError("a packed mask, or rotation, inside attention")
    if custom_mask is not None:  # the tests' own reference of a window
        return _plain(q, k, v, causal=False, mask=custom_mask).to(q.dtype)
    if kv_layout == "HND":
        k, v = k.transpose(0, 1), v.transpose(0, 1)
    if q.shape[-1] != v.shape[-1]:
        raise NotThereError("keys and values of different sizes outside of a latent cache")
    count = -(-k.shape[0] // 16)
    pages = [torch.nn.functional.pad(each, (0, 0, 0, 0, 0, 16 * count - k.shape[0])) for each in (k, v)]
    caches = tuple(each.reshape(count, 16, *k.shape[1:]).to(q.dtype) for each in pages)
    options = {"window_left": window_left, "logits_soft_cap": logits_soft_cap, "sm_scale": sm_scale}
    options["slopes"] = _slopes(q.shape[1]) if pos_encoding_mode == "ALIBI" else None
    tables, lengths = torch.arange(count)[None], torch.tensor([k.shape[0]])
    out, lse = _attend(q, caches, tables, lengths, torch.tensor([0, q.shape[0]]), causal=causal, **options)  # type: ignore[arg-type]
    torch.testing.assert_close(out.float(), _plain(q, k, v, causal=causal, **options), rtol=1e-2, atol=3e-3)
    return (out, lse) if return_lse else out


def single_decode(q: Tensor, k: Tensor, v: Tensor, *, return_lse: bool = False, **options: Any) -> Any:
    options.pop("use_tensor_cores", None)
    out, lse = single_prefill(q[None], k, v, return_lse=True, **options)
    return (out[0], lse[0]) if return_lse else out[0]


def _given(found: Tensor, found_lse: Tensor, out: Tensor | None, lse: Tensor | None, return_lse: bool) -> Any:
    """Return results in the tensors that the caller gave, if any."""
    found = found if out is None else out.copy_(found)
    found_lse = found_lse if lse is None else lse.copy_(found_lse)
    return (found, found_lse) if return_lse else found


def _tables(indptr: Tensor, indices: Tensor) -> Tensor:
    """Return block tables of the pages that FlashInfer lists one sequence after the other."""
    counts = indptr[1:] - indptr[:-1]
    tables = torch.zeros(len(counts), max(1, int(counts.max())), dtype=torch.int32)
    for row, (first, count) in enumerate(zip(indptr.tolist(), counts.tolist(), strict=False)):
        tables[row, :count] = indices[first : first + count]
    return tables


class Paged:
    """FlashInfer's wrappers over a paged cache: `plan` describes the batch, `run` computes."""

    def __init__(self, workspace: Tensor, kv_layout: str = "NHD", **options: Any) -> None:
        if options.get("use_cuda_graph"):
            raise NotThereError("CUDA graphs")
        self._layout = kv_layout

    def plan(self, *arguments: Any, **options: Any) -> None:
        self._plan(*arguments, **options)

    begin_forward = plan

    def _plan(
        self,
        qo_indptr: Tensor,
        paged_kv_indptr: Tensor,
        paged_kv_indices: Tensor,
        paged_kv_last_page_len: Tensor,
        num_qo_heads: int,
        num_kv_heads: int,
        head_dim_qk: int,
        page_size: int,
        *,
        causal: bool = False,
        pos_encoding_mode: str = "NONE",
        custom_mask: Tensor | None = None,
        packed_custom_mask: Tensor | None = None,
        window_left: int = -1,
        logits_soft_cap: float | None = None,
        sm_scale: float | None = None,
        q_data_type: Any = None,
        kv_data_type: Any = None,
        data_type: Any = None,
        **unknown: Any,
    ) -> None:
        if custom_mask is not None or packed_custom_mask is not None or pos_encoding_mode != "NONE" or unknown:
            raise NotThereError(f"a mask of one's own, rotation inside attention, or {sorted(unknown)}")
        counts = paged_kv_indptr[1:] - paged_kv_indptr[:-1]
        self._tables = _tables(paged_kv_indptr, paged_kv_indices)
        self._lengths = torch.where(counts > 0, (counts - 1) * page_size + paged_kv_last_page_len, 0)
        self._starts = qo_indptr
        self._options: dict[str, Any] = {"causal": causal, "window_left": window_left}
        self._options |= {"logits_soft_cap": logits_soft_cap, "sm_scale": sm_scale}

    def run(
        self,
        q: Tensor,
        kv: Any,
        *,
        out: Tensor | None = None,
        lse: Tensor | None = None,
        return_lse: bool = False,
        q_scale: float | None = None,
        k_scale: float | None = None,
        v_scale: float | None = None,
    ) -> Any:
        key, value = kv if isinstance(kv, tuple) else (kv[:, 0], kv[:, 1])
        if self._layout == "HND":
            key, value = key.transpose(1, 2), value.transpose(1, 2)
        options = dict(self._options)
        if q_scale or k_scale:
            options["sm_scale"] = (options["sm_scale"] or q.shape[-1] ** -0.5) * (q_scale or 1) * (k_scale or 1)
        if key.dtype != q.dtype:
            raise NotThereError("codes without scales")
        found, found_lse = _attend(q, (key, value), self._tables, self._lengths, self._starts, **options)
        if v_scale:
            found = found * v_scale
        return _given(found, found_lse, out, lse, return_lse)

    forward = run

    def run_return_lse(self, q: Tensor, kv: Any, **options: Any) -> Any:
        return self.run(q, kv, return_lse=True, **options)

    forward_return_lse = run_return_lse

    def end_forward(self) -> None:
        """Do nothing: there is no state to free."""


class PagedDecode(Paged):
    def plan(
        self,
        indptr: Tensor,
        indices: Tensor,
        last_page_len: Tensor,
        num_qo_heads: int,
        num_kv_heads: int,
        head_dim: int,
        page_size: int,
        **options: Any,
    ) -> None:
        lists = (torch.arange(len(indptr)), indptr, indices, last_page_len)
        self._plan(*lists, num_qo_heads, num_kv_heads, head_dim, page_size, **options)

    begin_forward = plan


class Cascade:
    """MultiLevelCascadeAttentionWrapper: attention of each level, merged."""

    def __init__(self, num_levels: int, workspace: Tensor, kv_layout: str = "NHD", **options: Any) -> None:
        self._levels = [Paged(workspace, kv_layout, **options) for _ in range(num_levels)]

    def plan(
        self,
        qo_indptr: list[Tensor],
        indptr: list[Tensor],
        indices: list[Tensor],
        last_page_len: list[Tensor],
        *arguments: Any,
        causal: bool = False,
        **options: Any,
    ) -> None:
        for place, level in enumerate(self._levels):
            last = place == len(self._levels) - 1
            lists = (each[place] for each in (qo_indptr, indptr, indices, last_page_len))
            level.plan(*lists, *arguments, causal=causal and last, **options)

    def run(self, q: Tensor, kv: Tensor) -> Tensor:
        states = [level.run(q, kv, return_lse=True) for level in self._levels]
        return functools.reduce(lambda a, b: merge_state(*a, *b), states)[0]  # type: ignore[no-any-return]


class LatentPaged:
    """BatchMLAPagedAttentionWrapper: one latent head with values that are a part of the keys."""

    def __init__(self, workspace: Tensor, *, backend: str = "auto", **options: Any) -> None:
        pass

    def plan(
        self,
        qo_indptr: Tensor,
        kv_indptr: Tensor,
        kv_indices: Tensor,
        kv_len_arr: Tensor,
        num_heads: int,
        head_dim_ckv: int,
        head_dim_kpe: int,
        page_size: int,
        causal: bool,
        sm_scale: float,
        q_data_type: torch.dtype,
        kv_data_type: torch.dtype,
    ) -> None:
        if kv_data_type.itemsize == 1:
            raise NotThereError("a latent cache of 8 bits with FlashInfer's scales")
        self._tables = _tables(kv_indptr[: len(kv_len_arr) + 1], kv_indices)  # there may be ends of no sequence
        self._lengths, self._starts, self._causal, self._scale = kv_len_arr, qo_indptr, causal, sm_scale

    def run(
        self,
        q_nope: Tensor,
        q_pe: Tensor,
        ckv: Tensor,
        kpe: Tensor,
        *,
        out: Tensor | None = None,
        lse: Tensor | None = None,
        return_lse: bool = False,
    ) -> Any:
        keys = torch.cat([ckv, kpe], dim=-1)[:, :, None]
        found, found_lse = _attend(
            torch.cat([q_nope, q_pe], dim=-1),
            (keys, keys[..., : ckv.shape[-1]]),
            self._tables,
            self._lengths,
            self._starts,
            causal=self._causal,
            sm_scale=self._scale,
        )
        return _given(found, found_lse, out, lse, return_lse)


def merge_state(v_a: Tensor, s_a: Tensor, v_b: Tensor, s_b: Tensor) -> tuple[Tensor, Tensor]:
    out, lse = ours.merge_attention_states(v_a, s_a / _LOG2_E, v_b, s_b / _LOG2_E)
    return out, lse * _LOG2_E


def merge_state_in_place(v: Tensor, s: Tensor, v_other: Tensor, s_other: Tensor, mask: Tensor | None = None) -> None:
    out, lse = merge_state(v, s, v_other, s_other)
    if mask is not None:
        out, lse = torch.where(mask[:, None, None], out, v), torch.where(mask[:, None], lse, s)
    v.copy_(out)
    s.copy_(lse)


def merge_states(v: Tensor, s: Tensor) -> tuple[Tensor, Tensor]:
    return functools.reduce(lambda a, b: merge_state(*a, *b), zip(v.unbind(1), s.unbind(1), strict=True))


def plain_merge_states(v: Tensor, s: Tensor) -> tuple[Tensor, Tensor]:
    """Merge all states of a row at once in float64."""
    weights = (s.double() / _LOG2_E).softmax(1)
    return (weights[..., None] * v.double()).sum(1).to(v.dtype), (s.double() / _LOG2_E).logsumexp(1).float() * _LOG2_E


def plain_merge_state(v_a: Tensor, s_a: Tensor, v_b: Tensor, s_b: Tensor) -> tuple[Tensor, Tensor]:
    return plain_merge_states(torch.stack([v_a, v_b], 1), torch.stack([s_a, s_b], 1))


def plain_merge_state_in_place(v: Tensor, s: Tensor, v_other: Tensor, s_other: Tensor) -> None:
    out, lse = plain_merge_state(v, s, v_other, s_other)
    v.copy_(out)
    s.copy_(lse)


def get_seq_lens(indptr: Tensor, last_page_len: Tensor, page_size: int) -> Tensor:
    return (indptr[1:] - indptr[:-1] - 1).clamp(min=0) * page_size + last_page_len


def get_batch_indices_positions(append_indptr: Tensor, seq_lens: Tensor, nnz: int) -> tuple[Tensor, Tensor]:
    counts = append_indptr[1:] - append_indptr[:-1]
    batch = torch.repeat_interleave(torch.arange(len(counts)), counts)
    return batch, torch.arange(nnz) - append_indptr[1:][batch] + seq_lens[batch]


def _slots(batch: Tensor, positions: Tensor, indices: Tensor, indptr: Tensor, page_size: int) -> Tensor:
    pages = indices[(indptr[batch] + positions // page_size).long()].long()
    return pages * page_size + positions % page_size


def append_paged_kv_cache(
    key: Tensor,
    value: Tensor,
    batch: Tensor,
    positions: Tensor,
    cache: Any,
    indices: Tensor,
    indptr: Tensor,
    last_page_len: Tensor,
    kv_layout: str = "NHD",
) -> None:
    key_cache, value_cache = cache if isinstance(cache, tuple) else (cache[:, 0], cache[:, 1])
    if kv_layout == "HND":
        key_cache, value_cache = key_cache.transpose(1, 2), value_cache.transpose(1, 2)
    slots = _slots(batch, positions, indices, indptr, key_cache.shape[1])
    ours.write_kv_cache(key, value, key_cache, value_cache, slots)
    found = key_cache[slots // key_cache.shape[1], slots % key_cache.shape[1]]
    torch.testing.assert_close(found, key, rtol=0, atol=0)  # FlashInfer's test compares nothing


def append_paged_mla_kv_cache(
    ckv: Tensor,
    kpe: Tensor,
    batch: Tensor,
    positions: Tensor,
    ckv_cache: Tensor,
    kpe_cache: Tensor,
    indices: Tensor,
    indptr: Tensor,
    last_page_len: Tensor,
) -> None:
    slots = _slots(batch, positions, indices, indptr, ckv_cache.shape[1])
    for new, cache in ((ckv, ckv_cache), (kpe, kpe_cache)):
        ours.write_kv_cache(new[:, None], new[:, None, :0], cache[:, :, None], cache[:, :, None, :0], slots)


def rmsnorm(x: Tensor, weight: Tensor, eps: float = 1e-6, out: Tensor | None = None, enable_pdl: Any = None) -> Tensor:
    found: Tensor = ours.rms_norm(x, weight, eps)
    return found if out is None else out.copy_(found)


def fused_add_rmsnorm(x: Tensor, residual: Tensor, weight: Tensor, eps: float = 1e-6, enable_pdl: Any = None) -> None:
    total, found = ours.add_rms_norm(x, residual, weight, eps)
    x.copy_(found)
    residual.copy_(total)


def _halves(x: Tensor) -> tuple[Tensor, Tensor]:
    first, second = x.chunk(2, dim=-1)
    return first.contiguous(), second.contiguous()


def silu_and_mul(x: Tensor, enable_pdl: Any = None) -> Tensor:
    return ours.silu_and_mul(*_halves(x))  # type: ignore[no-any-return]


def gelu_tanh_and_mul(x: Tensor, enable_pdl: Any = None) -> Tensor:
    return ours.gelu_tanh_and_mul(*_halves(x))  # type: ignore[no-any-return]


def _draw(
    logits: Tensor,
    *,
    top_k: Any = 0,
    top_p: Any = 1.0,
    min_p: Any = 0.0,
    indices: Tensor | None = None,
    check_nan: bool = False,
    **options: Any,
) -> Tensor:
    generator = options.pop("generator", None)
    seed = next(_seeds) if generator is None else int(torch.randint(1 << 62, (), generator=generator))
    if options.keys() - {"deterministic", "filter_apply_order"}:
        raise NotThereError(f"{sorted(options)}: a draw's seed and position are arguments of sample_tokens")
    rows = logits.shape[0] if indices is None else len(indices)

    def column(value: Any, dtype: torch.dtype) -> Tensor:
        value = torch.as_tensor(value, dtype=dtype)
        if value.ndim > 1:
            raise ValueError(f"shape {tuple(value.shape)}, expected a number or one a row")
        if value.ndim and indices is not None:
            value = value[indices.long()]
        return value.expand(rows).contiguous()

    found = []
    for first in range(0, rows, 4096):
        some = slice(first, min(first + 4096, rows))
        chosen = logits[some] if indices is None else logits[indices[some].long()]
        count = len(chosen)
        found.append(
            ours.sample_tokens(
                chosen.float(),
                torch.ones(count),
                column(top_k, torch.int32)[some],
                column(top_p, torch.float32)[some],
                column(min_p, torch.float32)[some],
                torch.full((count,), seed, dtype=torch.int64),
                torch.arange(first, first + count, dtype=torch.int64),
            )
        )
    return torch.cat(found).to(torch.int32 if indices is None else indices.dtype)


def sampling_from_logits(logits: Tensor, indices: Tensor | None = None, **options: Any) -> Tensor:
    return _draw(logits, indices=indices, **options)


def _logs(probs: Tensor) -> Tensor:
    """Return logits in which the likeliest tokens, near 0, are still told apart."""
    return (probs / probs.amax(-1, keepdim=True)).log()


def sampling_from_probs(probs: Tensor, indices: Tensor | None = None, **options: Any) -> Tensor:
    return _draw(_logs(probs), indices=indices, **options)


def top_p_from_probs(probs: Tensor, top_p: Any, indices: Tensor | None = None, **options: Any) -> Tensor:
    return _draw(_logs(probs), top_p=top_p, indices=indices, **options)


def top_k_from_probs(probs: Tensor, top_k: Any, indices: Tensor | None = None, **options: Any) -> Tensor:
    return _draw(_logs(probs), top_k=top_k, indices=indices, **options)


def min_p_from_probs(probs: Tensor, min_p: Any, indices: Tensor | None = None, **options: Any) -> Tensor:
    return _draw(_logs(probs), min_p=min_p, indices=indices, **options)


def top_k_top_p_from_probs(
    probs: Tensor, top_k: Any, top_p: Any, indices: Tensor | None = None, **options: Any
) -> Tensor:
    return _draw(_logs(probs), top_k=top_k, top_p=top_p, indices=indices, **options)


def top_k_top_p_from_logits(
    logits: Tensor, top_k: Any, top_p: Any, indices: Tensor | None = None, **options: Any
) -> Tensor:
    return _draw(logits, top_k=top_k, top_p=top_p, indices=indices, **options)


def _missing(module: str, name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)

    def call(*arguments: Any, **options: Any) -> Any:
        raise NotThereError(f"{module}.{name}")

    return call


def _module(name: str, **values: Any) -> ModuleType:
    module = ModuleType(name)
    module.__dict__.update(values)
    module.__getattr__ = functools.partial(_missing, name)  # type: ignore[method-assign,assignment]
    sys.modules[name] = module
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, module)
    return module


_FLAT = {
    "single_decode_with_kv_cache": single_decode,
    "single_prefill_with_kv_cache": single_prefill,
    "BatchDecodeWithPagedKVCacheWrapper": PagedDecode,
    "BatchPrefillWithPagedKVCacheWrapper": Paged,
    "MultiLevelCascadeAttentionWrapper": Cascade,
    "merge_state": merge_state,
    "merge_state_in_place": merge_state_in_place,
    "merge_states": merge_states,
    "get_seq_lens": get_seq_lens,
    "get_batch_indices_positions": get_batch_indices_positions,
    "append_paged_kv_cache": append_paged_kv_cache,
    "append_paged_mla_kv_cache": append_paged_mla_kv_cache,
    "rmsnorm": rmsnorm,
    "fused_add_rmsnorm": fused_add_rmsnorm,
    "silu_and_mul": silu_and_mul,
    "gelu_tanh_and_mul": gelu_tanh_and_mul,
}
_module("flashinfer", __path__=[], **_FLAT)
for _name in ("decode", "prefill", "cascade", "page", "norm", "activation"):
    _module(f"flashinfer.{_name}", **_FLAT)
_module("flashinfer.mla", BatchMLAPagedAttentionWrapper=LatentPaged)
_module(
    "flashinfer.sampling",
    sampling_from_logits=sampling_from_logits,
    sampling_from_probs=sampling_from_probs,
    top_p_sampling_from_probs=top_p_from_probs,
    top_k_sampling_from_probs=top_k_from_probs,
    min_p_sampling_from_probs=min_p_from_probs,
    top_k_top_p_sampling_from_probs=top_k_top_p_from_probs,
    top_k_top_p_sampling_from_logits=top_k_top_p_from_logits,
)
_module("flashinfer.triton", __path__=[])
_module(
    "flashinfer.triton.cascade",
    merge_state=plain_merge_state,
    merge_state_in_place=plain_merge_state_in_place,
    merge_states=plain_merge_states,
)
_module(
    "flashinfer.utils",
    get_compute_capability=lambda device: (9, 0),
    has_flashinfer_jit_cache=lambda: True,  # nothing is compiled ahead
    device_support_pdl=lambda device: False,
    is_sm90a_supported=lambda device: False,
    is_sm110a_supported=lambda device: False,
    GPUArchitectureError=NotThereError,
)
_module("flashinfer.jit", __path__=[], env=None)
_module("flashinfer.jit.core")
_module("flashinfer.jit.attention")
_module("flashinfer.trace")
_module("flashinfer.fp4_quantization")
_module("flashinfer.quantization")
importlib.import_module("tests.test_helpers.test_helpers").clear_cuda_cache = lambda device: None
_module("tests.test_helpers.jit_utils")
_module("tests.test_helpers.utils_fp4")
