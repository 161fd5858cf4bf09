"""compile_model: a model's forward as one torch.compile graph for every batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from torchpaged.models.attention_metadata import LayerCache, RowCache, StateCache
from torchpaged.models.model import Forward, Head, PagedModel

# Limit for the graphs of all models in this process: torch counts them per function, and by default refuses the ninth.
_MOST_GRAPHS = 128


def compile_model(
    model: PagedModel,
    caches: Sequence[LayerCache | RowCache | StateCache],
    backend: str | Callable[..., Any] = "inductor",
) -> tuple[Forward, Head]:
    """Compile a model's `forward` and `logits` with fullgraph=True, each as one graph for steps of every mix and size.

    Sizes that vary by step (tokens, sequences, table widths, wanted rows) are symbols; those of the caches are
    constants. torch specialises on sizes 0 and 1, so `StepBatch` pads smaller steps to 2.

    Args:
        model: what to compile; its `in_use` is entered around each call.
        caches: of all layers.
        backend: of torch.compile.
    """
    # Imported here because it takes a second.
    import torch._dynamo.config as dynamo_config
    import torch.fx.experimental._config as shape_config

    for cache in caches:
        for tensor in cache.tensors:
            torch._dynamo.mark_static(tensor)

    def compiled(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
        run = torch.compile(function, fullgraph=True, dynamic=True, backend=backend)

        def call(*arguments: Any) -> Tensor:
            # Without duck shapes, as sizes that are equal at the first step need not be equal later.
            graphs = dynamo_config.patch(recompile_limit=_MOST_GRAPHS)
            with model.in_use(), shape_config.patch(use_duck_shape=False), graphs:  # type: ignore[attr-defined]
                return run(*arguments)

        return call

    # Without a hidden size the forward returns logits already.
    return compiled(model.forward), model.logits if model.spec.hidden_size is None else compiled(model.logits)
