"""An attention backend for decoder layers of vLLM 0.32's CPU build, over torchpaged's operators.

vLLM manages blocks, tables and steps. This module views its cache in the layout of `write_kv_cache` and
`paged_attention.out`, without copies, and passes its batch on. Unsupported features are refused by name when the model
is loaded. The interface is that of vllm/v1/attention/backend.py; the code is our own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor
from vllm.v1.attention.backend import AttentionBackend, AttentionImpl, AttentionMetadataBuilder, AttentionType
from vllm.v1.kv_cache_interface import KVCacheLayout

from torchpaged.errors import ModelError

# vLLM stores these as bytes.
_FLOAT8 = {"fp8": torch.float8_e4m3fn, "fp8_e4m3": torch.float8_e4m3fn, "fp8_e5m2": torch.float8_e5m2}
_PLAIN = {"float16": torch.float16, "bfloat16": torch.bfloat16}


@dataclass
class TorchpagedMetadata:
    """A step's batch as the operator takes it; tensors are int32, on the CPU.

    Args:
        num_actual_tokens: rows without padding.
        query_start_loc: [num_seqs + 1].
        seq_lens: [num_seqs], this step's tokens included.
        block_table: [num_seqs, max_blocks_per_seq].
    """

    num_actual_tokens: int
    max_query_len: int
    query_start_loc: Tensor
    seq_lens: Tensor
    block_table: Tensor
    causal: bool


class TorchpagedAttentionBackend(AttentionBackend):  # type: ignore[misc]  # vLLM is not installed where types are checked
    """The backend's properties for vLLM. It supports heads of any size and blocks of any length."""

    forward_includes_kv_cache_update: bool = False
    supported_dtypes: ClassVar[list[torch.dtype]] = [torch.float32, torch.float16, torch.bfloat16]
    supported_kv_cache_dtypes: ClassVar[list[str]] = ["auto", *_PLAIN, *_FLOAT8]

    @staticmethod
    def get_name() -> str:
        """Return a name of vLLM's enum of backends."""
        return "CUSTOM"

    @staticmethod
    def get_impl_cls() -> type[AttentionImpl]:
        return TorchpagedAttentionImpl

    @staticmethod
    def get_builder_cls() -> type[AttentionMetadataBuilder]:
        return TorchpagedMetadataBuilder

    @classmethod
    def supported_kv_cache_layouts(cls) -> tuple[KVCacheLayout, ...]:
        """Return the layout where a head's tokens of a block are contiguous, which the kernels read fastest."""
        return (KVCacheLayout.LBHNC,)

    @classmethod
    def supports_sink(cls) -> bool:
        return True

    @classmethod
    def supports_sliding_window(cls) -> bool:
        return True

    @classmethod
    def supports_non_causal(cls) -> bool:
        return True

    @classmethod
    def supports_batch_invariance(cls) -> bool:
        """Return True: a sequence's rows have the same bits whatever else is in the batch."""
        return True

    @classmethod
    def supports_kv_connector(cls) -> bool:
        """Return False: connectors on the CPU rewrite blocks into the order of vLLM's own kernels."""
        return False

    @classmethod
    def supports_compute_capability(cls, capability: Any) -> bool:
        """Return False: only GPUs have a compute capability, and the backend is untested there."""
        return False


class TorchpagedMetadataBuilder(AttentionMetadataBuilder):  # type: ignore[misc]
    """Converts vLLM's common metadata of a step, for the layers of one KV cache group."""

    def __init__(self, kv_cache_spec: Any, layer_names: list[str], vllm_config: Any, device: torch.device) -> None:
        super().__init__(kv_cache_spec, layer_names, vllm_config, device)
        model, transfer = vllm_config.model_config, vllm_config.kv_transfer_config
        if model.rswa_window is not None:
            _refuse("rswa_window", model.rswa_window, "None: a window with a globally visible prefix is not supported")
        if model.is_mm_prefix_lm:
            _refuse("is_mm_prefix_lm", True, "False: bidirectional attention within images is not supported")
        if transfer is not None and transfer.is_kv_transfer_instance:
            _refuse("kv_connector", transfer.kv_connector, "None: blocks are not in the order that connectors expect")

    def build(self, common_prefix_len: int, common_attn_metadata: Any, fast_build: bool = False) -> TorchpagedMetadata:
        """Build a step's metadata. Nothing is planned ahead, so `fast_build` has no effect."""
        del common_prefix_len, fast_build
        common = common_attn_metadata
        if isinstance(common.causal, Tensor):
            _refuse("causal", "a tensor", "True or False for all sequences")
        return TorchpagedMetadata(
            num_actual_tokens=common.num_actual_tokens,
            max_query_len=common.max_query_len,
            query_start_loc=common.query_start_loc,
            seq_lens=common.seq_lens,
            block_table=common.block_table_tensor,
            causal=common.causal,
        )


class TorchpagedAttentionImpl(AttentionImpl):  # type: ignore[misc]
    """A layer's attention. Arguments are vLLM's; values that the operators do not support are refused.

    Raises:
        ModelError: it is an encoder's layer, its cache has an unsupported dtype, or its context is divided among ranks.
    """

    def __init__(
        self,
        num_heads: int,
        head_size: int,
        scale: float,
        num_kv_heads: int,
        alibi_slopes: list[float] | None,
        sliding_window: int | None,
        kv_cache_dtype: str,
        logits_soft_cap: float | None = None,
        attn_type: str = AttentionType.DECODER,
        kv_sharing_target_layer_name: str | None = None,
        sinks: Tensor | None = None,
    ) -> None:
        if attn_type != AttentionType.DECODER:
            _refuse("attn_type", AttentionType(attn_type).value, "'decoder': encoders and cross-attention are not")
        if kv_cache_dtype not in TorchpagedAttentionBackend.supported_kv_cache_dtypes:
            _refuse("kv_cache_dtype", kv_cache_dtype, " or ".join(TorchpagedAttentionBackend.supported_kv_cache_dtypes))
        if _PLAIN.get(kv_cache_dtype, torch.get_default_dtype()) != torch.get_default_dtype():
            _refuse("kv_cache_dtype", kv_cache_dtype, f"'auto': the model computes in {torch.get_default_dtype()}")
        if self.total_cp_world_size > 1 or self.pcp_world_size > 1:
            _refuse("context parallel size", max(self.total_cp_world_size, self.pcp_world_size), "1")
        self.num_heads, self.num_kv_heads, self.head_size, self.scale = num_heads, num_kv_heads, head_size, float(scale)
        self.kv_cache_dtype, self.kv_sharing_target_layer_name = kv_cache_dtype, kv_sharing_target_layer_name
        self.sliding_window = sliding_window
        # Options that are defined only for keys before the query.
        self.looks_back = "sliding_window" if sliding_window else "alibi_slopes" if alibi_slopes else None
        self.options: dict[str, Any] = {
            "scale": self.scale,
            "sliding_window": sliding_window or 0,
            "softcap": logits_soft_cap or 0.0,
            "alibi_slopes": None if alibi_slopes is None else torch.tensor(alibi_slopes, dtype=torch.float32),
            "sinks": sinks,
        }

    def do_kv_cache_update(
        self, layer: Any, key: Tensor, value: Tensor, kv_cache: Tensor, slot_mapping: Tensor
    ) -> None:
        """Write a step's keys and values, [num_tokens, num_kv_heads, head_size], to the slots of `slot_mapping`."""
        keys, values = self._caches(kv_cache)
        count = slot_mapping.shape[0]
        torch.ops.torchpaged.write_kv_cache(
            key[:count], value[:count], keys, values, slot_mapping, **self._scales(layer)
        )

    def forward(
        self,
        layer: Any,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        kv_cache: Tensor,
        attn_metadata: TorchpagedMetadata | None,
        output: Tensor,
        output_scale: Tensor | None = None,
        output_block_scale: Tensor | None = None,
    ) -> Tensor:
        """Compute the attention of a step's rows over the cache, which already has their keys and values.

        Args:
            query: [num_tokens, num_heads, head_size].
            kv_cache: [num_blocks, num_kv_heads, block_size, head_size + head_size_v].
            attn_metadata: None during vLLM's warm-up; the output is then zeros.
            output: [num_tokens, num_heads, head_size_v], which is written to.

        Returns:
            `output`.
        """
        if output_scale is not None or output_block_scale is not None:
            _refuse("output_scale", "a tensor", "None: quantised outputs are not supported")
        if attn_metadata is None:
            return output.zero_()
        if not attn_metadata.causal and self.looks_back:
            _refuse(
                self.looks_back, "given", "None if attention is not causal: it is undefined for keys after the query"
            )
        count = attn_metadata.num_actual_tokens
        torch.ops.torchpaged.paged_attention.out(
            query[:count],
            *self._caches(kv_cache),
            attn_metadata.block_table,
            attn_metadata.seq_lens,
            attn_metadata.query_start_loc,
            causal=attn_metadata.causal,
            max_query_len=attn_metadata.max_query_len,
            out=output[:count],
            **self.options,
            **self._scales(layer),
        )
        return output

    def _caches(self, kv_cache: Tensor) -> tuple[Tensor, Tensor]:
        """View keys and values for the operators: each head's part of a block has first all keys, then all values.

        vLLM leaves the layout within that part to the backend.
        """
        if kv_cache.dtype == torch.uint8:
            kv_cache = kv_cache.view(_FLOAT8[self.kv_cache_dtype])
        num_blocks, heads, block_size, row = kv_cache.shape
        # `view` raises if it would have to copy, which the layouts of `supported_kv_cache_layouts` do not need.
        parts = kv_cache.view(num_blocks, heads, -1).split(
            [block_size * self.head_size, block_size * (row - self.head_size)], dim=2
        )
        keys, values = (part.unflatten(2, (block_size, -1)).transpose(1, 2) for part in parts)
        return keys, values

    def _scales(self, layer: Any) -> dict[str, Tensor]:
        return {"k_scale": layer._k_scale, "v_scale": layer._v_scale} if self.kv_cache_dtype in _FLOAT8 else {}


def _refuse(name: str, value: object, expected: str) -> None:
    raise ModelError(
        f"torchpaged in vLLM: {name} is {value!r}, expected {expected}; take torchpaged out of VLLM_PLUGINS to run "
        "this model with vLLM's own attention"
    )
