"""A model's forward as one graph for every batch. Owns what torch.compile must be told, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from torchpaged.models.attention_metadata import LayerCache, RowCache, StateCache, StepMetadata
from torchpaged.models.model import PagedModel

Forward = Callable[[Tensor, Tensor, StepMetadata, Tensor], Tensor]
Head = Callable[[Tensor], Tensor]

# Graphs of all models in this process together: torch counts them by the function, and refuses the ninth by default.
_MOST_GRAPHS = 128


def compile_model(
    model: PagedModel, caches: Sequence[LayerCache | RowCache | StateCache], backend: str = "inductor"
) -> tuple[Forward, Head]:
    """A model's `forward` and `logits` compiled with fullgraph=True, each as one graph for steps of every mix and size.

    Sizes that change from step to step (tokens, sequences, table widths, wanted rows) are symbols; the caches' are
    constants. A symbol is 2 or more: `StepBatch` pads smaller steps, since torch compiles 0 and 1 for themselves.

    Args:
        model: what to compile; its `in_use` is entered around each call.
        caches: of every layer.
        backend: of torch.compile.
    """
    # A second to import, and nobody else needs it.
    import torch._dynamo.config as dynamo_config
    import torch.fx.experimental._config as shape_config

    for cache in caches:
        for tensor in cache.tensors:
            torch._dynamo.mark_static(tensor)

    def compiled(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
        run = torch.compile(function, fullgraph=True, dynamic=True, backend=backend)

        def call(*arguments: Any) -> Tensor:
            # Two sizes that happen to be equal when a graph is made need not be equal later.
            graphs = dynamo_config.patch(recompile_limit=_MOST_GRAPHS)
            with model.in_use(), shape_config.patch(use_duck_shape=False), graphs:  # type: ignore[attr-defined]
                return run(*arguments)

        return call

    # What is a row of logits already needs no head.
    return compiled(model.forward), model.logits if model.spec.hidden_size is None else compiled(model.logits)
