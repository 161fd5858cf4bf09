"""Processors: runs an engine's logits processors, and those of its requests, over a step's logits."""

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

# Lowest temperature to divide by: with less, logits would overflow float32.
_MIN_TEMPERATURE = 1e-6


@dataclass(slots=True)
class ProcessedDraw:
    """Draw whose logits are processed.

    Args:
        id: of the draw, and of the sequence that it becomes part of.
        row: in the token table.
        length, prompt_length: tokens in the row, and how many of them are the prompt.
        params: of its request.
    """

    id: int
    row: int
    length: int
    prompt_length: int
    params: SamplingParams


@dataclass(slots=True)
class _Member:
    """Member of the processors' batch. Processors keep references to its token lists, which grow."""

    draw: ProcessedDraw
    prompt: list[int] = field(default_factory=list)
    made: list[int] = field(default_factory=list)
    num_read: int = 0  # tokens of the row that the lists have
    functions: list[Callable[[Tensor], Any]] = field(default_factory=list)


class Processors:
    """Logits processors of an engine, with the gapless batch that vLLM's protocol requires.

    If a request's function raises, its draw fails. If a processor class raises, all processed draws of the step fail,
    and all classes are instantiated again, since their state is unknown.

    Args:
        classes: logits processors, instantiated on first use.
        config: passed to them.
        device: of the logits.
        tokens: of each row.

    Attributes:
        failures: why draws failed, by id; the sampler reports and clears them.
    """

    def __init__(
        self, classes: Sequence[type[LogitsProcessor]], config: VllmConfig, device: torch.device, tokens: TokenTable
    ) -> None:
        self.failures: dict[int, str] = {}
        self._classes, self._config, self._device, self._tokens = classes, config, device, tokens
        self._made: list[LogitsProcessor] | None = None  # None: to be instantiated
        self._batch: list[_Member] = []

    def apply_before_penalties(self, logits: Tensor, draws: Sequence[ProcessedDraw]) -> None:
        """Apply all processors that are not argmax-invariant to logits [num_draws, vocab_size] float32, in place."""
        try:
            self._update_states(draws)
            self._apply(logits, draws, invariant=False)
        except Exception as error:
            self._fail(logits, draws, error)
            return
        by_id = {member.draw.id: member for member in self._batch}
        for row, each in zip(logits, draws, strict=True):
            try:
                for function in by_id[each.id].functions:
                    row.copy_(_checked(function(row), row))
            except Exception as error:
                self.failures[each.id] = f"a logits processor raised {type(error).__name__}: {error}"
                row.fill_(torch.nan)

    def apply_after_temperature(self, logits: Tensor, draws: Sequence[ProcessedDraw]) -> None:
        """Apply the argmax-invariant processors to penalised logits [num_draws, vocab_size] float32, in place.

        The sampler divides by the temperature afterwards, so the logits are divided here and multiplied back.
        """
        if self._made is None or not any(each.is_argmax_invariant() for each in self._made):
            return
        temperatures = [max(each.params.temperature, _MIN_TEMPERATURE) for each in draws]
        temperature = torch.tensor(temperatures, dtype=torch.float32, device=self._device)[:, None]
        drawn = torch.tensor([each.params.temperature > 0 for each in draws], device=self._device)[:, None]
        before = logits / temperature
        after = before.clone()
        try:
            self._apply(after, draws, invariant=True)
        except Exception as error:
            self._fail(logits, draws, error)
            return
        # Unchanged logits keep their bits: dividing and multiplying would round them.
        logits.copy_(torch.where(drawn & (after != before), after * temperature, logits))

    def _apply(self, logits: Tensor, draws: Sequence[ProcessedDraw], *, invariant: bool) -> None:
        assert self._made is not None
        chosen = [each for each in self._made if bool(each.is_argmax_invariant()) is invariant]
        if not chosen:
            return
        place_of = {each.id: place for place, each in enumerate(draws)}
        order = torch.tensor([place_of[member.draw.id] for member in self._batch], device=self._device)
        batch = logits[order]
        for each in chosen:
            batch = _checked(each.apply(batch), batch)
        logits.index_copy_(0, order, batch.to(logits.dtype))

    def _update_states(self, draws: Sequence[ProcessedDraw]) -> None:
        """Bring the batch up to date, and call each processor's `update_state`."""
        made, self._made = self._made, None  # None until all have been updated: an error leaves their state unknown
        if made is None:
            self._batch = []
            made = [each(self._config, self._device, self._device.type == "cuda") for each in self._classes]
        update = self._batch_update({each.id: each for each in draws})
        self._read_tokens()
        for each in made:
            each.update_state(update)
        self._made = made

    def _batch_update(self, draws: dict[int, ProcessedDraw]) -> BatchUpdate | None:
        """Make the batch consist of these draws; return the changes, or None if there are none."""
        batch = self._batch
        free = [index for index, member in enumerate(batch) if member.draw.id not in draws]
        known = {member.draw.id for member in batch}
        added = []
        for id, each in draws.items():
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
        while free:  # the last members move into gaps
            if free[-1] == len(batch) - 1:
                removed.append(free.pop())
                batch.pop()
            else:
                index = free.pop(0)
                moved.append((len(batch) - 1, index, MoveDirectionality.UNIDIRECTIONAL))
                batch[index] = batch.pop()
        for member in batch:
            member.draw = draws[member.draw.id]
        if not (added or removed or moved):
            return None
        return BatchUpdate(len(batch), removed, added, moved)

    def _read_tokens(self) -> None:
        """Append the tokens since the last step to the members' lists; wait for them."""
        ranges = [(member.draw.row, member.num_read, member.draw.length) for member in self._batch]
        for member, tokens in zip(self._batch, self._tokens.runs(ranges), strict=True):
            missing = max(0, member.draw.prompt_length - member.num_read)
            member.num_read += len(tokens)
            member.prompt += [token for token in tokens[:missing] if token >= 0]  # embeddings have none
            member.made += tokens[missing:]

    def _fail(self, logits: Tensor, draws: Sequence[ProcessedDraw], error: Exception) -> None:
        """Fail all draws: NaN logits give no token."""
        self._made = None
        for each in draws:
            self.failures[each.id] = f"a logits processor raised {type(error).__name__}: {error}"
        logits.fill_(torch.nan)


def _checked(found: Any, given: Tensor) -> Tensor:
    if not isinstance(found, Tensor) or found.shape != given.shape:
        what = f"shape {tuple(found.shape)}" if isinstance(found, Tensor) else f"{found!r:.60}"
        raise ValueError(f"it returned {what}, expected logits of shape {tuple(given.shape)}")
    return found
