"""Processors: runs the logits processors of an engine, and the functions of its requests, over a step's logits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from torchpaged.config import VllmConfig
from torchpaged.execution.token_table import TokenTable
from torchpaged.logits_processors import BatchUpdate, LogitsProcessor, MoveDirectionality, with_tokens
from torchpaged.sampling_params import SamplingParams

# Logits over less would leave float32's range.
_COLDEST = 1e-6


@dataclass(slots=True)
class Asking:
    """A draw whose logits are processed.

    Args:
        id: of the draw, which is that of the sequence it belongs to later.
        row: of the token table.
        length, prompt_length: tokens in it, and how many are the prompt.
        params: its request's.
    """

    id: int
    row: int
    length: int
    prompt_length: int
    params: SamplingParams


@dataclass(slots=True)
class _Member:
    """One that stands in the processors' batch: its lists are the processors' too, and grow."""

    asking: Asking
    prompt: list[int] = field(default_factory=list)
    made: list[int] = field(default_factory=list)
    num_read: int = 0  # places of the token table that were read
    functions: list[Callable[[Tensor], Any]] = field(default_factory=list)


class Processors:
    """Keeps a batch without gaps, as the protocol has it, whoever takes part in a step.

    A function that raises fails its own draw. What a class raises fails all draws of the step that are processed, and
    all classes are made anew, since nobody knows what they know then.

    Args:
        classes: of logits processors, made when they are first used.
        config: what they are told of the engine.
        device: of the logits.
        tokens: of each row.

    Attributes:
        failures: by draw, why it failed; whoever has told of them clears it.
    """

    def __init__(
        self, classes: Sequence[type[LogitsProcessor]], config: VllmConfig, device: torch.device, tokens: TokenTable
    ) -> None:
        self.failures: dict[int, str] = {}
        self._classes, self._config, self._device, self._tokens = classes, config, device, tokens
        self._made: list[LogitsProcessor] | None = None  # None: to be made anew
        self._batch: list[_Member] = []

    def before_penalties(self, logits: Tensor, asking: Sequence[Asking]) -> None:
        """Changes logits [len(asking), vocab_size] float32 in place, by all but what is argmax-invariant."""
        try:
            self._take(asking)
            self._apply(logits, asking, invariant=False)
        except Exception as error:
            self._fail(logits, asking, error)
            return
        by_id = {member.asking.id: member for member in self._batch}
        for row, each in zip(logits, asking, strict=True):
            try:
                for function in by_id[each.id].functions:
                    row.copy_(_checked(function(row), row))
            except Exception as error:
                self.failures[each.id] = f"a logits processor raised {type(error).__name__}: {error}"
                row.fill_(torch.nan)

    def behind_temperature(self, logits: Tensor, asking: Sequence[Asking]) -> None:
        """The others, over logits [len(asking), vocab_size] float32 behind penalties; in place."""
        if self._made is None or not any(each.is_argmax_invariant() for each in self._made):
            return
        heat = [max(each.params.temperature, _COLDEST) for each in asking]
        temperature = torch.tensor(heat, dtype=torch.float32, device=self._device)[:, None]
        drawn = torch.tensor([each.params.temperature > 0 for each in asking], device=self._device)[:, None]
        before = logits / temperature
        behind = before.clone()
        try:
            self._apply(behind, asking, invariant=True)
        except Exception as error:
            self._fail(logits, asking, error)
            return
        # What was left alone keeps its bits, which a division and a product would not.
        logits.copy_(torch.where(drawn & (behind != before), behind * temperature, logits))

    def _apply(self, logits: Tensor, asking: Sequence[Asking], *, invariant: bool) -> None:
        assert self._made is not None
        chosen = [each for each in self._made if bool(each.is_argmax_invariant()) is invariant]
        if not chosen:
            return
        place_of = {each.id: place for place, each in enumerate(asking)}
        order = torch.tensor([place_of[member.asking.id] for member in self._batch], device=self._device)
        batch = logits[order]
        for each in chosen:
            batch = _checked(each.apply(batch), batch)
        logits.index_copy_(0, order, batch.to(logits.dtype))

    def _take(self, asking: Sequence[Asking]) -> None:
        """Brings the batch up to date, and tells the processors."""
        made, self._made = self._made, None  # made anew, unless all of this comes to its end
        if made is None:
            self._batch = []
            made = [each(self._config, self._device, self._device.type == "cuda") for each in self._classes]
        update = self._update({each.id: each for each in asking})
        self._read()
        for each in made:
            each.update_state(update)
        self._made = made

    def _update(self, asking: dict[int, Asking]) -> BatchUpdate | None:
        batch = self._batch
        free = [index for index, member in enumerate(batch) if member.asking.id not in asking]
        known = {member.asking.id for member in batch}
        added = []
        for id, each in asking.items():
            if id in known:
                continue
            member = _Member(each)
            member.functions = [
                with_tokens(function, member.prompt, member.made) for function in each.params.logits_processors or ()
            ]
            index = free.pop(0) if free else len(batch)
            batch[index : index + 1] = [member]
            added.append((index, each.params, member.prompt, member.made))
        removed, moved = [], []
        while free:  # the last ones fill what is empty
            if free[-1] == len(batch) - 1:
                removed.append(free.pop())
                batch.pop()
            else:
                index = free.pop(0)
                moved.append((len(batch) - 1, index, MoveDirectionality.UNIDIRECTIONAL))
                batch[index] = batch.pop()
        for member in batch:
            member.asking = asking[member.asking.id]
        if not (added or removed or moved):
            return None
        return BatchUpdate(len(batch), removed, added, moved)

    def _read(self) -> None:
        """The tokens that have come since the last step, which waits for them."""
        known = [member.num_read for member in self._batch]
        asking = [member.asking for member in self._batch]
        news = self._tokens.runs([(each.row, first, each.length) for each, first in zip(asking, known, strict=True)])
        for member, tokens in zip(self._batch, news, strict=True):
            missing = max(0, member.asking.prompt_length - member.num_read)
            member.num_read += len(tokens)
            member.prompt += [token for token in tokens[:missing] if token >= 0]  # embeddings have none
            member.made += tokens[missing:]

    def _fail(self, logits: Tensor, asking: Sequence[Asking], error: Exception) -> None:
        self._made = None
        for each in asking:
            self.failures[each.id] = f"a logits processor raised {type(error).__name__}: {error}"
        logits.fill_(torch.nan)


def _checked(found: Any, given: Tensor) -> Tensor:
    if not isinstance(found, Tensor) or found.shape != given.shape:
        what = f"shape {tuple(found.shape)}" if isinstance(found, Tensor) else f"{found!r:.60}"
        raise ValueError(f"it returned {what}, expected logits of shape {tuple(given.shape)}")
    return found
