"""Layer calls: an operator over the caches, tables or adapters of one layer. The compiler traces each as one node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torchpaged.models.attention import attend, choose, window_mask
from torchpaged.models.attention_metadata import StepMetadata
from torchpaged.models.convolution import convolve
from torchpaged.models.recurrence import recur
from torchpaged.ops.fused import can_rotate_and_write


def attend_layer(
    query: Tensor, key: Tensor | None, value: Tensor | None, step: StepMetadata, layer: int, **options: Any
) -> Tensor:
    """Call `attend` for the layer of this index."""
    metadata, cache = step.of_layer(layer)
    window = options.get("sliding_window")
    if not metadata.causal and window:
        options["tree_mask"] = window_mask(metadata, query.shape[0], window)
    elif metadata.tree_mask is not None and (window or not metadata.masks_windows):
        options["tree_mask"] = metadata.tree_mask
    return attend(query, key, value, metadata, cache, causal=metadata.causal, **options)


def attend_rotated_layer(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    cos: Tensor,
    sin: Tensor,
    step: StepMetadata,
    layer: int,
    *,
    query_weight: Tensor | None = None,
    key_weight: Tensor | None = None,
    eps: float = 0.0,
    **options: Any,
) -> Tensor:
    """Rotate query and key as `rotary_embedding` does, and call `attend`; one launch rotates and writes if it can."""
    metadata, cache = step.of_layer(layer)
    norms: dict[str, Any] = {"query_weight": query_weight, "key_weight": key_weight, "eps": eps}
    if cache.key_factor is not None or not can_rotate_and_write(query, value, cos, cache.key):
        query, key = torch.ops.torchpaged.rotary_embedding(query, key, cos, sin, **norms)
        return attend_layer(query, key, value, step, layer, **options)
    query = torch.ops.torchpaged.rotate_and_write_kv_cache(
        query,
        key,
        value,
        cos,
        sin,
        cache.key,
        cache.value,
        metadata.slot_mapping,
        **norms,
        k_scale_cache=cache.k_scale,
        v_scale_cache=cache.v_scale,
    )
    return attend_layer(query, None, None, step, layer, **options)


def attend_media_layer(query: Tensor, step: StepMetadata, layer: int, **options: Any) -> Tensor:
    """Attend to the keys of images, which are in the cache already; 0 for a token that sees none."""
    metadata, cache = step.of_layer(layer)
    return attend(query, None, None, metadata, cache, causal=metadata.causal, **options)


def mask_media_layer(x: Tensor, step: StepMetadata, layer: int) -> Tensor:
    """Return x [.., num_tokens, size] with zeros for the tokens that see no image in a layer."""
    sees = step.of_layer(layer)[0].sees
    return x if sees is None else x.masked_fill(~sees, 0)


def choose_layer(
    index_query: Tensor,
    index_weights: Tensor | None,
    index_key: Tensor,
    step: StepMetadata,
    layer: int,
    **options: Any,
) -> Tensor:
    """Call `choose` for the layer of this index."""
    return choose(index_query, index_weights, index_key, *step.of_layer(layer), **options)


def convolve_layer(
    x: Tensor, weight: Tensor, bias: Tensor | None, step: StepMetadata, layer: int, **options: Any
) -> Tensor:
    """Call `convolve` for the layer of this index."""
    return convolve(x, weight, bias, *step.of_convolution(layer), **options)


def recur_layer(
    operator: str, inputs: Sequence[Tensor | None], step: StepMetadata, layer: int, **options: Any
) -> Tensor:
    """Call `recur` for the layer of this index."""
    states, tails, cache = step.of_state(layer)
    return recur(operator, *inputs, states=states, tails=tails, cache=cache, **options)


def adapt_layer(out: Tensor, x: Tensor, step: StepMetadata, modules: tuple[str, ...]) -> Tensor:
    """Add the adapters of the step's tokens to the result of a linear module, and return it.

    Args:
        out: [.., outputs], the result: written, so nothing else may use it. Of several modules: side by side.
        x: [.., in_features], what the modules took.
        modules: their names.
    """
    if (adapters := step.adapters) is None:
        return out
    rows, inputs = out.view(-1, out.shape[-1]), x.reshape(-1, x.shape[-1])
    pools = adapters.pools.of(modules)
    for part, pool in zip(rows.split([sum(each.sizes) for each in pools], dim=1), pools, strict=True):
        torch.ops.torchpaged.lora_linear_add(
            part, inputs, pool.lora_a, pool.lora_b, adapters.slots, list(pool.sizes), ranks=pool.ranks
        )
    return out
