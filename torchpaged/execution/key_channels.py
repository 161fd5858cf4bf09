"""key_factors: scales for outlier channels of keys, for an int8 or a 4-bit cache.

A token's keys share one scale in an int8 cache, so a channel a hundred times larger than the others leaves them one or
two of its 127 steps; in a 4-bit cache 32 of them share one of 8 steps. Such a channel is divided by a power of two
before it is written, and the queries are multiplied by it: scores keep their bits except for the cache's rounding.

Source: SmoothQuant (Xiao et al., 2023) moves scales likewise, from activations to weights.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import torch
from torch import Tensor

from torchpaged.execution.paged_kv_cache import PagedKVCache
from torchpaged.execution.state_pool import StatePool
from torchpaged.models.attention_metadata import AttentionMetadata, LayerCache, StepMetadata
from torchpaged.models.model import PagedModel
from torchpaged.ops import int4_cache

# Caches whose numbers are multiples of a scale. Floats need no factors.
SCALED_DTYPES = (torch.int8, int4_cache.DTYPE)

# Random tokens suffice: large channels come from biases and norms more than from the text. The number is above the
# sizes for which a recorded forward is replayed.
_TOKENS = 96
# A channel is an outlier if it is this much larger than the median channel of its head.
_LARGE = 4.0
# Largest exponents of the powers of two; in float16 queries would overflow with more than the second.
_MOST, _MOST_FLOAT16 = 10, 4


@torch.inference_mode()
def key_factors(model: PagedModel) -> Mapping[int, Tensor]:
    """Return by layer the factors of its keys: [num_kv_heads, head_dim] of the model's dtype, powers of two.

    Runs one forward of random tokens, the same each time. Layers without outlier channels have no factors; nor do
    latents (keys and values in one), convolutions, models with an encoder, and exported models.
    """
    spec = model.spec
    plain = [i for i, shape in spec.layers.items() if shape.head_dim_v and not shape.convolution]
    if model.weights is None or model.encoder is not None or not plain:
        return {}
    count = min(_TOKENS, spec.max_model_len)
    caches = PagedKVCache(spec.every_layer, 2, count, spec.dtype, spec.device).by_layer()
    metadata = AttentionMetadata(
        slot_mapping=torch.arange(count, 2 * count),
        block_tables=torch.ones(1, 1, dtype=torch.int32),
        seq_lens=torch.tensor([count], dtype=torch.int32),
        query_start_loc=torch.tensor([0, count], dtype=torch.int32),
        max_query_len=count,
    ).to(spec.device)
    step = StepMetadata([metadata], [0] * len(caches), caches)
    if spec.states:  # one state slot and one tail slot for each chunk
        chunks = -(-count // spec.state_chunk)
        pool = StatePool(spec.states, spec.state_chunk, 1 + chunks, 1 + chunks, spec.dtype, spec.device)
        slots = torch.arange(1, 1 + chunks, dtype=torch.int32, device=spec.device)[None]
        groups = [metadata, *[replace(metadata, block_tables=slots)] * 2]
        step = replace(step, groups=groups, states=pool.by_layer(), state_group=1)
    tokens = torch.randint(spec.vocab_size, (count,), generator=torch.Generator().manual_seed(0)).to(spec.device)
    positions = spec.positions(torch.arange(count, device=spec.device))
    model.forward(tokens, positions, step, torch.tensor([count - 1], device=spec.device))
    most = _MOST_FLOAT16 if spec.dtype == torch.float16 else _MOST
    found = {}
    for index in plain:
        cache = caches[index]
        assert isinstance(cache, LayerCache)
        exponents = _exponents(cache.key[1].float().abs().amax(0).cpu(), most)
        if exponents.any():
            found[index] = torch.exp2(-exponents).to(spec.device, spec.dtype)
    return found


def _exponents(largest: Tensor, most: int) -> Tensor:
    """Return the exponents of the factors, given the largest number of each channel [num_kv_heads, head_dim]."""
    middle = largest.median(dim=-1, keepdim=True).values
    ratio = torch.where(middle > 0, largest / middle, 1.0).nan_to_num(nan=1.0, posinf=1.0)
    return torch.where(ratio >= _LARGE, ratio.log2().floor(), 0.0).clamp(max=most)
