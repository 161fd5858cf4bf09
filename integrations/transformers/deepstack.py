"""DeepStack: features of an image that are added to the hidden states behind the first layers too (Qwen3-VL).

An embedding is as wide as the hidden states and one more for each such layer: [num_tokens, (1 + levels) * hidden_size].
The further parts of a token that is not an image's are zeros.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class DeepStack:
    """Calls the text part of a model by such embeddings.

    Args:
        base: the model without its head.
        levels: layers behind which features are added.
    """

    def __init__(self, base: nn.Module, levels: int) -> None:
        text: Any = base.get_decoder()  # type: ignore[operator]
        self.levels, self._text = levels, text
        if not isinstance(text._deepstack_process, _AddsRows):
            text._deepstack_process = _AddsRows(text._deepstack_process)

    def widen(self, embeds: Tensor, input_ids: Tensor) -> Tensor:
        """Append the zeros of text to embeddings [num_tokens, hidden_size]."""
        return F.pad(embeds, (0, self.levels * embeds.shape[1]))

    def __call__(self, inputs_embeds: Tensor, **options: Any) -> Any:
        """Run the text part over embeddings [1, num_tokens, (1 + levels) * hidden_size]."""
        first, *others = inputs_embeds.chunk(1 + self.levels, dim=2)
        return self._text(inputs_embeds=first, visual_pos_masks=None, deepstack_visual_embeds=others, **options)


class _AddsRows:
    """The text part's `_deepstack_process`, which also takes a row for each token and no mask.

    Args:
        process: the original method; its rows are of the masked tokens, which no graph can hold.
    """

    def __init__(self, process: Any) -> None:
        self._process = process

    def __call__(self, hidden_states: Tensor, visual_pos_masks: Tensor | None, visual_embeds: Tensor) -> Tensor:
        if visual_pos_masks is None:
            return hidden_states + visual_embeds
        found: Tensor = self._process(hidden_states, visual_pos_masks, visual_embeds)
        return found


def joined(rows: Tensor, levels: list[Tensor]) -> Tensor:
    """Return the embeddings of an image: its features and those of each level, side by side."""
    return torch.cat([rows, *levels], dim=1)
