"""A model's forward as one graph for every batch. Owns what torch.compile must be told, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

import torch
import torch._dynamo.config as dynamo_config
import torch.fx.experimental._config as shape_config
from torch import Tensor

from torchpaged.models.attention_metadata import LayerCache, StepMetadata

Forward = Callable[[Tensor, Tensor, StepMetadata, Tensor], Tensor]

# Graphs of all models in this process together: torch counts them by the function, and refuses the ninth by default.
_MOST_GRAPHS = 128


def compile_forward(
    forward: Forward,
    caches: Sequence[LayerCache],
    backend: str = "inductor",
    in_use: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> Forward:
    """`forward` compiled with fullgraph=True, as one graph for steps of every mix and size.

    Sizes that change from step to step (tokens, sequences, table widths, logit rows) are symbols; the caches' are
    constants. A symbol is 2 or more: `InputBatch` pads smaller steps, since torch compiles 0 and 1 for themselves.

    Args:
        forward: of a `PagedModel`.
        caches: by layer index.
        backend: of torch.compile.
        in_use: of a `PagedModel`: entered around each call.
    """
    for cache in caches:
        for tensor in (cache.key, cache.value, cache.k_scale, cache.v_scale):
            if tensor is not None:
                torch._dynamo.mark_static(tensor)
    compiled = torch.compile(forward, fullgraph=True, dynamic=True, backend=backend)

    def call(input_ids: Tensor, positions: Tensor, metadata: StepMetadata, logit_rows: Tensor) -> Tensor:
        # Two sizes that happen to be equal when a graph is made need not be equal later.
        graphs = dynamo_config.patch(recompile_limit=_MOST_GRAPHS)
        with in_use(), shape_config.patch(use_duck_shape=False), graphs:
            return compiled(input_ids, positions, metadata, logit_rows)

    return call
